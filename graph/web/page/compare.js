// Two methods answer the same question at the same time, over the same documents and models.

import { calm, count, eachFrame, el, find, onceAtATime, percent, put, time } from "./dom.js";
import { stream } from "./http.js";
import { nowDoing } from "./answer.js";
import { announce, hideFailure } from "./notices.js";
import { brokeOff, newRun, take } from "./run.js";
import { report, session } from "./session.js";
import { cost, drawWaterfall } from "./waterfall.js";

let lanes = [];
let stopping = null;
let actions = {};
const redraw = eachFrame(draw);

export function startComparing(others) {
  actions = others;
  onceAtATime(find("race-button")); // it says “Stop” by then
  find("race-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (stopping) stopRace();
    else race();
  });
}

/** The methods that can be chosen. */
export function drawMethods(start) {
  const options = (chosen) =>
    Object.entries(start.methods).map(([name, said]) => el("option", { value: name, selected: name === chosen, title: said }, name.replaceAll("_", " ")));
  if (!find("left").options.length) {
    put(find("left"), options("lookahead"));
    put(find("right"), options("react"));
  }
  const examples = start.sample.here ? start.sample.questions : [];
  put(find("race-examples"), examples.map((question) => el("option", { value: question })));
  if (examples.length && !find("race-question").value) find("race-question").value = examples[2];
}

export function stopRace() {
  stopping?.abort();
}

async function race() {
  const question = find("race-question").value.trim();
  if (!question) return find("race-question").focus();
  hideFailure(find("race-failure"));
  stopping?.abort();
  const mine = (stopping = new AbortController());
  const clock = setInterval(redraw, calm() ? 1000 : 60);
  lanes = [find("left").value, find("right").value].map((method) => lane(question, method));
  put(find("lanes"), lanes.map((one) => one.element));
  find("race-button").textContent = "Stop";
  await Promise.all(lanes.map((one) => follow(one, mine.signal)));
  clearInterval(clock);
  if (mine !== stopping) return; // another race has been begun
  stopping = null;
  find("race-button").textContent = "Race";
  redraw();
  const verdict = verdictOf();
  if (verdict.length) announce(verdict.join(""));
}

function lane(question, method) {
  const parts = { head: el("div", {}), searches: el("ol", { class: "searches" }), bars: el("div", {}), foot: el("p", { class: "quiet" }) };
  const element = el("section", { class: "lane", "aria-label": method }, parts.head, parts.searches, parts.bars, parts.foot);
  return { run: newRun(question, method), element, parts, began: performance.now(), ended: null };
}

async function follow(one, signal) {
  const { run } = one;
  const body = { question: run.question, method: run.method, ...(session.namespace ? { namespace: session.namespace } : {}) };
  try {
    await stream("/ask", body, (name, data) => (take(run, name, data), redraw()), signal);
  } catch (error) {
    brokeOff(run, error);
    const told = lanes.some((other) => other !== one && other.run.status === "failed");
    if (run.status === "failed" && !told) report(find("race-failure"), error, { again: race, ...actions });
  } finally {
    one.ended = performance.now() - one.began;
  }
}

/** Milliseconds as the service counted them; until it has, as this page does. */
const elapsed = (one) => one.run.result?.timings_ms.total ?? one.ended ?? performance.now() - one.began;

function draw() {
  const scale = Math.max(...lanes.map((one) => Math.max(one.run.at, one.ended ? 0 : performance.now() - one.began)));
  for (const one of lanes) drawLane(one, scale);
  const [winner, ...rest] = verdictOf();
  put(find("verdict"), winner && [el("strong", {}, winner), rest]);
}

function drawLane(one, scale) {
  const { run, parts } = one;
  if (!one.ended) run.at = Math.max(run.at, performance.now() - one.began);
  const { result } = run;
  const sure = result?.answer && !result.abstained;
  const said = !result ? nowDoing(run) : sure ? result.answer : "The documents do not say.";
  put(
    parts.head,
    el("h2", {}, run.method.replaceAll("_", " "), el("span", { class: "clock" }, time(elapsed(one)))),
    el("p", { class: "quiet" }, session.start?.methods[run.method] ?? ""),
    el("p", { class: result ? "short" : "now" }, said, sure && el("small", {}, ` ${percent(result.confidence)} sure`)),
  );
  put(parts.searches, rowsOf(run));
  drawWaterfall(parts.bars, run, scale);
  put(parts.foot, result ? `${facts(run)}` : "");
}

/** An agent's steps, or the searches of a plan. */
function rowsOf(run) {
  const hops = new Map(run.hops);
  const steps = run.steps.filter((step) => step.action !== "finish").map((step) => {
    const hop = hops.get(step.hop);
    hops.delete(step.hop);
    return row(`step ${step.step}`, `${step.action === "search" ? "" : `${step.action}: `}${hop?.query ?? step.query}`, hop);
  });
  const others = [...hops.values()].sort((a, b) => a.from - b.from).map((hop) => row(hop.id, hop.query, hop));
  return [...steps, ...others];
}

function row(name, query, hop) {
  const state = hop?.state ?? "idle";
  const found = { searching: "searching …", empty: "nothing found", failed: hop?.error }[state] ?? (hop?.passages[0]?.title || "");
  return el("li", { class: state }, el("code", {}, name), " ", query, found && el("span", { class: "quiet" }, ` → ${found}`));
}

function facts(run) {
  const { usage, hops, steps } = run.result;
  const searches = count(hops.length, "search", "searches");
  const decided = steps.length ? `, ${count(Math.max(...steps.map((step) => step.step)), "step")}` : "";
  const tokens = usage.prompt_tokens + usage.completion_tokens;
  const used = usage.llm_calls
    ? `${count(usage.llm_calls, "language call")}, ${count(tokens, "token")}, cost ${cost(usage)}`
    : "no language model was called";
  return `${searches}${decided}; ${used}`;
}

/** What came of a race, in sentences; none before both lanes are through. */
function verdictOf() {
  if (!lanes.length || lanes.some((one) => !one.run.result)) return [];
  const [first, second] = [...lanes].sort((a, b) => elapsed(a) - elapsed(b));
  const times = elapsed(second) / Math.max(1, elapsed(first));
  const name = (one) => one.run.method.replaceAll("_", " ");
  const said = times < 1.05 ? "A dead heat." : `${name(first)} was ${times.toFixed(1)} times as fast as ${name(second)}.`;
  const [one, other] = [first, second].map((lane) => lane.run.result.answer || "nothing");
  const same = one === other ? "Both give the same answer." : `One says “${one}”, the other “${other}”.`;
  return [said, ` ${same} Both ran at the same time on one machine, and took time from each other.`];
}
