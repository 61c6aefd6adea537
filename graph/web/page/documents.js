// The documents: bringing some by dropping them anywhere on the page, listing them, taking one away.

import { count, el, find, put, time } from "./dom.js";
import { call, stream } from "./http.js";
import { hideFailure, showFailure } from "./notices.js";
import { askForToken, refresh, session } from "./session.js";

const PAGE = 50;
let offset = 0;
let busy = false;
let listing = 0; // requests for the list: only the latest one's reply is drawn

export function startDocuments(show) {
  const input = find("files");
  find("choose").addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    bring([...input.files]);
    input.value = "";
  });
  find("earlier").addEventListener("click", () => list(offset - PAGE));
  find("later").addEventListener("click", () => list(offset + PAGE));
  find("namespace-form").addEventListener("submit", (event) => {
    event.preventDefault();
    session.choose(find("namespace").value.trim());
    refresh().then(() => list(0), failed);
  });
  dropping(show);
}

/** Files may be dropped anywhere. */
function dropping(show) {
  let inside = 0;
  const over = (is) => document.body.classList.toggle("dropping", is);
  const holdsFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  addEventListener("dragenter", (event) => holdsFiles(event) && over(++inside > 0));
  addEventListener("dragleave", (event) => holdsFiles(event) && over(--inside > 0));
  addEventListener("dragover", (event) => holdsFiles(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    inside = 0;
    over(false);
    show();
    bring([...event.dataTransfer.files]);
  });
}

export function bring(files) {
  if (!files.length) return Promise.resolve(false);
  const form = new FormData();
  for (const file of files) form.append("files", file, file.name);
  return ingest(form, count(files.length, "file"), () => bring(files));
}

/** Puts the shipped sample into the namespace. */
export async function bringSample() {
  try {
    return await ingest(await call("/start/sample"), "the sample", bringSample);
  } catch (error) {
    failed(error, bringSample);
    return false;
  }
}

async function ingest(body, what, again) {
  if (busy) return false;
  busy = true;
  const bar = el("progress", { "aria-label": `Bringing in ${what}` });
  const said = el("span", {}, `Sending ${what} …`);
  hideFailure(find("documents-failure"));
  put(find("bringing"), bar, said);
  find("bringing").hidden = false;
  try {
    await stream(`/documents${session.query()}`, body, (name, data) => progress(name, data, bar, said));
    await Promise.all([refresh(), list(0)]);
    return true;
  } catch (error) {
    find("bringing").hidden = true;
    failed(error, again);
    return false;
  } finally {
    busy = false;
  }
}

function progress(name, data, bar, said) {
  if (name === "progress") {
    const total = data.bytes_total || 1;
    bar.max = total;
    bar.value = Math.min(data.bytes ?? 0, total);
    said.textContent = `${data.stage} … ${count(data.passages ?? 0, "passage")}`;
  }
  if (name !== "done") return;
  bar.remove();
  const failures = data.failures.map((failure) => el("li", {}, el("strong", {}, failure.source), ` ${failure.reason}`));
  const parts = ["added", "updated", "unchanged", "failed"].filter((part) => data[part]).map((part) => `${data[part].toLocaleString("en")} ${part}`);
  const took = data.timings_ms?.total ? ` in ${time(data.timings_ms.total)}` : "";
  put(find("bringing"), el("p", {}, `${parts.join(", ") || "Nothing came of it"}${took}.`), failures.length > 0 && el("ul", { class: "warnings" }, failures));
}

/** Shows a page of the list. */
export async function list(from = offset) {
  const mine = (listing += 1);
  offset = Math.max(0, from);
  hideFailure(find("documents-failure")); // now, not with the reply: what goes wrong meanwhile is to be read
  try {
    const found = await call(`/documents${session.query({ offset, limit: PAGE })}`);
    if (mine !== listing) return;
    if (offset && !found.documents.length) return list(offset - PAGE);
    drawList(found);
  } catch (error) {
    if (mine === listing) failed(error, () => list());
  }
}

function drawList({ namespace, total, passages, documents }) {
  const until = offset + documents.length;
  find("held").textContent = total
    ? `${count(total, "document")}, ${count(passages, "passage")} in namespace “${namespace}”`
    : `Namespace “${namespace}” holds no documents yet.`;
  put(find("list"), documents.map(line));
  find("pages").hidden = total <= PAGE;
  find("shown").textContent = `${offset + 1}–${until} of ${total.toLocaleString("en")}`;
  find("earlier").disabled = !offset;
  find("later").disabled = until >= total;
}

function line(document) {
  const remove = el("button", { type: "button", class: "bad small" }, "Delete");
  const title = document.title || document.id;
  remove.setAttribute("aria-label", `Delete ${title}`);
  remove.addEventListener("click", async () => {
    if (!remove.dataset.sure) {
      remove.dataset.sure = "yes";
      remove.textContent = "Really?";
      remove.setAttribute("aria-label", `Really delete ${title}?`);
      setTimeout(() => restore(remove, title), 4000);
      return;
    }
    remove.disabled = true;
    try {
      const id = encodeURIComponent(document.id); // slashes too: “a/../b” would be the address of “b”
      await call(`/documents/${id}${session.query()}`, { method: "DELETE" });
      await Promise.all([list(), refresh()]);
    } catch (error) {
      remove.disabled = false;
      failed(error, () => list());
    }
  });
  return el("li", {}, el("span", { class: "title" }, title, el("small", {}, document.id)), el("span", { class: "quiet" }, count(document.passages, "passage")), remove);
}

function restore(remove, title) {
  delete remove.dataset.sure;
  remove.textContent = "Delete";
  remove.setAttribute("aria-label", `Delete ${title}`);
}

function failed(error, again) {
  const signIn = () => askForToken().then((open) => open && again?.());
  showFailure(find("documents-failure"), error, { again, signIn });
  if (error.status === 401) signIn();
}

/** What stands around the list: which files are taken, and the namespace. */
export function drawDocuments(start) {
  const megabytes = Math.floor(start.most.upload / 1e6);
  find("files").setAttribute("accept", start.suffixes.flatMap((suffix) => [suffix, `${suffix}.gz`]).join(","));
  find("kinds").textContent = `${start.suffixes.join(", ")}, each also as .gz; up to ${megabytes} MB at once`;
  find("namespace-form").hidden = start.bound;
  find("namespace").value = start.namespace;
  put(find("namespaces"), start.namespaces.map((name) => el("option", { value: name })));
}
