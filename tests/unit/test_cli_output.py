"""What the command line prints for an answered question, and how it says numbers."""

import re
from typing import Any

import pytest
from rich.console import Console

from graph.cli.answer import print_answer
from graph.cli.live import LiveRun
from graph.cli.output import listed, milliseconds, plural
from tests.fakes import hit

NODES = [
    {"id": "n1", "op": "lookup", "query": "author of Middlemarch", "depends_on": []},
    {"id": "n2", "op": "bridge", "query": "Where was {n1} born?", "depends_on": ["n1"]},
    {"id": "n3", "op": "lookup", "query": "weather in Nuneaton", "depends_on": []},
]
BOUND = {"node": "n1", "text": "George Eliot", "probability": 0.84, "passage_id": "p1", "sentence": ""}
PASSAGE = {"id": "p1", "title": "George Eliot", "score": 1.25}


def hop(id_: str, bound_query: str, **other: Any) -> dict[str, Any]:
    found = {"query": "", "bindings": [], "passages": [PASSAGE], "ms": 12.3, "error": None}
    return {"id": id_, "bound_query": bound_query, **found, **other}


def result(**other: Any) -> dict[str, Any]:
    return {
        "question": "Where was the author of Middlemarch born?",
        "answer": "Nuneaton",
        "explanation": "George Eliot was born near Nuneaton [n2.1].",
        "abstained": False,
        "confidence": 0.71,
        "citations": [{"id": "n2.1", "document_id": "d1", "title": "George Eliot", "text": "Born near Nuneaton."}],
        "plan": {"nodes": NODES, "planner": "embedded", "rung": "embedded"},
        "pruning": {"kept": ["n1", "n2"], "dropped": [{"id": "n3", "utility": 0.1, "reason": "over budget"}]},
        "hops": [
            hop("n0", ""),
            hop("n1", "author of Middlemarch"),
            hop("n2", "Where was George Eliot born?", bindings=[BOUND]),
        ],
        "fallbacks": [],
        "steps": [],
        "usage": {"llm_calls": 0, "prompt_tokens": 0, "completion_tokens": 0, "by_reason": {}},
        "timings_ms": {"plan": 3.0, "retrieve": 30.0, "check": 1.0, "approve": 0.0, "total": 40.0},
        "models": {"planner": "embedded"},
        "warnings": [],
        **other,
    }


def printed(value: dict[str, Any], *, trace: bool = False, width: int = 80) -> str:
    console = Console(width=width, record=True, file=None, quiet=False)
    with console.capture() as capture:
        print_answer(console, value, trace)
    return capture.get()


def test_an_answer_shows_plan_answer_citations_and_time() -> None:
    text = printed(result())
    assert "Where was George Eliot born?  84%  1 passage, 12 ms" in text
    assert "weather in Nuneaton  dropped: over budget" in text
    assert "Nuneaton   71% sure" in text
    assert "[n2.1] George Eliot\n    Born near Nuneaton." in text
    assert "40 ms  no LLM call · plan 3.0 ms · retrieve 30 ms · check 1.0 ms" in text
    assert text.index("n1  lookup") < text.index("│   └── n2  bridge")


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    long = {"id": "n2.1", "document_id": "d", "title": "T", "text": "A long sentence about it. " * 20}
    lines = printed(result(citations=[long], explanation="Words and words. " * 30), width=width).splitlines()
    assert max(map(len, lines)) <= width


def test_an_abstained_answer_is_not_sold_as_one() -> None:
    assert "The documents do not say." in printed(result(answer="", abstained=True, citations=[], explanation=""))
    assert "A guess: Nuneaton" in printed(result(abstained=True))


def test_errors_warnings_fallbacks_and_calls_are_said() -> None:
    text = printed(
        result(
            hops=[hop("n1", "author", error="the search took too long"), hop("n2", "born", passages=[])],
            warnings=["synthesize: the model gave up"],
            fallbacks=[{"trigger": ["n1 failed"], "queries": ["writer of Middlemarch"]}],
            usage={"llm_calls": 2},
        )
    )
    for said in ("the search took too long", "nothing found", "note: synthesize: the model gave up", "2 LLM calls"):
        assert said in text
    assert "searched again 1 time" in text


def test_the_trace_adds_hops_bindings_pruning_and_every_stage() -> None:
    text = printed(result(fallbacks=[{"trigger": ["too few"], "queries": ["q2"]}]), trace=True, width=120)
    for said in (
        "n1 → George Eliot (84%)",
        "George Eliot (1.25)",
        "over budget",
        "approve",
        "too few",
        "planner: embedded",
    ):
        assert said in text


def test_the_trace_tells_what_spoke_for_a_passage() -> None:
    found = {**hop("n1", "Who wrote it?"), "passages": [hit("Middlemarch", why={"named": 1.25, "length": -0.5})]}
    assert "named +1.2, length -0.5" in printed(result(hops=[found]), trace=True, width=120)


def step(number: int, action: str, query: str = "", **other: Any) -> dict[str, Any]:
    made = {"thought": "", "call": "", "hop": "", "found": [], "problem": "", **other}
    return {"step": number, "action": action, "query": query, **made}


STEPS = [
    step(
        1, "search", "author of Middlemarch", thought="First\n the author.", hop="n1", found=["A", "B", "A", "C", "D"]
    ),
    step(1, "read_document", "Nowhere", thought="First\n the author.", problem="there is no document 'Nowhere'"),
    step(2, "search", "[b]Nuneaton[/b]", hop="n2"),
    step(3, "finish", thought="That is sure enough."),
]


def test_the_trace_shows_what_an_agent_thought_did_and_found() -> None:
    shown = result(steps=STEPS, models={"agent": "embedded"}, plan={"nodes": NODES, "planner": "", "rung": ""})
    text = printed(shown, trace=True, width=120)
    assert re.search(r"^Plan *\n", text), "nobody planned"
    start = text.index("Steps")
    assert [line.rstrip() for line in text[start:].splitlines()[:8]] == [
        "Steps  by embedded",
        "├── 1  First the author.",
        "│   ├── search  author of Middlemarch  n1: A, B, C, … and 1 more",
        "│   └── read_document  Nowhere  there is no document 'Nowhere'",
        "├── 2  no thought",
        "│   └── search  [b]Nuneaton[/b]  nothing found",
        "└── 3  That is sure enough.",
        "    └── finish",
    ]
    assert "Steps" not in printed(result(), trace=True)
    assert "Steps" not in printed(shown)


USAGE = {
    "llm_calls": 3,
    "prompt_tokens": 4321,
    "completion_tokens": 210,
    "by_reason": {"plan": 1, "plan: again after 429": 1, "synthesize": 1},
    "wait_ms": 2100.0,
    "cost_usd": 0.000412,
    "unpriced_calls": 0,
}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "3 LLM calls · waited 2.1 s for the model's server · $0.00041 · plan"),
        ({"unpriced_calls": 2, "cost_usd": 0.0, "wait_ms": 0.0}, "3 LLM calls · cost unknown · plan"),
        ({"unpriced_calls": 1, "cost_usd": 0.25, "wait_ms": 0.0}, "$0.25 and 1 call of unknown cost · plan"),
        ({"cost_usd": 0.0, "wait_ms": 0.0}, "3 LLM calls · plan"),
    ],
)
def test_waits_and_cost_are_said_where_there_are_any(changes: dict[str, Any], said: str) -> None:
    assert said in printed(result(usage={**USAGE, **changes}), width=200)


def test_the_trace_lists_calls_by_their_reason() -> None:
    text = printed(result(usage=USAGE), trace=True, width=100)
    assert re.search(r"plan: again after 429 +1\b", text)
    assert "4,321 tokens read, 210 written" in text


def test_text_of_the_user_is_never_taken_for_markup() -> None:
    text = printed(result(answer="[red]x[/red]", explanation="[/] [bold]y", citations=[]))
    assert "[red]x[/red]" in text
    assert "[/] [bold]y" in text


def test_the_live_view_takes_every_event(capsys: pytest.CaptureFixture[str]) -> None:
    with LiveRun() as live:
        for event in (
            {"type": "stage", "stage": "plan", "status": "start"},
            {"type": "stage", "stage": "plan", "status": "end", "ms": 3.0},
            {"type": "plan", "plan": {"nodes": NODES}},
            {"type": "hop", "hop": hop("n1", "author of Middlemarch")},
            {"type": "text", "text": "Wrong"},
            {"type": "answer_reset"},
            {"type": "text", "text": "Nuneaton"},
        ):
            live.handle(event)
        console = Console(width=100)
        with console.capture() as capture:
            console.print(live._render())
    assert "Nuneaton" in capture.get()
    assert "Wrong" not in capture.get()
    assert "plan 3.0 ms" in capture.get()
    assert capsys.readouterr() == ("", ""), "nothing is shown where there is no terminal"


def test_numbers() -> None:
    assert [plural(0, "passage"), plural(1, "passage"), plural(1234, "passage")] == [
        "0 passages",
        "1 passage",
        "1,234 passages",
    ]
    assert [milliseconds(0.04), milliseconds(59.6), milliseconds(61_000)] == ["0.0 ms", "60 ms", "61.0 s"]
    assert listed(["a", "b"], 2) == ["a", "b"]
