"""A run as it happens, on a terminal: what is on the screen after which events."""

from typing import Any

from rich.console import Console

from graph.cli.live import LiveRun

N1 = {"id": "n1", "op": "lookup", "query": "director of Jaws", "depends_on": []}
N2 = {"id": "n2", "op": "bridge", "query": "birthplace of {n1}", "depends_on": ["n1"]}


def hop(node_id: str, query: str) -> dict[str, Any]:
    found = {"passages": [{}], "ms": 3.0, "error": None, "bindings": []}
    return {"type": "hop", "hop": {"id": node_id, "query": query, "bound_query": query, **found}}


def screen(*events: dict[str, Any]) -> str:
    live, console = LiveRun(), Console(width=100)
    for event in events:
        live.handle(event)
    with console.capture() as shown:
        console.print(live._render())
    return shown.get()


def test_the_plan_grows_while_it_is_written() -> None:
    first = {"type": "plan_node", "node": N1}
    assert "director of Jaws  …" in screen(first)
    assert "birthplace" not in screen(first)
    assert "birthplace of {n1}" in screen(first, {"type": "plan_node", "node": N2})


def test_a_hop_is_shown_as_searching_for_what_it_searches_and_then_as_found() -> None:
    planned = {"type": "plan", "plan": {"nodes": [N1, N2]}}
    search = {"type": "search", "hop": "n2", "query": "birthplace of Steven Spielberg"}
    assert "birthplace of Steven Spielberg  searching" in screen(planned, search)
    assert "searching" not in screen(planned, search, hop("n2", N2["query"]))
    assert "the question as it stands  searching" in screen({"type": "search", "hop": "n0", "query": "q"})


def test_what_the_finished_plan_holds_otherwise_is_not_shown_as_found() -> None:
    early = [{"type": "plan_node", "node": N1}, hop("n1", N1["query"])]
    assert "1 passage" in screen(*early)
    other = {"type": "plan", "plan": {"nodes": [{**N1, "query": "maker of Jaws"}]}}
    assert "1 passage" not in screen(*early, other)
