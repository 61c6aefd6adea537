"""Which passages become evidence."""

from typing import Any

from nodes.assemble import select
from nodes.context import Context
from tests.fakes import FakeReader, hit


def state(ranked: list[Any]) -> Any:
    """Two sides n1 and n2, each led by a passage of its own, under a comparison that needs both."""
    node = {"confidence": 0.9, "budget_cost": 1, "depends_on": [], "op": "lookup"}
    nodes = [{**node, "id": "n1", "query": "a"}, {**node, "id": "n2", "query": "b"}]
    nodes.append({**node, "id": "n3", "query": "c", "op": "compare", "depends_on": ["n1", "n2"]})
    found = {"n0": ["X"], "n1": ["A"], "n2": ["B"], "n3": []}
    hops = {
        i: {"id": i, "op": "lookup", "bound_query": i, "bindings": [], "passages": [hit(t) for t in titles]}
        for i, titles in found.items()
    }
    return {"question": "q", "plan_graph": {"question": "q", "nodes": nodes}, "hops": hops, "ranked": ranked}


def ranked(title: str, text: str, ids: list[str]) -> Any:
    return {**hit(title, text), "hops": ids}


def chosen(ranking: list[Any], **settings: Any) -> dict[str, str]:
    return {e["title"]: e["text"] for e in select(state(ranking), Context(**settings), FakeReader())}


ALIKE = "The river is long and wide and rises in the mountains."


def test_both_sides_stay_however_little_room_there_is() -> None:
    long = [ranked("X", "x " * 400, ["n0.1"]), ranked("A", "a " * 400, ["n1.1"]), ranked("B", "b " * 400, ["n2.1"])]
    shown = chosen(long, context_tokens=250)
    assert {"A", "B"} <= set(shown)
    assert sum(len(text) for text in shown.values()) <= 250 * 4


def test_two_sides_are_two_however_alike() -> None:
    assert {"A", "B"} <= set(chosen([ranked("A", ALIKE, ["n1.1"]), ranked("B", ALIKE, ["n2.1"])]))


def test_copies_are_shown_once_under_all_their_ids() -> None:
    copies = [ranked("C", ALIKE, ["n0.1"]), ranked("D", ALIKE, ["n0.2"])]
    evidence = select(state(copies), Context(), FakeReader())
    assert [e["ids"] for e in evidence] == [["n0.1", "n0.2"]]


def test_late_passages_are_cut_to_what_is_relevant_unless_told_not_to() -> None:
    first = [ranked(t, f"{t} alone says {t}{t}{t}", [f"n0.{i}"]) for i, t in enumerate("EFGH", 1)]
    last = ranked("Z", "Zed is a letter. Not this. And q is", ["n0.5"])
    assert chosen([*first, last])["Z"] == "Zed is a letter. And q is."
    assert chosen([*first, last], compress=False)["Z"] == last["text"]
