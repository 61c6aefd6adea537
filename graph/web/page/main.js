// Puts the page together: the three views, the keys, the token, and what the service says at the start.

import { hideSource } from "./answer.js";
import { closeStop, drawOpening, startAsking, stop } from "./ask.js";
import { drawMethods, startComparing, stopRace } from "./compare.js";
import { bringSample, drawDocuments, list, startDocuments } from "./documents.js";
import { find } from "./dom.js";
import { token } from "./http.js";
import { hideFailure } from "./notices.js";
import { onStart, refresh, report } from "./session.js";

const VIEWS = ["ask", "compare", "documents"];

function show() {
  const asked = location.hash.slice(1);
  const view = VIEWS.includes(asked) ? asked : "ask";
  if (view === "documents" && find("documents-view").hidden) list();
  for (const name of VIEWS) {
    find(`${name}-view`).hidden = name !== view;
    const link = document.querySelector(`nav a[href="#${name}"]`);
    if (name === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  hideSource();
}

const go = (view) => {
  location.hash = view;
  show(); // at once, as what is hidden takes no focus
};

async function sample() {
  go("documents");
  if (await bringSample()) {
    go("ask");
    hideFailure(find("failure"));
    find("opening").hidden = false;
    find("run").hidden = true;
    find("examples").querySelector("button")?.focus();
  }
}

/** Closes what is open; with nothing open it stops what this view is doing. */
function escape(event) {
  if (event.isComposing || event.defaultPrevented || document.querySelector("dialog[open]")) return;
  if (!find("source").hidden) return hideSource();
  if (closeStop() || document.querySelector("select:open")) return;
  if (!find("ask-view").hidden) stop();
  if (!find("compare-view").hidden) stopRace();
}

function keys(event) {
  if (event.key === "Escape") escape(event);
  const writing = event.target.closest?.("input, textarea, select, dialog[open]");
  if (event.key === "/" && !writing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    go("ask");
    find("question").focus();
    find("question").select();
  }
}

async function begin() {
  try {
    await refresh();
    hideFailure(find("failure"));
  } catch (error) {
    report(find("failure"), error, { again: begin });
  }
}

onStart((start) => {
  drawOpening(start);
  drawMethods(start);
  drawDocuments(start);
  find("sign-out").hidden = !token.get();
  find("count").textContent = start.documents.toLocaleString("en");
});

const others = { sample, documents: () => go("documents") };
startAsking(others);
startComparing(others);
startDocuments(() => go("documents"));
find("sign-out").addEventListener("click", () => {
  token.set("");
  location.reload();
});
find("home").addEventListener("click", () => {
  find("opening").hidden = false;
});
addEventListener("hashchange", show);
addEventListener("keydown", keys);
show();
begin();
if (!matchMedia("(pointer: coarse)").matches) find("question").focus();

