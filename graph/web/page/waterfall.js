// When each stage and each search ran, as bars on one time axis.

import { doubt } from "./answer.js";
import { count, dollars, el, put, time } from "./dom.js";

/** Draws a run's stages, and under them its searches. `scale` is the whole width in milliseconds. */
export function drawWaterfall(place, run, scale = run.at) {
  const end = Math.max(1, scale);
  const hops = [...run.hops.values()].filter((hop) => hop.from !== null).sort((a, b) => a.from - b.from);
  const stages = merged(run.stages).map((stage) => bar(stage.name, "stage", stage.spans, run.at, end));
  const searches = hops.map((hop) => bar(hop.id, "hop", [hop], run.at, end, hop.query));
  put(place, el("ol", { class: "bars" }, stages, searches));
}

/** Stages by name, in the order in which they began; one that ran again has two spans. */
function merged(stages) {
  const by = new Map();
  for (const stage of stages) {
    if (!by.has(stage.name)) by.set(stage.name, { name: stage.name, spans: [] });
    by.get(stage.name).spans.push(stage);
  }
  return [...by.values()];
}

function bar(name, kind, spans, now, end, title = null) {
  const took = spans.reduce((sum, span) => sum + ((span.to ?? now) - span.from), 0);
  const drawn = spans.map((span) => {
    const piece = el("span", { class: span.to === null ? "span open" : "span" });
    piece.style.setProperty("left", `${(100 * span.from) / end}%`);
    piece.style.setProperty("width", `${Math.max(0.4, (100 * ((span.to ?? now) - span.from)) / end)}%`);
    return piece;
  });
  return el(
    "li",
    { class: kind, title },
    el("span", { class: "name" }, name),
    el("span", { class: "track", "aria-hidden": "true" }, drawn),
    el("span", { class: "took" }, time(took)),
  );
}

/** Models, calls, tokens and cost of a run that is done. */
export function drawFacts(place, run) {
  const { usage, models, warnings, fallbacks, timings_ms: timings, plan } = run.result;
  const calls = usage.llm_calls
    ? Object.entries(usage.by_reason).map(([why, number]) => `${number} to ${why}`).join(", ")
    : "none";
  const others = warnings.filter((warning) => !doubt(warning)); // those are shown with the answer
  const pairs = [
    ["Time", time(timings.total ?? run.at)],
    ...Object.entries(models).map(([role, model]) => [role[0].toUpperCase() + role.slice(1), model]),
    plan.rung && plan.rung !== plan.planner && ["Plan read by", plan.rung],
    ["Language calls", calls],
    usage.llm_calls > 0 && ["Tokens", `${usage.prompt_tokens.toLocaleString("en")} read, ${usage.completion_tokens.toLocaleString("en")} written`],
    ["Cost", cost(usage)],
    usage.wait_ms >= 50 && ["Waited for servers", time(usage.wait_ms)],
    fallbacks.length > 0 && ["Searched again", fallbacks.map((round) => round.trigger.join(", ")).join("; ")],
  ].filter(Boolean);
  put(
    place,
    el("dl", { class: "pairs" }, pairs.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
    others.length > 0 && el("ul", { class: "warnings" }, others.map((warning) => el("li", {}, warning))),
  );
}

export function cost(usage) {
  if (!usage.llm_calls) return "nothing: no language model was called";
  const unknown = usage.unpriced_calls ?? 0;
  if (!unknown) return dollars(usage.cost_usd);
  return usage.cost_usd ? `${dollars(usage.cost_usd)}, and ${count(unknown, "call")} of unknown cost` : "unknown";
}
