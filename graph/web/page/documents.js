// The documents: choosing some or dropping them anywhere on the page, listing them, taking one away.

import { count, el, find, onceAtATime, put } from "./dom.js";
import { call } from "./http.js";
import { announce, hideFailure } from "./notices.js";
import { refresh, report, session } from "./session.js";
import { size } from "./taking.js";
import { bring, bringDocuments, startUploads } from "./uploads.js";

const PAGE = 50;
let offset = 0;
let listing = 0; // requests for the list: only the latest one's reply is drawn

export function startDocuments(show) {
  const input = find("files");
  find("choose").addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    take([...input.files]);
    input.value = "";
  });
  find("earlier").addEventListener("click", () => list(offset - PAGE).then(sayHeld));
  find("later").addEventListener("click", () => list(offset + PAGE).then(sayHeld));
  find("namespace-form").addEventListener("submit", (event) => {
    event.preventDefault();
    session.choose(find("namespace").value.trim());
    refresh().then(() => list(0).then(sayHeld), failed);
  });
  find("bring-sample").addEventListener("click", () => {
    find("nothing").hidden = true; // it is on its way
    find("choose").focus();
    bringSample();
  });
  startUploads(() => refresh().then(() => list(0), failed));
  dropping(show);
}

const sayHeld = () => announce(`${find("held").textContent} ${find("pages").hidden ? "" : find("shown").textContent}`.trim());

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
    take([...event.dataTransfer.files]);
  });
}

async function take(files) {
  try {
    if (!session.start) await refresh(); // what is taken is known from there
    bring(files);
  } catch (error) {
    failed(error, () => take(files));
  }
}

/** Puts the shipped sample into the namespace; whether it is there. */
export async function bringSample() {
  try {
    return await bringDocuments("the sample", await call("/start/sample"));
  } catch (error) {
    failed(error, bringSample);
    return false;
  }
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
    if (mine === listing) failed(error);
  }
}

function drawList({ namespace, total, passages, documents }) {
  const until = offset + documents.length;
  find("held").textContent = total
    ? `${count(total, "document")}, ${count(passages, "passage")} in namespace “${namespace}”`
    : `Namespace “${namespace}” holds no documents yet.`;
  find("nothing").hidden = total > 0;
  put(find("list"), documents.map(line));
  find("pages").hidden = total <= PAGE;
  find("shown").textContent = `${offset + 1}–${until} of ${total.toLocaleString("en")}`;
  find("earlier").disabled = !offset;
  find("later").disabled = until >= total;
}

function line(document) {
  const remove = onceAtATime(el("button", { type: "button", class: "bad small" }, "Delete")); // a double click is no “Really”
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
      const place = [...find("list").querySelectorAll("button")].indexOf(remove);
      await Promise.all([list(), refresh()]);
      const others = find("list").querySelectorAll("button");
      (others[Math.min(place, others.length - 1)] ?? find("choose")).focus(); // the button that had it is gone
      announce(`${title} was deleted. ${find("held").textContent}`);
    } catch (error) {
      remove.disabled = false;
      failed(error);
    }
  });
  return el("li", {}, el("span", { class: "title" }, el("bdi", {}, title), document.title && el("small", {}, document.id)), el("span", { class: "quiet" }, count(document.passages, "passage")), remove);
}

function restore(remove, title) {
  delete remove.dataset.sure;
  remove.textContent = "Delete";
  remove.setAttribute("aria-label", `Delete ${title}`);
}

const failed = (error, again = () => list()) => report(find("documents-failure"), error, { again });

/** What stands around the list: which files are taken, and the namespace. */
export function drawDocuments(start) {
  find("files").setAttribute("accept", start.suffixes.flatMap((suffix) => [suffix, `${suffix}.gz`]).join(","));
  find("kinds").textContent = `${start.suffixes.join(", ")}, each also as .gz; a document up to ${size(start.most.file)}, an upload up to ${size(start.most.upload)}`;
  find("namespace-form").hidden = start.bound;
  if (document.activeElement !== find("namespace")) find("namespace").value = start.namespace;
  put(find("namespaces"), start.namespaces.map((name) => el("option", { value: name })));
}
