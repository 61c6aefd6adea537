// Light or dark, before anything is drawn: what was chosen here, else what the system prefers.
// A plain script, not a module, so that no page flashes in the wrong colours.
"use strict";

(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const shown = () => root.dataset.theme || (system.matches ? "dark" : "light");

  function chosen() {
    try {
      return localStorage.getItem("lookahead-theme");
    } catch {
      return null; // a browser that keeps nothing
    }
  }

  function label() {
    const button = document.getElementById("theme");
    if (button) button.setAttribute("aria-label", `Switch to ${shown() === "dark" ? "light" : "dark"} colours`);
  }

  if (["light", "dark"].includes(chosen())) root.dataset.theme = chosen();
  system.addEventListener("change", label);
  addEventListener("DOMContentLoaded", () => {
    label();
    document.getElementById("theme").addEventListener("click", () => {
      root.dataset.theme = shown() === "dark" ? "light" : "dark";
      try {
        localStorage.setItem("lookahead-theme", root.dataset.theme);
      } catch {
        // it then lasts as long as the page
      }
      label();
    });
  });
})();
