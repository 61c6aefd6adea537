// Put into the page before its own scripts by page_browser.py: what can be read on it, and what was seen and heard in the course of a run.
window.checks = (() => {
  function channels(text) {
    const found = /rgba?\(([^)]+)\)/.exec(text) ?? /color\(srgb ([^)]+)\)/.exec(text);
    if (!found) return null;
    const parts = found[1].split(/[ ,/]+/).map(Number);
    const scale = text.startsWith("color") ? 255 : 1;
    return [parts[0] * scale, parts[1] * scale, parts[2] * scale, parts[3] ?? 1];
  }

  /** Relative luminance, as WCAG 2 has it. */
  function light(color) {
    const linear = (c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = color.map((channel) => linear(channel / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  /** The colour behind an element. */
  function behind(element) {
    const drawing = element.closest("svg");
    const shape = element.matches(".mark")
      ? drawing.querySelector(element.matches(".lit") ? ".end.lit" : ".end:not(.lit)")
      : drawing && element.closest(".stop")?.querySelector(".box");
    if (shape) return channels(getComputedStyle(shape).fill);
    for (let at = element; at; at = at.parentElement) {
      const color = channels(getComputedStyle(at).backgroundColor);
      if (color && color[3] > 0.99) return color;
    }
    return [255, 255, 255, 1];
  }

  /** Texts that stand out less than 4.5 : 1. */
  function faint() {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = walker.currentNode.data.trim();
      const element = walker.currentNode.parentElement;
      if (!text || element.closest("script, option, noscript, meter, .hidden, .dropzone, :disabled")) continue;
      if (!element.checkVisibility()) continue;
      const style = getComputedStyle(element);
      const color = channels(element.closest("svg") ? style.fill : style.color);
      const [a, b] = [light(color), light(behind(element))];
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < 4.5) found.push(`${text.slice(0, 40)}: ${ratio.toFixed(2)}`);
    }
    return found;
  }

  /** Controls that do not say what they are. */
  function nameless() {
    const name = (control) =>
      control.getAttribute("aria-label") ||
      [...(control.labels ?? [])].map((label) => label.textContent).join("") ||
      (control.matches("button, a, [role=button]") ? control.textContent : "");
    return [...document.querySelectorAll("input, select, textarea, button, a, progress, meter, [role=button]")]
      .filter((control) => control.checkVisibility() && !control.closest("[aria-hidden=true]") && !name(control).trim())
      .map((control) => control.outerHTML.slice(0, 80));
  }

  /** Notes from now on, each once and in order: "n1 searching", "n1 found", …, "answered". */
  function watch() {
    const seen = [];
    const note = (what) => seen.includes(what) || seen.push(what);
    new MutationObserver(() => {
      for (const stop of document.querySelectorAll(".stop[data-id]")) {
        note(`${stop.dataset.id} ${["searching", "found", "dropped", "idle"].find((state) => stop.classList.contains(state))}`);
      }
      if (document.querySelector("#said .short")) note("answered");
    }).observe(document.querySelector("#run"), { subtree: true, childList: true, attributes: true });
    return (checks.seen = seen);
  }

  const LIVE = "[role=status], [role=alert], [aria-live]:not([aria-live=off])";

  /** Notes what is read out by itself from now on, in order: what stands in a live region after each change of it. */
  function listen() {
    const heard = [];
    new MutationObserver((changes) => {
      const near = (node) => (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement);
      const changed = changes.flatMap((change) => [
        near(change.target)?.closest(LIVE),
        ...[...change.addedNodes].filter((node) => node.matches).flatMap((node) => [...node.querySelectorAll(LIVE), node.matches(LIVE) && node]),
      ]);
      for (const region of new Set(changed)) {
        const text = region && region.isConnected && region.checkVisibility() && region.textContent.trim();
        if (text) heard.push(text);
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true, attributeFilter: ["hidden"] });
    return (checks.heard = heard);
  }

  /** Live regions within live regions, which are read out twice. */
  const nested = () => [...document.querySelectorAll(LIVE)].filter((region) => region.parentElement.closest(LIVE)).map((region) => region.outerHTML);

  return { faint, nameless, watch, seen: [], listen, heard: [], nested };
})();
