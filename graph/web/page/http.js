// Calls of the service this page came from: the token, JSON, server-sent events, and errors as sentences.

const KEY = "lookahead-token";

export const token = {
  get: () => sessionStorage.getItem(KEY) || "",
  set: (value) => (value ? sessionStorage.setItem(KEY, value) : sessionStorage.removeItem(KEY)),
};

/** An error to show: a sentence, the status (0: no reply at all), and the seconds after which to come again. */
export class Failure extends Error {
  constructor(sentence, status = 0, seconds = 0) {
    super(sentence);
    this.status = status;
    this.seconds = seconds;
  }
}

const GONE =
  "The server does not answer. It may have been stopped, or the network is down: " +
  "start it again with “lookahead serve”, then try again.";
const BROKEN = "The connection broke off before the answer was complete: ask again.";

/** JSON from the service. */
export async function call(path, options = {}) {
  const response = await reach(path, options);
  return response.json();
}

/** Hands each event of a stream to `on(name, data)` as it arrives; ends when the stream does. */
export async function stream(path, body, on, signal) {
  const files = body instanceof FormData;
  const headers = files ? {} : { "Content-Type": "application/json" };
  const response = await reach(path, {
    method: "POST",
    body: files ? body : JSON.stringify(body),
    headers: { ...headers, Accept: "text/event-stream" },
    signal,
  });
  let last = "";
  try {
    for await (const [name, data] of events(response.body)) {
      if (name === "error") throw new Failure(data.error, data.status, data.retry_after);
      last = name;
      on(name, data);
    }
  } catch (error) {
    if (error instanceof Failure || error.name === "AbortError") throw error;
    throw new Failure(BROKEN);
  }
  if (last !== "done" && last !== "approval") throw new Failure(BROKEN);
}

async function reach(path, options) {
  const headers = { ...options.headers };
  if (token.get()) headers.Authorization = `Bearer ${token.get()}`;
  let response;
  try {
    response = await fetch(path, { ...options, headers, cache: "no-store", credentials: "omit", redirect: "error" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure(GONE);
  }
  if (response.ok) return response;
  const said = await response.json().catch(() => ({}));
  const sentence = typeof said.error === "string" ? said.error : `service: it replied with status ${response.status}`;
  throw new Failure(sentence, response.status, Number(response.headers.get("retry-after")) || 0);
}

/** [name, data] of each server-sent event in a body. */
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += value;
      const blocks = rest.split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) {
        const event = parsed(block);
        if (event) yield event;
      }
    }
  } finally {
    reader.cancel().catch(() => {}); // whoever stops listening closes the connection, which stops the run
  }
}

function parsed(block) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event: ")) name = line.slice(7);
    else if (line.startsWith("data: ")) data.push(line.slice(6));
  }
  return data.length ? [name, JSON.parse(data.join("\n"))] : null; // a comment keeps the connection alive
}
