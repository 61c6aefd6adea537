// The plan as a map of lines: a stop for each search, from the question to the answer, lit as it is searched.

import { count, el, percent, put, svg, time } from "./dom.js";
import { ANSWER, columns, END, QUESTION, rows } from "./layout.js";
import { bound } from "./run.js";
import { clipped, font, lines } from "./words.js";

const NARROW = 620;
const MARGIN = 6; // around the map, for outlines
const PAD = 12;
const SIZE = 14;
const LEADING = 19;

export class PlanMap {
  /** Draws into `place`, and what a chosen search found into `details`. */
  constructor(place, details) {
    this.place = place;
    this.details = details;
    this.groups = new Map();
    this.chosen = "";
    this.run = null;
    this.edges = svg("g", { class: "edges", "aria-hidden": "true" });
    this.stops = svg("g");
    this.ends = svg("g", { "aria-hidden": "true" });
    this.drawing = svg("svg", { class: "map", role: "group" }, this.edges, this.ends, this.stops);
    place.append(this.drawing);
    new ResizeObserver(() => this.run && this.draw(this.run)).observe(place);
  }

  draw(run) {
    if (this.run !== run) this.forget();
    this.run = run;
    const nodes = searches(run);
    const room = Math.max(280, this.place.clientWidth - 2 * MARGIN);
    this.family = font(this.place);
    const faces = new Map(nodes.map((node) => [node.id, null]));
    const height = (node, width) => {
      const face = this.face(node, width);
      faces.set(node.id, face);
      return face.height;
    };
    const map = (room < NARROW ? rows : columns)(nodes, room, height);
    this.drawing.setAttribute("viewBox", `0 0 ${map.width} ${map.height}`);
    this.drawing.setAttribute("width", map.width);
    this.drawing.setAttribute("height", map.height);
    this.drawing.setAttribute("aria-label", `Plan of ${count(nodes.length, "search", "searches")}`);
    this.drawEdges(nodes, map);
    this.drawEnds(map);
    for (const node of nodes) this.drawStop(node, map.boxes.get(node.id), faces.get(node.id));
    for (const [id, kept] of this.groups) {
      if (!faces.has(id)) {
        kept.group.remove();
        this.groups.delete(id);
      }
    }
    this.describe();
  }

  forget() {
    this.groups.clear();
    this.chosen = "";
    put(this.stops);
    put(this.details);
  }

  /** Closes what is shown of a chosen search; whether there was one. */
  close() {
    const open = this.groups.get(this.chosen);
    if (!open) return false;
    if (this.details.contains(document.activeElement)) open.group.focus();
    this.chosen = "";
    this.draw(this.run);
    return true;
  }

  /** What stands on a stop, broken into lines, and how tall it is. */
  face(node, width) {
    const hop = this.run.hops.get(node.id);
    const values = bound(hop);
    const said = node.id === "n0" ? "the question as it stands" : (hop?.query ?? node.query);
    const query = lines(said, width - 2 * PAD, SIZE, this.family, 3, values.map((binding) => binding.text));
    const under = values.map((b) => clipped(`${b.node} is ${b.text}, ${percent(b.probability)}`, width - 2 * PAD, 12, this.family));
    const [state, status] = condition(this.run, node.id);
    const height = 46 + query.length * LEADING + under.length * 16 + 8;
    return { query, under, state, status: clipped(status, width - 2 * PAD, 12, this.family), full: status, said, height };
  }

  drawStop(node, box, face) {
    const hop = this.run.hops.get(node.id);
    const kept = this.groups.get(node.id) ?? this.newStop(node.id);
    const chosen = this.chosen === node.id;
    kept.fresh ||= kept.state === "searching" && face.state === "found";
    kept.state = face.state;
    kept.group.setAttribute("class", ["stop", face.state, chosen && "chosen", kept.fresh && "fresh"].filter(Boolean).join(" "));
    kept.group.setAttribute("aria-expanded", String(chosen));
    kept.group.setAttribute("aria-label", `${node.id}, ${node.op}: ${face.said}. ${face.full}`);
    const signature = JSON.stringify([box, face]);
    if (kept.signature === signature) return;
    kept.signature = signature;
    kept.group.setAttribute("transform", `translate(${box.x},${box.y})`);
    kept.box.setAttribute("width", box.w);
    kept.box.setAttribute("height", box.h);
    const took = hop?.ms !== undefined && hop.state !== "searching" ? time(hop.ms) : "";
    let y = 42;
    put(
      kept.words,
      svg("text", { class: "id", x: PAD + 17, y: 22 }, node.id),
      svg("text", { class: "op", x: PAD + 17 + 9 * node.id.length + 6, y: 22 }, node.id === "n0" ? "probe" : node.op),
      svg("text", { class: "ms", x: box.w - PAD, y: 22 }, took),
      face.query.map((line, place) => words(line, PAD, (y = 42 + place * LEADING))),
      face.under.map((text) => svg("text", { class: "bound", x: PAD, y: (y += 17) }, text)),
      svg("text", { class: "status", x: PAD, y: box.h - 10 }, face.status),
    );
  }

  newStop(id) {
    const choose = () => {
      this.chosen = this.chosen === id ? "" : id;
      this.draw(this.run);
    };
    const kept = { signature: "", state: "", fresh: false, words: svg("g"), box: svg("rect", { class: "box", rx: 10 }) };
    kept.group = svg(
      "g",
      {
        tabindex: 0,
        role: "button",
        "aria-controls": this.details.id,
        "data-id": id,
        onclick: choose,
        onkeydown: (event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          choose();
        },
      },
      kept.box,
      svg("circle", { class: "lamp", cx: PAD + 5, cy: 18, r: 5 }),
      kept.words,
    );
    kept.box.addEventListener("animationend", () => {
      kept.fresh = false;
      kept.group.classList.remove("fresh");
    });
    this.stops.append(kept.group);
    this.groups.set(id, kept);
    return kept;
  }

  drawEdges(nodes, map) {
    const known = new Set(nodes.map((node) => node.id));
    const line = (from, to, kind) => svg("path", { d: map.edge(from, to), class: kind });
    const written = this.run.text || this.run.result ? "lit" : "";
    const incoming = nodes.flatMap((node) => {
      const parents = node.depends_on.filter((id) => known.has(id));
      const state = condition(this.run, node.id)[0];
      const kind = { searching: "live", found: "lit", dropped: "off", empty: "off", failed: "off" }[state] ?? "";
      return (parents.length ? parents : [QUESTION]).map((id) => line(id, node.id, kind));
    });
    const outgoing = map.ends.map((id) => {
      const found = this.run.hops.get(id)?.state === "found";
      return line(id, ANSWER, found ? written : "off");
    });
    put(this.edges, incoming, outgoing);
  }

  drawEnds(map) {
    const done = this.run.status === "done";
    const end = (place, kind, mark) => [
      svg("circle", { class: `end ${kind}`, cx: place.x, cy: place.y, r: END / 2 - 2 }),
      svg("text", { class: `mark ${kind}`, x: place.x, y: place.y + 5 }, mark),
    ];
    const sure = done && this.run.result.answer ? "lit" : "";
    put(this.ends, end(map.question, "lit", "?"), end(map.answer, sure, done ? (sure ? "✓" : "–") : "…"));
  }

  /** What the chosen search asked, was bound to, and found. */
  describe() {
    const hop = this.run.hops.get(this.chosen);
    const node = searches(this.run).find((other) => other.id === this.chosen);
    if (!node) return put(this.details);
    const dropped = this.run.dropped.get(node.id);
    const rowsOf = [
      ["planned as", node.query],
      hop?.query && hop.query !== node.query && ["searched as", hop.query],
      ...(hop?.bindings ?? []).map((b) => [`${b.node} may be`, `${b.text} (${percent(b.probability)}): “${b.sentence}”`]),
      dropped && ["not searched", dropped],
      hop?.error && ["went wrong", hop.error],
    ].filter(Boolean);
    const found = (hop?.passages ?? []).map((passage) =>
      el("li", {}, el("span", {}, passage.title || "untitled"), el("span", { class: "quiet" }, ` ${percent(passage.score)}`)),
    );
    put(
      this.details,
      el("h3", {}, el("code", {}, node.id), ` ${node.op}`),
      el("dl", { class: "pairs" }, rowsOf.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
      found.length > 0 && [el("h4", {}, "Passages found, best first"), el("ol", {}, found)],
    );
  }
}

function words(line, x, y) {
  const spans = line.map((word, place) =>
    svg("tspan", { class: word.marked ? "value" : null }, place ? ` ${word.text}` : word.text),
  );
  return svg("text", { class: "query", x, y }, spans);
}

/** The nodes of the plan, and the question itself where it is searched too. */
export function searches(run) {
  const probe = { id: "n0", op: "lookup", query: run.question, depends_on: [] };
  const known = new Set(run.nodes.map((node) => node.id));
  const others = [...run.hops.values()].filter((hop) => hop.id !== "n0" && !known.has(hop.id)).map(unplanned);
  return [...run.nodes, ...others, ...(run.hops.has("n0") ? [probe] : [])];
}

function unplanned(hop) {
  return { id: hop.id, op: "search", query: hop.planned ?? hop.query, depends_on: bound(hop).map((b) => b.node) };
}

function condition(run, id) {
  const hop = run.hops.get(id);
  if (run.dropped.has(id)) return ["dropped", `not searched: ${run.dropped.get(id)}`];
  if (!hop) return ["idle", ["done", "failed", "stopped"].includes(run.status) ? "not searched" : "waiting"];
  if (hop.state === "stopped") return ["idle", "stopped"];
  if (hop.state === "searching") return ["searching", "searching …"];
  if (hop.state === "failed") return ["failed", hop.error];
  return hop.state === "empty" ? ["empty", "nothing found"] : ["found", count(hop.passages.length, "passage")];
}
