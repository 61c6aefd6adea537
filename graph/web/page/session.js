// What holds for all of the page: the namespace, what the service says before anything is asked, and the token.

import { find } from "./dom.js";
import { call, token } from "./http.js";
import { showFailure } from "./notices.js";

const KEY = "lookahead-namespace";

export const session = {
  start: null, // the reply of GET /start
  get namespace() {
    return this.start?.bound ? null : sessionStorage.getItem(KEY) || null;
  },
  choose(namespace) {
    if (namespace) sessionStorage.setItem(KEY, namespace);
    else sessionStorage.removeItem(KEY);
  },
  /** The namespace as a part of an address. */
  query(more = {}) {
    const asked = new URLSearchParams(more);
    if (this.namespace) asked.set("namespace", this.namespace);
    const text = asked.toString();
    return text ? `?${text}` : "";
  },
};

const listeners = new Set();

/** Called with GET /start's reply each time it may have changed. */
export function onStart(listener) {
  listeners.add(listener);
}

/** Ask the service again what it holds. */
export async function refresh() {
  session.start = await call(`/start${session.query()}`);
  for (const listener of listeners) listener(session.start);
  return session.start;
}

let asking = null;

/** Asks for a token until one opens the service; resolves, for all who ask meanwhile, to whether there is one. */
export function askForToken() {
  asking ??= signIn().finally(() => {
    asking = null;
  });
  return asking;
}

/** Shows an error in `place`, with what to do (see notices.js); where a token is missing it is asked for first. */
export async function report(place, error, actions) {
  if (error.status === 401 && (await askForToken())) return actions.again?.();
  showFailure(place, error, { ...actions, signIn: () => report(place, error, actions) });
}

function signIn() {
  const dialog = find("sign-in");
  const field = find("token");
  const before = token.get();
  let trying = false;
  find("token-problem").textContent = "";
  field.value = "";
  dialog.showModal();
  field.focus();
  return new Promise((resolve) => {
    let opened = false;
    dialog.onclose = () => resolve(opened);
    find("sign-in-form").onsubmit = async (event) => {
      event.preventDefault(); // the token goes into no address
      if (trying) return;
      trying = true;
      find("token-problem").textContent = ""; // so that the same words are read out again
      token.set(field.value.trim());
      try {
        await refresh();
      } catch (error) {
        token.set(before);
        find("token-problem").textContent = error.status === 401 ? "The service does not know this token." : error.message;
        field.select();
        return;
      } finally {
        trying = false;
      }
      opened = true;
      dialog.close();
    };
  });
}
