// The passages that the answer is written from, each a card, the cited sentences marked.

import { calm, count, el, put } from "./dom.js";

/** Draws the cards: before the answer those that were read, then the cited ones first and the others folded away. */
export function drawEvidence(place, run) {
  const citations = run.result?.citations ?? [];
  const order = (card) => citations.findIndex((citation) => card.ids.includes(citation.id));
  const cited = run.evidence.filter((card) => order(card) >= 0).sort((a, b) => order(a) - order(b));
  const others = run.evidence.filter((card) => !cited.includes(card)).sort((a, b) => b.score - a.score);
  const cards = (list) => el("ul", { class: "cards" }, list.map((card) => el("li", {}, drawn(card, citations))));
  if (!run.result) return put(place, run.evidence.length ? cards(others) : waiting(run));
  const kept = place.querySelector("details")?.open ?? false;
  put(
    place,
    cited.length ? cards(cited) : el("p", { class: "quiet" }, "Nothing is cited."),
    others.length > 0 && el("details", { open: kept }, el("summary", {}, `${count(others.length, "passage")} read and not cited`), cards(others)),
  );
}

function waiting(run) {
  const titles = [...run.hops.values()].flatMap((hop) => hop.passages.map((passage) => passage.title || "untitled"));
  const found = [...new Set(titles)];
  if (!found.length) return el("p", { class: "quiet" }, "Nothing found yet.");
  return el("ul", { class: "titles", "aria-label": "Found so far" }, found.slice(0, 12).map((title) => el("li", {}, title)));
}

function drawn(card, citations) {
  const sentences = citations.filter((citation) => card.ids.includes(citation.id)).map((citation) => citation.text);
  return el(
    "article",
    { class: sentences.length ? "card cited" : "card", tabindex: -1, "data-ids": card.ids.join(" ") },
    el(
      "h3",
      {},
      el("bdi", {}, card.title || "untitled"),
      card.ids.map((id) => el("code", {}, id)),
    ),
    el("p", {}, marked(card.text, sentences)),
    el("footer", {}, el("span", {}, card.document_id), card.compressed && el("span", {}, "cut to what matters here")),
  );
}

/** The text with the sentences that are cited marked in it. */
export function marked(text, sentences) {
  const spans = sentences
    .map((sentence) => [text.indexOf(sentence), sentence.length])
    .filter(([from]) => from >= 0)
    .sort((a, b) => a[0] - b[0]);
  const parts = [];
  let at = 0;
  for (const [from, length] of spans) {
    if (from < at) continue;
    parts.push(text.slice(at, from), el("mark", {}, text.slice(from, from + length)));
    at = from + length;
  }
  return [...parts, text.slice(at)];
}

/** Shows the card of a citation. */
export function openCard(place, id) {
  const card = [...place.querySelectorAll(".card")].find((one) => one.dataset.ids.split(" ").includes(id));
  if (!card) return;
  const folded = card.closest("details");
  if (folded) folded.open = true;
  for (const other of place.querySelectorAll(".shown")) other.classList.remove("shown");
  card.classList.add("shown");
  card.scrollIntoView({ block: "center", behavior: calm() ? "auto" : "smooth" });
  card.focus({ preventScroll: true });
}
