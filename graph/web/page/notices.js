// What went wrong, in the service's own sentence, and what to do about it.

import { el, find, put } from "./dom.js";

/** Says a line, once, to those who hear the page. This and the sentence of a failure are all that is read out by itself. */
export function announce(said) {
  find("status").textContent = said;
}

/** Shows an error in `place`. `actions` may hold `again`, `signIn`, `sample` and `documents`, each a function. */
export function showFailure(place, failure, actions = {}) {
  const [stage, rest] = split(failure.message);
  const buttons = remedies(failure, actions).map(([text, act, wait]) => button(text, act, wait));
  const held = place.contains(document.activeElement);
  put(
    place,
    el("p", { role: "alert" }, stage && el("strong", {}, `${stage}: `), rest),
    buttons.length > 0 && el("p", { class: "actions" }, buttons),
  );
  place.hidden = false;
  if (held) place.querySelector("button")?.focus();
}

export function hideFailure(place) {
  place.hidden = true;
  put(place);
}

/** "stage" and sentence of an error as the service says it. */
function split(said) {
  const found = /^([a-z]{2,14}): (.+)$/s.exec(said);
  return found ? [found[1], found[2]] : ["", said];
}

function remedies(failure, { again, signIn, sample, documents }) {
  switch (failure.status) {
    case 401:
      return signIn ? [["Enter a token", signIn]] : [];
    case 404:
      return [sample && ["Bring in the sample", sample], documents && ["Add documents", documents]].filter(Boolean);
    case 429:
      return again ? [["Ask again", again, Math.max(1, failure.seconds)]] : [];
    case 422:
    case 413:
    case 403:
      return [];
    default:
      return again ? [["Try again", again]] : [];
  }
}

function button(text, act, wait = 0) {
  const made = el("button", { type: "button", onclick: act }, text);
  if (!wait) return made;
  let left = wait;
  const say = () => {
    made.disabled = left > 0;
    made.textContent = left > 0 ? `${text} in ${left} s` : text;
  };
  say();
  const counting = setInterval(() => {
    left -= 1;
    say();
    if (left <= 0 || !made.isConnected) clearInterval(counting); // it is over, or another notice stands there
  }, 1000);
  return made;
}
