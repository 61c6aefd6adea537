"use strict";
// Sorts the tables and fills the list of failures. Texts come from documents of strangers: they go onto the page through
// textContent only, never as markup. Keys of the data are explained in failures_data.py.

const make = (tag, className, ...children) => {
  const made = document.createElement(tag);
  if (className) made.className = className;
  for (const child of children) if (child !== null && child !== undefined) made.append(child);
  return made;
};
const text = (value, className = "t") => make("span", className, String(value));

// Tables: a click on a head sorts by it, another one turns the order round; what has no value stays last.
function sortBy(head) {
  const table = head.closest("table"), column = [...head.parentNode.children].indexOf(head);
  const rising = head.getAttribute("aria-sort") === "descending" || (column === 0 && !head.hasAttribute("aria-sort"));
  for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", rising ? "ascending" : "descending");
  const key = row => {
    const cell = row.children[column];
    return column === 0 ? cell.textContent : cell.dataset.v === undefined ? null : Number(cell.dataset.v);
  };
  const order = (a, b) => {
    const [x, y] = [key(a), key(b)];
    if (x === null || y === null) return (x === null) - (y === null);
    return (x > y ? 1 : x < y ? -1 : 0) * (rising ? 1 : -1);
  };
  const body = table.tBodies[0];
  body.append(...[...body.rows].sort(order));
}
for (const head of document.querySelectorAll("section > .scroll thead th")) {
  head.querySelector("button").addEventListener("click", () => sortBy(head));
}

// Failures.
const DATA = JSON.parse(document.getElementById("failures-data").textContent);
const PAGE = 50;
const list = document.getElementById("list"), count = document.getElementById("count");
const fields = {};
let shown = PAGE;

function choice(name, label, options) {
  const select = make("select");
  for (const [value, said] of options) select.append(new Option(said, value));
  fields[name] = select;
  return make("label", "", label, select);
}
function filters() {
  const form = document.getElementById("filters");
  const types = [...new Set(DATA.questions.map(question => question.t).filter(Boolean))].sort();
  const methods = DATA.methods.map((name, number) => [number, name]);
  const search = make("input");
  search.type = "search";
  fields.words = search;
  form.append(
    choice("wrong", "wrong by", [["", "any method"], ...methods]),
    choice("cause", "cause", [["", "any"], ...Object.keys(DATA.causes).map(cause => [cause, cause])]),
    choice("right", "and right by", [["", "–"], ...methods]),
    choice("type", "type", [["", "any"], ...types.map(type => [type, type])]),
    make("label", "", "words in question or answers", search),
  );
  form.addEventListener("submit", event => event.preventDefault());
  form.addEventListener("input", () => { shown = PAGE; refill(); });
}
function wanted(question) {
  const {wrong, cause, right, type, words} = Object.fromEntries(Object.entries(fields).map(([k, f]) => [k, f.value]));
  const failed = question.m.filter((answer, n) => answer && answer.c && (wrong === "" || n === Number(wrong)));
  if (!failed.some(answer => cause === "" || answer.c === cause)) return false;
  if (right !== "" && (!question.m[Number(right)] || question.m[Number(right)].c)) return false;
  if (type !== "" && question.t !== type) return false;
  const all = [question.q, question.i, ...question.g, ...question.m.map(answer => answer ? answer.a || "" : "")];
  return words.trim() === "" || all.join("\n").toLowerCase().includes(words.trim().toLowerCase());
}
function refill() {
  const found = DATA.questions.filter(wanted);
  count.textContent = `${found.length} of ${DATA.questions.length} questions`;
  list.replaceChildren(...found.slice(0, shown).map(item));
  if (found.length > shown) {
    const more = make("button", "more", `Show ${Math.min(PAGE, found.length - shown)} more`);
    more.type = "button";
    more.addEventListener("click", () => {
      const next = shown;
      shown += PAGE;
      refill();
      list.children[next].querySelector("summary").focus();
    });
    list.append(more);
  }
}
function item(question) {
  const chips = make("span", "chips");
  question.m.forEach((answer, n) => {
    if (!answer) return;
    const said = answer.c ? `✗ ${DATA.methods[n]}: ${answer.c}` : `✓ ${DATA.methods[n]}`;
    chips.append(text(said, answer.c ? "chip wrong" : "chip right"));
  });
  const made = make("details", "item", make("summary", "", text(question.q), chips));
  made.addEventListener("toggle", () => { if (made.open && made.children.length === 1) made.append(body(question)); });
  return made;
}
function body(question) {
  const made = make("div", "body");
  const golds = question.u ? "none: the question has no answer" : question.g.join(" | ");
  made.append(line("gold answer", golds));
  if (question.d.length) made.append(line("gold passages", question.d.join(" → ")));
  if (question.s.length) made.append(line("gold steps", question.s.map(([q, a]) => a ? `${q} → ${a}` : q).join("; ")));
  made.append(line("question", [question.i, question.t, question.h ? `${question.h} hops` : ""].filter(Boolean).join(" · ")));
  made.append(answers(question));
  question.m.forEach((answer, n) => { if (answer) made.append(run(answer, DATA.methods[n])); });
  return made;
}
function line(name, value) {
  return make("p", "meta", make("b", "", `${name}: `), text(value));
}
function answers(question) {
  const rows = make("tbody");
  question.m.forEach((answer, n) => {
    if (!answer) return;
    const said = answer.e ? text(answer.e, "t problem") : text(answer.a || "–");
    const verdict = text(answer.c ? `✗ ${answer.c}` : "✓ right", answer.c ? "wrong" : "right");
    const head = make("th", "", DATA.methods[n]);
    head.scope = "row";
    const name = answer.b ? make("span", "", said, text(" (declined)", "note")) : said;
    const share = answer.p === undefined ? "–" : `${Math.round(100 * answer.p)} %`;
    rows.append(make("tr", "", head, ...[name, verdict, (answer.f || 0).toFixed(2), share, answer.l ?? "–"].map(cell => make("td", "", cell))));
  });
  const heads = make("tr");
  for (const name of ["method", "answer", "verdict", "F1", "confidence", "LLM calls"]) {
    const head = make("th", "", name);
    head.scope = "col";
    heads.append(head);
  }
  return make("div", "scroll", make("table", "answers", make("thead", "", heads), rows));
}
function run(answer, method) {
  const made = make("details", "run", make("summary", "", `${method}: what it did`));
  made.addEventListener("toggle", () => { if (made.open && made.children.length === 1) made.append(...parts(answer)); });
  return made;
}
function parts(answer) {
  const found = [];
  const part = (name, content) => found.push(make("h4", "", name), content);
  if (answer.x) part("Explanation", make("p", "", text(answer.x)));
  if (answer.j) part("Judge", make("p", "", text(answer.j)));
  if (answer.n) part("Plan", tree(answer.n));
  if (answer.s) part("Steps", make("ol", "", ...answer.s.map(step)));
  if (answer.o) part("Hops", make("ul", "", ...answer.o.map(hop)));
  if (answer.r) part("Searched again", make("ul", "", ...answer.r.map(query => make("li", "", text(query)))));
  if (answer.v) part("Evidence, cited sentences marked", make("div", "", ...answer.v.map(passage)));
  if (answer.w) part("Warnings", make("ul", "", ...answer.w.map(warning => make("li", "", text(warning)))));
  return found.length ? found : [make("p", "note", "Nothing was recorded.")];
}
// Each node stands under the last of its parents; further parents are named in it.
function tree(nodes) {
  const root = make("ul"), places = new Map();
  for (const [id, op, query, parents] of nodes) {
    const known = parents.filter(parent => places.has(parent)), under = known.at(-1);
    const also = known.length > 1 ? text(`after ${known.join(", ")}`, "op") : null;
    const place = make("li", "", text(id, "id"), text(op, "op"), also, text(query));
    if (under === undefined) root.append(place);
    else {
      const parent = places.get(under);
      if (!parent.querySelector(":scope > ul")) parent.append(make("ul"));
      parent.querySelector(":scope > ul").append(place);
    }
    places.set(id, place);
  }
  return root;
}
function step([action, query, thought, came]) {
  const made = make("li", "", text(action, "op"), text(query));
  if (thought) made.append(make("br"), text(thought, "t note"));
  if (came) made.append(make("br"), text(`→ ${came}`, "t note"));
  return made;
}
function hop([id, query, bound, titles, error]) {
  const made = make("li", "", text(id, "id"), text(query));
  for (const [node, value, share] of bound) {
    made.append(make("br"), `{${node}} = `, text(value, "t bound"), text(` ${Math.round(100 * share)} %`, "note"));
  }
  if (titles.length) made.append(make("br"), text(titles.join(" · "), "t note"));
  if (error) made.append(make("br"), text(error, "t problem"));
  return made;
}
function passage([ids, title, number, gold, marks]) {
  const made = make("p", "passage", text(ids, "id"), make("b", "", text(title)), gold ? text("gold", "gold") : null, make("br"));
  const whole = DATA.texts[number], shownText = make("span", "t");
  let at = 0;
  for (const [start, end] of marks) {
    shownText.append(whole.slice(at, start), make("mark", "", whole.slice(start, end)));
    at = end;
  }
  shownText.append(whole.slice(at));
  made.append(shownText);
  return made;
}

filters();
refill();
