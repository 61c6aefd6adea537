// Making elements. All text goes in as text: nothing that a document or a model wrote is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";

export const find = (id) => document.getElementById(id);

/** An element with attributes and children; `on…` attributes are listeners, null and false are left out. */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...shown(children));
  return element;
}

const shown = (children) => children.flat().filter((child) => child !== null && child !== undefined && child !== false);

export function put(parent, ...children) {
  parent.replaceChildren(...shown(children));
}

export function time(ms) {
  if (ms < 1) return "<1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s` : `${(ms / 60_000).toFixed(1)} min`;
}

export const percent = (share) => `${Math.round(share * 100)} %`;

export const count = (number, what, many = `${what}s`) => `${number.toLocaleString("en")} ${number === 1 ? what : many}`;

/** Dollars with two digits that say something. */
export function dollars(amount) {
  if (!amount) return "$0";
  const digits = Math.max(2, 1 - Math.floor(Math.log10(amount)));
  return `$${amount.toFixed(Math.min(digits, 10))}`;
}

/** The second and later clicks of a double click on `button` do nothing, whatever it has become meanwhile. */
export function onceAtATime(button) {
  button.addEventListener("click", (event) => {
    if (event.detail < 2) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  });
  return button;
}

/** Whether the person wants little to move. */
export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Calls `draw` once before the next frame, however often it is asked to. */
export function eachFrame(draw) {
  let asked = 0;
  return () => {
    if (!asked) {
      asked = requestAnimationFrame(() => {
        asked = 0;
        draw();
      });
    }
  };
}
