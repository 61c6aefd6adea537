"""What the service counts, as Prometheus reads it. No label holds what a user wrote."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

from graph.results import Result

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
STAGES = frozenset(
    {
        "access",
        "agent",
        "approve",
        "assemble",
        "check",
        "documents",
        "fallback",
        "ingest",
        "intake",
        "plan",
        "planner",
        "probe",
    }
    | {"prune", "question", "request", "rerank", "retrieve", "run", "service", "settings", "store", "synthesize"}
    | {"synthesizer", "upload", "embedder", "environment", "messages", "models", "page", "passages", "ranker", "reader"}
)
"""What an error's sentence may begin with; anything else counts as "other"."""


class Metrics:
    """Histograms, counters and gauges of one service."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        own = self._registry
        ProcessCollector(registry=own)  # memory, processor time, open files
        self.run_seconds = Histogram(
            "lookahead_run_seconds", "Wall time of a run, by how it ended", ["outcome"], buckets=SECONDS, registry=own
        )
        self.stage_seconds = Histogram(
            "lookahead_stage_seconds", "Wall time of a stage of a run", ["stage"], buckets=SECONDS, registry=own
        )
        self.calls = Counter("lookahead_llm_calls", "Calls of language models, by reason", ["reason"], registry=own)
        self.tokens = Counter("lookahead_llm_tokens", "Tokens of language models", ["kind"], registry=own)
        self.dollars = Counter("lookahead_llm_dollars", "What language models cost, by LOOKAHEAD_PRICES", registry=own)
        self.warnings = Counter("lookahead_warnings", "Warnings in results, by stage", ["stage"], registry=own)
        self.errors = Counter("lookahead_errors", "Errors told to clients, by stage", ["stage"], registry=own)
        self.running = Gauge("lookahead_runs_in_flight", "Questions being answered", registry=own)
        self.waiting = Gauge("lookahead_runs_waiting", "Questions that wait for their turn", registry=own)
        self.ingesting = Gauge("lookahead_ingests_in_flight", "Requests that bring documents", registry=own)
        self.documents = Counter(
            "lookahead_documents", "Documents brought, by what came of them", ["outcome"], registry=own
        )

    def error(self, said: str) -> None:
        """Count an error by the stage that its sentence names."""
        self.errors.labels(_stage(said)).inc()

    def result(self, result: Result) -> None:
        """Count what a run that has ended asked of language models, and what it warns of."""
        usage = result["usage"]
        for reason, calls in usage["by_reason"].items():
            self.calls.labels(reason).inc(calls)
        for kind, tokens in (("prompt", usage["prompt_tokens"]), ("completion", usage["completion_tokens"])):
            self.tokens.labels(kind).inc(tokens)
        self.dollars.inc(usage["cost_usd"])
        for said in result["warnings"]:
            self.warnings.labels(_stage(said)).inc()

    def page(self) -> bytes:
        """In Prometheus' text format."""
        return generate_latest(self._registry)


def _stage(said: str) -> str:
    stage = said.partition(":")[0]
    return stage if stage in STAGES else "other"
