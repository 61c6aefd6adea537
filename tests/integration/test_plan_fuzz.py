"""Ten thousand fuzzed plans through the clients of Groq and Ollama: each becomes a plan that can be run."""

from tests.bench.plan_fuzz import PLANS, run_both, table
from tests.integration.wire_plans import KINDS


def test_whatever_a_model_writes_there_is_a_plan() -> None:
    figures = run_both(seed=1, count=PLANS)
    print(table(figures))
    assert figures.problems == []
    assert sum(figures.rungs.values()) == PLANS
    rungs = {kind.__name__: {rung for k, rung in figures.rungs if k == kind.__name__} for kind in KINDS}
    assert "embedded" not in rungs["as_it_is"]
    assert rungs["no_plan"] == {"embedded"}
    # A plan with something around it, or with its end missing, is read all the same.
    assert all(figures.rungs[kind, "tolerant"] for kind in ("cut_off", "without_braces", "around", "other_languages"))
    assert figures.streamed > 0
