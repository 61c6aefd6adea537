// A plan that waits: run it as it is, change it in a form or as JSON, or turn it down.

import { el, put } from "./dom.js";

const OPERATORS = ["lookup", "bridge", "filter", "compare", "aggregate", "verify"];

/** Shows the plan that waits; `decided(action, plan)` sends what was decided. */
export function showApproval(place, waits, decided) {
  let sent = false; // once, until the service refuses it
  const decide = (action, plan) => {
    if (sent) return;
    sent = true;
    decided(action, plan);
  };
  const editor = new Editor(waits.plan.nodes);
  const problem = el("p", { class: "problem", tabindex: -1, hidden: !waits.problem }, waits.problem);
  const refused = (sentence) => {
    sent = false;
    problem.textContent = sentence;
    problem.hidden = false;
    place.hidden = false;
    problem.focus(); // and so it is read out
  };
  const approve = el("button", { type: "button", class: "first", onclick: () => decide("approve") }, "Approve");
  const open = el("button", { type: "button", "aria-expanded": "false" }, "Edit …");
  const run = el("button", { type: "button", hidden: true, class: "first" }, "Run the edited plan");
  const panel = el("div", { hidden: true, class: "editor" }, editor.element);
  open.addEventListener("click", () => {
    panel.hidden = !panel.hidden;
    run.hidden = panel.hidden;
    approve.hidden = !panel.hidden;
    open.textContent = panel.hidden ? "Edit …" : "Leave it as it was";
    open.setAttribute("aria-expanded", String(!panel.hidden));
    if (!panel.hidden) panel.querySelector("[name=query]")?.focus();
    else editor.reset();
  });
  run.addEventListener("click", () => {
    try {
      decide("edit", editor.plan());
    } catch (error) {
      refused(`This is no JSON: ${error.message}.`);
    }
  });
  put(
    place,
    el("h2", { tabindex: -1 }, "May this plan be run?"),
    el("p", { class: "quiet" }, "Nothing but the question itself has been searched yet. The plan waits, also if the server is restarted."),
    problem,
    panel,
    el(
      "p",
      { class: "actions" },
      approve,
      run,
      open,
      el("button", { type: "button", class: "bad", onclick: () => decide("reject") }, "Reject"),
    ),
  );
  place.hidden = false;
  (waits.problem ? problem : place.querySelector("h2")).focus({ preventScroll: true });
  return { refused }; // the service refused the edit: its sentence is shown, and the edit stays
}

class Editor {
  constructor(nodes) {
    this.given = nodes;
    this.rows = el("div", { class: "rows" });
    this.json = el("textarea", { rows: 14, spellcheck: "false", "aria-label": "The plan as JSON" });
    this.form = el("div", {}, this.rows, el("button", { type: "button", onclick: () => this.addRow() }, "Add a search"));
    this.swap = el("button", { type: "button", class: "link", onclick: () => this.switch() });
    this.element = el("div", {}, this.form, this.json, el("p", {}, this.swap));
    this.reset();
  }

  reset() {
    this.asForm(true);
    put(this.rows, this.given.map((node) => row(node)));
  }

  asForm(is) {
    this.form.hidden = !is;
    this.json.hidden = is;
    this.swap.textContent = is ? "Edit as JSON" : "Edit as a form";
  }

  switch() {
    if (this.json.hidden) {
      this.json.value = JSON.stringify(this.plan(), null, 2);
      return this.asForm(false);
    }
    try {
      put(this.rows, this.plan().nodes.map((node) => row(node)));
      this.asForm(true);
    } catch (error) {
      this.json.setCustomValidity(`This is no plan: ${error.message}`);
      this.json.reportValidity();
      this.json.setCustomValidity("");
    }
  }

  addRow() {
    const ids = this.plan().nodes.map((node) => Number(/^n(\d+)$/.exec(node.id)?.[1] ?? 0));
    const added = row({ id: `n${Math.max(0, ...ids) + 1}`, op: "lookup", query: "", depends_on: [] });
    this.rows.append(added);
    added.querySelector("[name=query]").focus();
  }

  /** What stands in the editor. Throws where it is no JSON. */
  plan() {
    if (!this.json.hidden) return JSON.parse(this.json.value);
    const value = (element, name) => element.querySelector(`[name=${name}]`).value.trim();
    return {
      nodes: [...this.rows.children].map((element) => ({
        id: value(element, "id"),
        op: value(element, "op"),
        query: value(element, "query"),
        depends_on: value(element, "depends_on").split(/[\s,]+/).filter(Boolean),
        ...(element.dataset.confidence ? { confidence: Number(element.dataset.confidence) } : {}),
      })),
    };
  }
}

function row(node) {
  const field = (name, label, control) => el("label", { class: name }, el("span", {}, label), control);
  const text = (name, value) => el("input", { name, value, autocomplete: "off", spellcheck: "false" });
  const made = el(
    "fieldset",
    { "data-confidence": node.confidence },
    el("legend", { class: "hidden" }, `Search ${node.id}`),
    field("id", "Id", text("id", node.id)),
    field(
      "op",
      "What it does",
      el("select", { name: "op" }, OPERATORS.map((op) => el("option", { selected: op === node.op }, op))),
    ),
    field("query", "Query; {n1} stands for what search n1 found", text("query", node.query)),
    field("depends_on", "Waits for", text("depends_on", (node.depends_on ?? []).join(", "))),
    el("button", { type: "button", class: "remove", "aria-label": `Remove search ${node.id}`, onclick: () => made.remove() }, "×"),
  );
  return made;
}
