// The view on which one question is asked: the box, the run as it goes on, and the plan that may wait.

import { drawAnswer, hideSource, nowDoing } from "./answer.js";
import { showApproval } from "./approval.js";
import { count, eachFrame, el, find, onceAtATime, percent, put, time } from "./dom.js";
import { drawEvidence, openCard } from "./evidence.js";
import { stream } from "./http.js";
import { announce, hideFailure } from "./notices.js";
import { PlanMap } from "./plan_map.js";
import { atOnce, brokeOff, newRun, resumed, take } from "./run.js";
import { askForToken, report, session } from "./session.js";
import { drawFacts, drawWaterfall } from "./waterfall.js";

const TWICE = 500; // milliseconds: two presses within them are one

let run = null;
let stopping = null;
let approval = null;
let map = null;
let actions = {};
let pressed = -Infinity; // when a key or a click last asked, or stopped
let told = ""; // what was last read out of this run
const redraw = eachFrame(draw);

/** `others` holds `sample` and `documents`: what to do where there is nothing to search. */
export function startAsking(others) {
  actions = others;
  map = new PlanMap(find("map"), find("stop"));
  const box = find("question");
  onceAtATime(find("ask-button")); // it says “Stop” by then
  find("ask-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (doubled(event)) return;
    if (stopping) stop();
    else ask();
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (!doubled(event) && !stopping && !event.repeat) ask();
  });
  box.addEventListener("input", () => {
    fit(box);
    tooLong(box);
  });
  addEventListener("resize", () => fit(box));
}

/** Whether this press belongs to the one before it. */
function doubled(event) {
  const soon = event.timeStamp - pressed < TWICE;
  if (!soon) pressed = event.timeStamp;
  return soon;
}

export function ask(question = find("question").value) {
  const box = find("question");
  box.value = question;
  fit(box);
  tooLong(box);
  if (!question.trim()) return box.focus();
  find("opening").hidden = true;
  put(find("approval"));
  find("approval").hidden = true;
  approval = null;
  told = "";
  run = newRun(question.trim());
  const settings = find("approve-first").checked ? { approve_plan: true } : {};
  const body = { question, settings, ...(session.namespace ? { namespace: session.namespace } : {}) };
  return follow("/ask", body, () => ask(question));
}

/** Stop the run: the connection is closed, and with it everything the run was doing. */
export function stop() {
  stopping?.abort();
}

/** Closes what is shown of a search; whether there was something to close. */
export function closeStop() {
  return map.close();
}

async function follow(path, body, again) {
  stopping?.abort();
  const mine = (stopping = new AbortController());
  const asked = run;
  hideFailure(find("failure"));
  hideSource();
  working(true);
  redraw();
  try {
    await stream(path, body, (name, data) => mine === stopping && (take(asked, name, data), redraw()), mine.signal);
    if (mine === stopping && asked.status === "waiting") wait(asked);
  } catch (error) {
    if (mine !== stopping) return;
    failed(asked, error, again);
  } finally {
    if (mine === stopping) {
      stopping = null;
      working(false);
      redraw();
    }
  }
}

function failed(asked, error, again) {
  brokeOff(asked, error);
  if (asked.status === "stopped") return;
  if (approval && [0, 401, 422, 429].includes(error.status)) {
    asked.status = "waiting"; // it still does: the decision did not get through
    approval.refused(error.message);
    if (error.status === 401) askForToken();
    return;
  }
  report(find("failure"), error, { again, ...(asked.before ? {} : actions) });
}

/** The plan waits: what is decided goes on with the run. */
function wait(asked) {
  if (approval) return approval.refused(asked.waits.error ?? asked.waits.problem);
  approval = showApproval(find("approval"), asked.waits, (action, plan) => {
    find("approval").hidden = true;
    find("answer").focus({ preventScroll: true }); // what had it is hidden now
    resumed(asked);
    const path = `/runs/${encodeURIComponent(asked.id)}/plan`;
    return follow(path, plan ? { action, plan } : { action }, () => ask(asked.question));
  });
}

function draw() {
  const here = Boolean(run);
  find("run").hidden = !here;
  find("run").dataset.status = run?.status ?? "";
  if (!here) return;
  const empty = run.status === "failed" && !run.nodes.length && !run.hops.size;
  for (const id of ["answer", "plan", "evidence", "course"]) find(id).hidden = empty;
  if (empty) return;
  const open = (id) => openCard(find("cards"), id);
  drawAnswer(find("said"), run, open);
  map.draw(run);
  find("plan-note").textContent = planNote();
  drawEvidence(find("cards"), run);
  drawWaterfall(find("bars"), run);
  find("facts").hidden = !run.result;
  if (run.result) drawFacts(find("facts"), run);
  tell();
}

function planNote() {
  const searched = [...run.hops.values()].filter((hop) => !["searching", "stopped"].includes(hop.state));
  if (run.status === "waiting") return "waits for you";
  if (!searched.length) return run.nodes.length ? "planned" : "";
  const together = atOnce(run);
  const many = `${count(searched.length, "search", "searches")}`;
  return `${many}${together > 1 ? `, up to ${together} at once` : ""}, ${time(run.result?.timings_ms.total ?? run.at)}`;
}

/** One line for screen readers, said when it changes. */
function tell() {
  const { result } = run;
  const sure = result?.answer && !result.abstained;
  const waits = run.status === "waiting"; // its heading takes the focus, and is read out with it
  const said = waits ? "" : !result ? nowDoing(run) : sure ? `Answer: ${result.answer}, ${percent(result.confidence)} sure.` : "The documents do not say.";
  if (told !== said) announce((told = said));
}

function working(is) {
  const button = find("ask-button");
  button.textContent = is ? "Stop" : "Ask";
  button.classList.toggle("stop", is);
  find("ask-form").setAttribute("aria-busy", String(is));
}

function fit(box) {
  box.style.setProperty("height", "auto");
  box.style.setProperty("height", `${Math.min(box.scrollHeight + 2, 220)}px`);
}

/** How long the question is, where that nears what is taken. */
function tooLong(box) {
  const most = session.start?.most.question ?? 2000;
  const note = find("length");
  note.hidden = box.value.length < most * 0.8;
  note.textContent = `${box.value.length.toLocaleString("en")} of ${most.toLocaleString("en")} characters`;
  note.classList.toggle("problem", box.value.length > most);
  box.setAttribute("aria-invalid", String(box.value.length > most));
}

/** Questions to begin with, and where their documents come from. */
export function drawOpening(start) {
  const place = find("examples");
  const questions = start.sample.questions.map((question) =>
    el("li", {}, el("button", { type: "button", class: "example", onclick: () => ask(question) }, question)),
  );
  const offer = [
    el("p", {}, start.documents ? "Ask your documents, or begin with the sample that comes along." : "There is nothing to search yet: bring your own documents, or begin with the sample that comes along."),
    el(
      "p",
      { class: "actions" },
      el("button", { type: "button", class: "first", onclick: () => actions.sample() }, `Bring in the sample (${count(start.sample.documents, "short text")})`),
      el("button", { type: "button", onclick: () => actions.documents() }, "Add documents"),
    ),
  ];
  put(place, start.sample.here ? [el("h2", {}, "Questions to the sample"), el("ul", { class: "examples" }, questions)] : offer);
  find("models").textContent = start.models ? `Language models: ${start.models}. Questions and passages go there.` : "";
}
