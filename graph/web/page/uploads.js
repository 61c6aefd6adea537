// Documents on their way to the service: one request at a time, the others wait; what fails can be sent again.

import { count, el, find, put, time } from "./dom.js";
import { Failure, stream } from "./http.js";
import { announce } from "./notices.js";
import { report, session } from "./session.js";
import { size, sorted, unreadable } from "./taking.js";

const FINAL = [403, 413, 422]; // the service will not take it the next time either
const waiting = [];
let running = null;
let stuck = null; // it failed, and the others wait until it is sent again
let arrived = () => {};

/** `then` is called with each request that came in. */
export function startUploads(then) {
  arrived = then;
}

/** Sends files, after those that are on their way already; those that cannot be taken are named and left out. */
export function bring(files) {
  if (!files.length) return;
  const { groups, refused } = sorted(files, session.start);
  tidy();
  put(find("refused"), refused.length > 0 && el("ul", { class: "warnings" }, refused.map((sentence) => el("li", {}, sentence))));
  for (const group of groups) queue(group.length === 1 ? `“${group[0].name}”` : count(group.length, "file"), group, () => form(group));
}

/** Sends documents as they are; resolves when they have come in, or to false when they never will. */
export function bringDocuments(what, body) {
  tidy();
  return queue(what, [], () => body);
}

function form(files) {
  const made = new FormData();
  for (const file of files) made.append("files", file, file.name);
  return made;
}

/** Lines of what is over are taken away when something new comes and nothing else is under way. */
function tidy() {
  if (!running && !waiting.length && !stuck) put(find("bringing"));
}

function queue(what, files, body) {
  const job = { what, files, body, query: session.query(), line: el("li", {}) };
  find("bringing").append(job.line);
  return new Promise((resolve) => {
    job.resolve = resolve;
    waiting.push(job);
    if (running || stuck) drawWaiting(job);
    if (!running) again();
  });
}

/** Goes on, with what had failed first. */
function again() {
  if (stuck) waiting.unshift(stuck);
  stuck = null;
  next();
}

async function next() {
  if (running || stuck || !waiting.length) return;
  const job = (running = waiting.shift());
  const draw = drawSending(job);
  let last = null;
  try {
    const gone = await unreadable(job.files);
    if (gone) throw new Failure(`“${gone.name}” cannot be read: it was changed or taken away, or it is a folder; choose it again.`, 422);
    await stream(`/documents${job.query}`, job.body(), (name, data) => {
      if (name === "done") last = data;
      else draw(name, data);
    });
    drawDone(job, last);
    running = null;
    await arrived();
    job.resolve(true);
  } catch (error) {
    running = null;
    failed(job, error);
  }
  next();
}

function failed(job, error) {
  const final = FINAL.includes(error.status);
  if (final) job.resolve(false);
  else stuck = job;
  const place = el("div", { class: "failure", hidden: true });
  put(job.line, el("strong", {}, `${name(job)} did not come in.`), place);
  report(place, error, { again });
}

const name = (job) => job.what[0].toUpperCase() + job.what.slice(1);

function drawWaiting(job) {
  const said = `${name(job)}${bytes(job)}: waiting`;
  put(job.line, el("span", { class: "quiet" }, said));
  announce(said);
}

const bytes = ({ files }) => (files.length ? `, ${size(files.reduce((sum, file) => sum + file.size, 0))}` : "");

/** Draws a request under way, and hands back what draws its progress. */
function drawSending(job) {
  const bar = el("progress", { "aria-label": "Progress" });
  const said = el("span", {}, `Sending ${job.what}${bytes(job)} …`);
  put(job.line, bar, said);
  announce(said.textContent);
  return (event, data) => {
    if (event !== "progress") return;
    bar.max = data.bytes_total || 1;
    bar.value = Math.min(data.bytes ?? 0, bar.max);
    said.textContent = `${name(job)}: ${data.stage} … ${count(data.passages ?? 0, "passage")}`;
  };
}

function drawDone(job, data) {
  const parts = ["added", "updated", "unchanged", "failed"].filter((part) => data[part]).map((part) => `${data[part].toLocaleString("en")} ${part}`);
  const took = data.timings_ms?.total ? ` in ${time(data.timings_ms.total)}` : "";
  const failures = data.failures.map((failure) => el("li", {}, el("strong", {}, failure.source), ` ${failure.reason}`));
  const said = `${name(job)}: ${parts.join(", ") || "nothing came of it"}${took}.`;
  announce(said);
  put(job.line, said, failures.length > 0 && el("ul", { class: "warnings" }, failures));
}
