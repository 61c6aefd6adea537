// The answer: short, how sure one may be of it, and the sentences behind it with their sources a hover away.

import { el, find, percent, put } from "./dom.js";

const CITED = /\[(n\d+\.\d+)\]/g;

/** Draws what is known of the answer; `open(id)` is called when a citation is chosen. */
export function drawAnswer(place, run, open) {
  place.setAttribute("aria-busy", String(!["done", "failed", "stopped", "waiting"].includes(run.status)));
  const { result } = run;
  put(
    place,
    result ? headline(result) : run.status !== "waiting" && el("p", { class: "now" }, nowDoing(run)),
    run.text && el("p", { class: "explanation" }, cited(run, open)),
    doubts(result).map((said) => el("p", { class: "problem" }, said)),
    run.resets > 0 && el("p", { class: "quiet" }, "A first answer was taken back: its sources did not bear it out."),
  );
}

function headline(result) {
  const sure = result.answer && !result.abstained;
  const value = Math.round(result.confidence * 100);
  if (!sure) {
    const why = result.answer ? "The documents do not say for sure." : "The documents do not say.";
    return el("div", { class: "headline" }, el("p", { class: "short none" }, why), result.answer && guess(result));
  }
  return el(
    "div",
    { class: "headline" },
    el("p", { class: value < 50 ? "short unsure" : "short" }, result.answer),
    el(
      "p",
      { class: "sure" },
      el("meter", { min: 0, max: 100, value, "aria-hidden": "true" }), // the words beside it say the same
      ` ${percent(result.confidence)} sure`,
    ),
  );
}

const CHECK = "check: ";

/** Whether a warning says that a source does not bear the answer out; such a one stands beside the answer. */
export const doubt = (warning) => warning.startsWith(CHECK);

/** What the check of the answer against its sources says against it. */
const doubts = (result) => (result?.warnings ?? []).filter(doubt).map((said) => `Look twice: ${said.slice(CHECK.length)}`);

const guess = (result) => el("p", {}, "A guess: ", el("strong", {}, result.answer), `, ${percent(result.confidence)} sure`);

const STAGES = {
  intake: "Reading the question …",
  plan: "Planning …",
  probe: "Searching …",
  approve: "Searching …",
  brief: "Reading the question …",
  agent: "Deciding what to search …",
  tools: "Reading …",
  prune: "Planning …",
  retrieve: "Searching …",
  rerank: "Ranking what was found …",
  assemble: "Choosing the evidence …",
  synthesize: "Writing …",
  check: "Checking the answer against its sources …",
  fallback: "Searching again, in other words …",
};

/** What the run is doing, in a few words. */
export function nowDoing(run) {
  if (run.status === "waiting") return "The plan is ready, and waits for you.";
  if (run.status === "stopped") return "Stopped.";
  if (run.status === "failed") return "";
  const open = run.stages.filter((stage) => stage.to === null);
  return STAGES[(open.at(-1) ?? run.stages.at(-1))?.name] ?? "Asking …";
}

/** The explanation, its citations as buttons. */
function cited(run, open) {
  const parts = [];
  let from = 0;
  for (const match of run.text.matchAll(CITED)) {
    parts.push(run.text.slice(from, match.index), citation(run, match[1], open));
    from = match.index + match[0].length;
  }
  return [...parts, run.text.slice(from)];
}

function citation(run, id, open) {
  const source = sourceOf(run, id);
  const show = (event) => showSource(event.currentTarget, id, source);
  return el(
    "button",
    {
      type: "button",
      class: "cite",
      "data-id": id,
      "aria-label": `Source ${id}: ${source?.title ?? "unknown"}`,
      onmouseenter: show,
      onfocus: show,
      onmouseleave: hideSource,
      onblur: hideSource,
      onclick: () => {
        hideSource();
        open(id);
      },
    },
    id,
  );
}

/** Title and cited sentences of a citation; while the answer is being written, the passage itself. */
function sourceOf(run, id) {
  const said = run.result?.citations.find((citation) => citation.id === id);
  return said ?? run.evidence.find((passage) => passage.ids.includes(id));
}

function showSource(button, id, source) {
  const tip = find("source");
  put(
    tip,
    el("strong", {}, source?.title || "untitled"),
    el("code", {}, id),
    el("p", { id: "source-text" }, source?.text ?? "This source is not among the passages that were read."),
  );
  tip.hidden = false;
  const at = button.getBoundingClientRect();
  const room = document.documentElement.clientWidth;
  const left = Math.max(8, Math.min(at.left, room - tip.offsetWidth - 8));
  const above = at.bottom + tip.offsetHeight + 12 > innerHeight && at.top > tip.offsetHeight + 12;
  tip.style.setProperty("left", `${left + scrollX}px`);
  tip.style.setProperty("top", `${(above ? at.top - tip.offsetHeight - 6 : at.bottom + 6) + scrollY}px`);
  button.setAttribute("aria-describedby", "source-text"); // its title is in the button's name
}

export function hideSource() {
  find("source").hidden = true;
}
