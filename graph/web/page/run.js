// What is known of a run, from the events it told so far. Knows nothing of the page.

/** A run that has told nothing yet. */
export function newRun(question, method = "lookahead") {
  return {
    question,
    method,
    status: "starting", // running, waiting (for the plan to be approved), done, failed, stopped
    id: "",
    nodes: [],
    planned: false,
    hops: new Map(), // id -> { state: searching | found | empty | failed | stopped, query, ..., from, to }
    dropped: new Map(), // id -> why
    stages: [], // { name, from, to }
    steps: [],
    evidence: [],
    text: "",
    resets: 0,
    result: null,
    waits: null, // what the service said of the plan that waits
    at: 0, // milliseconds since the question was asked, the wait for a person left out
    before: 0, // of which in earlier requests of this run
  };
}

/** Takes in one event; the names are those of POST /ask. */
export function take(run, name, data) {
  const now = run.before + (data.at_ms ?? run.at - run.before);
  run.at = Math.max(run.at, now);
  HANDLERS[name]?.(run, data, now);
}

/** Another request goes on with the run: its clock goes on where the last one stopped. */
export function resumed(run) {
  run.before = run.at;
  run.status = "running";
  run.waits = null;
}

/** The run broke off, and with it what was under way. */
export function brokeOff(run, error) {
  run.status = error.name === "AbortError" ? "stopped" : "failed";
  for (const stage of run.stages) stage.to ??= run.at;
  for (const hop of run.hops.values()) if (hop.state === "searching") Object.assign(hop, { state: "stopped", to: run.at });
}

const HANDLERS = {
  start(run, data) {
    run.id = data.run_id;
    run.status = "running";
  },
  stage(run, data, now) {
    if (data.status === "start") run.stages.push({ name: data.stage, from: now, to: null });
    else {
      const open = run.stages.findLast((stage) => stage.name === data.stage && stage.to === null);
      if (open) open.to = now;
    }
  },
  plan_node(run, { node }) {
    run.nodes = [...run.nodes.filter((other) => other.id !== node.id), node];
  },
  plan(run, { plan }) {
    run.nodes = plan.nodes;
    run.planned = true;
    const planned = new Map(plan.nodes.map((node) => [node.id, node.query]));
    for (const [id, hop] of run.hops) {
      // Searched while the plan was being written, and then planned otherwise.
      if (hop.planned && planned.has(id) && planned.get(id) !== hop.planned) run.hops.delete(id);
    }
  },
  pruning(run, { pruning }) {
    run.dropped = new Map(pruning.dropped.map((node) => [node.id, node.reason]));
  },
  search(run, { hop, query }, now) {
    run.hops.set(hop, { id: hop, state: "searching", query, bindings: [], passages: [], from: now, to: null });
  },
  hop(run, { hop }, now) {
    const before = run.hops.get(hop.id);
    run.hops.set(hop.id, {
      ...shown(hop),
      from: Math.min(before?.from ?? now, now - hop.ms), // binding comes before it says what it searches
      to: now,
    });
  },
  steps(run, { steps }) {
    run.steps = steps;
  },
  evidence(run, { evidence }) {
    run.evidence = evidence;
  },
  text(run, { text }) {
    run.text += text;
  },
  answer_reset(run) {
    run.text = "";
    run.resets += 1;
  },
  approval(run, data) {
    run.status = "waiting";
    run.waits = data;
    run.id = data.run_id;
    run.nodes = data.plan.nodes;
    for (const stage of run.stages) stage.to ??= run.at;
  },
  done(run, result) {
    run.status = "done";
    run.result = result;
    run.text = result.explanation;
    run.nodes = result.plan.nodes;
    run.steps = result.steps;
    run.dropped = new Map(result.pruning.dropped.map((node) => [node.id, node.reason]));
    for (const hop of result.hops) {
      const before = run.hops.get(hop.id);
      run.hops.set(hop.id, { ...shown(hop), from: before?.from ?? null, to: before?.to ?? null });
    }
    for (const stage of run.stages) stage.to ??= run.at;
  },
};

function shown(hop) {
  const state = hop.error ? "failed" : hop.passages.length ? "found" : "empty";
  return { ...hop, state, planned: hop.query, query: hop.bound_query || hop.query };
}

/** The best binding for each parent of a hop. */
export function bound(hop) {
  const best = new Map();
  for (const binding of hop?.bindings ?? []) if (!best.has(binding.node)) best.set(binding.node, binding);
  return [...best.values()];
}

/** Whose searches overlap: the most that were under way at one time. */
export function atOnce(run) {
  const spans = [...run.hops.values()].filter((hop) => hop.from !== null && hop.to !== null);
  return Math.max(0, ...spans.map((one) => spans.filter((o) => o.from <= one.from && one.from < o.to).length));
}
