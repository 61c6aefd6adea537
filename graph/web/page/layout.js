// Where the searches of a plan stand: columns from left to right where there is room, else one under the other.
// Numbers in, numbers out; drawing is the map's business.

const GAP = 52;
const BETWEEN = 18;
const WIDEST = 300;
const NARROWEST = 178;
export const END = 30; // of the ends of the line: the question and the answer
export const QUESTION = "?";
export const ANSWER = "=";

/** Depth of each node: how many must be searched before it. */
export function depths(nodes) {
  const by = new Map(nodes.map((node) => [node.id, node]));
  const found = new Map();
  const depth = (id, seen) => {
    if (found.has(id) || !by.has(id) || seen.has(id)) return found.get(id) ?? 0;
    const parents = by.get(id).depends_on.filter((parent) => by.has(parent));
    const value = 1 + Math.max(-1, ...parents.map((parent) => depth(parent, new Set([...seen, id]))));
    found.set(id, value);
    return value;
  };
  for (const node of nodes) depth(node.id, new Set());
  return found;
}

/** Columns: `height(node, width)` says how tall a node's box is. Returns boxes, the two ends, and the size. */
export function columns(nodes, room, height) {
  const levels = layers(nodes);
  const number = Math.max(1, levels.length);
  const width = Math.max(NARROWEST, Math.min(WIDEST, (room - 2 * END - (number + 1) * GAP) / number));
  const boxes = new Map();
  let tallest = 2 * END;
  levels.forEach((level, place) => {
    const middle = (node) => {
      const parents = node.depends_on.map((id) => boxes.get(id)).filter(Boolean);
      return parents.length ? parents.reduce((sum, box) => sum + box.y + box.h / 2, 0) / parents.length : 0;
    };
    if (place) level.sort((a, b) => middle(a) - middle(b));
    let y = 0;
    for (const node of level) {
      const h = node.passes ? 6 : height(node, width);
      boxes.set(node.id, { x: END + GAP + place * (width + GAP), y, w: width, h });
      y += h + BETWEEN;
    }
    for (const node of level) boxes.get(node.id).y -= (y - BETWEEN) / 2; // around the line's middle
    tallest = Math.max(tallest, y - BETWEEN);
  });
  for (const box of boxes.values()) box.y += tallest / 2 + 1;
  const total = 2 * END + (number + 1) * GAP + number * width;
  const question = { x: END / 2, y: tallest / 2 + 1 };
  const answer = { x: total - END / 2, y: tallest / 2 + 1 };
  const edge = (from, to) => through(from, to, boxes, question, answer);
  return { boxes, question, answer, width: total, height: tallest + 2, edge, ends: leaves(nodes) };
}

/** Nodes by depth; a line that goes past a column gets a place there, so that it crosses no box. */
function layers(nodes) {
  const deep = depths(nodes);
  const last = Math.max(0, ...deep.values());
  const levels = Array.from({ length: last + 1 }, () => []);
  for (const node of nodes) levels[deep.get(node.id)].push(node);
  const pass = (from, to, until) => {
    let before = from;
    for (let level = deep.get(from) + 1; level < until; level += 1) {
      const id = `${from}>${to}@${level}`;
      levels[level].push({ id, depends_on: [before], passes: true });
      before = id;
    }
  };
  for (const node of nodes) for (const parent of node.depends_on) if (deep.has(parent)) pass(parent, node.id, deep.get(node.id));
  for (const id of leaves(nodes)) pass(id, ANSWER, last + 1);
  return levels;
}

/** The line from one id to another by way of the places kept for it. */
function through(from, to, boxes, question, answer) {
  const place = (id) => (id === QUESTION ? question : id === ANSWER ? answer : boxes.get(id));
  const between = [...boxes.keys()].filter((id) => id.startsWith(`${from}>${to}@`));
  const stops = [from, ...between, to].map(place);
  return stops.slice(1).map((stop, i) => sideways(stops[i], stop) + (between[i] ? ` H${stop.x + stop.w}` : "")).join(" ");
}

/** One under the other, children after their parents, each as deep as it waits. */
export function rows(nodes, room, height) {
  const deep = depths(nodes);
  const order = [];
  const visit = (node) => {
    if (order.includes(node)) return;
    if (node.depends_on.some((id) => !order.some((other) => other.id === id) && deep.has(id))) return;
    order.push(node);
    for (const child of nodes) if (child.depends_on.includes(node.id)) visit(child);
  };
  for (const node of nodes) if (!deep.get(node.id)) visit(node);
  for (const node of nodes) if (!order.includes(node)) order.push(node);
  const boxes = new Map();
  let y = END + 8;
  for (const node of order) {
    const x = 30 + Math.min(deep.get(node.id), 4) * 16;
    const h = height(node, room - x - 1);
    boxes.set(node.id, { x, y, w: room - x - 1, h });
    y += h + BETWEEN;
  }
  const question = { x: END / 2, y: END / 2 };
  const answer = { x: END / 2, y: y + END / 2 - 6 };
  const place = (id) => (id === QUESTION ? question : id === ANSWER ? answer : boxes.get(id));
  const edge = (from, to) => downwards(place(from), place(to));
  return { boxes, question, answer, width: room, height: y + END - 4, edge, ends: leaves(nodes) };
}

/** Nodes that no other waits for: from them the line goes on to the answer. */
function leaves(nodes) {
  const parents = new Set(nodes.flatMap((node) => node.depends_on));
  return nodes.filter((node) => !parents.has(node.id)).map((node) => node.id);
}

const port = (place, side) => (place.w === undefined ? place : { x: side < 0 ? place.x : place.x + place.w, y: place.y + place.h / 2 });

function sideways(from, to) {
  const a = port(from, 1);
  const b = port(to, -1);
  const bend = Math.min(60, (b.x - a.x) / 2 + 8);
  return `M${a.x},${a.y} C${a.x + bend},${a.y} ${b.x - bend},${b.y} ${b.x},${b.y}`;
}

/** Along the left of the boxes: out of one, down, and into the next. */
function downwards(from, to) {
  const fromY = from.w === undefined ? from.y : from.y + from.h / 2;
  const toY = to.w === undefined ? to.y : to.y + to.h / 2;
  const rail = to.w === undefined ? to.x : from.w === undefined ? from.x : from.x - 8;
  const out = from.w === undefined ? `M${rail},${fromY}` : `M${from.x},${fromY} H${rail + 6} Q${rail},${fromY} ${rail},${fromY + 6}`;
  return to.w === undefined ? `${out} V${toY}` : `${out} V${toY - 8} Q${rail},${toY} ${rail + 8},${toY} H${to.x}`;
}
