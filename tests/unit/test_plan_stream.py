"""A plan read while it is written: nodes come as soon as they are complete, however the text is cut."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prompts.plan import PlanNode
from prompts.plan_reading import read_drafts
from prompts.plan_stream import NODE_LISTS, PlanStream, PlanWriting
from prompts.planning import read_plan

N1 = {"id": "n1", "op": "lookup", "query": 'Who said "}]" or \\"?', "depends_on": [], "confidence": 0.9}
N2 = {"id": "n2", "op": "bridge", "query": "Where was {n1} born?", "depends_on": ["n1"], "confidence": 0.8}
PLAN = json.dumps({"nodes": [N1, N2]})

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
values = st.recursive(scalars, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=4), v, max_size=3))
nodes = st.builds(lambda rest, query: {**rest, "query": query}, st.dictionaries(st.text(max_size=6), values), st.text())
plans = st.builds(
    lambda nodes, wrap, indent, ascii: json.dumps(wrap(nodes), indent=indent, ensure_ascii=ascii),
    st.lists(nodes, min_size=1, max_size=4),
    st.sampled_from([lambda n: {"nodes": n}, lambda n: {"plan": {"nodes": n}}, lambda n: {"question": "q", "steps": n},
                     lambda n: n]),
    st.sampled_from([None, 2]),
    st.booleans(),
)  # fmt: skip
fragments = st.sampled_from(
    [PLAN, "{", "}", "[", "]", '"', "\\", "<think>", "</think>", "```json\n", "see {x}: ", "\n"]
)


def read(pieces: list[str]) -> list[dict[str, Any]]:
    stream = PlanStream()
    return [node for piece in pieces for node in stream.feed(piece)]


def cut(text: str, data: st.DataObject) -> list[str]:
    at = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    return [text[a:b] for a, b in zip([0, *at], [*at, len(text)], strict=True)]


class TestPlanStream:
    @settings(max_examples=50, deadline=None)
    @given(plans)
    def test_it_finds_the_nodes_that_the_whole_text_holds(self, text: str) -> None:
        data, _ = read_plan(text)
        while isinstance(data, dict):
            data = next(data[name] for name in NODE_LISTS if name in data)
        assert read([text]) == data

    @settings(max_examples=50, deadline=None)
    @given(plans | st.lists(fragments | st.text(max_size=5)).map("".join), st.data())
    def test_any_split_gives_the_same_nodes(self, text: str, data: st.DataObject) -> None:
        assert read(cut(text, data)) == read([text])

    def test_a_node_is_told_with_its_closing_brace(self) -> None:
        stream, end = PlanStream(), PLAN.index("},") + 1
        assert stream.feed(PLAN[: end - 1]) == []
        assert stream.feed(PLAN[end - 1 : end]) == [N1]

    @pytest.mark.parametrize(
        "text",
        [
            f"Sure, here it is [as JSON]:\n```json\n{PLAN}\n```\nDone.",
            f'<think>Perhaps {{"query": "no"}}?</think>{PLAN}',
            f'Write {{"nodes"}} as {{n1}}: {PLAN}',
            f'It begins with {{"oops {PLAN}',
            f'{json.dumps(N1)}\n{json.dumps(N2)}',
            PLAN.replace("}]}", "},]}"),
            PLAN.replace("]}", ""),
            PLAN + '\n{"nodes": [{"query": "another plan"}]}',
        ],
    )  # fmt: skip
    def test_what_stands_around_the_plan_is_skipped(self, text: str) -> None:
        assert read([text]) == [N1, N2]

    def test_a_list_inside_a_node_holds_no_nodes(self) -> None:
        assert [node["query"] for node in read(['{"nodes": [{"steps": [{"query": "inner"}], "query": "outer"}]}'])] == [
            "outer"
        ]

    @pytest.mark.parametrize("name", NODE_LISTS)
    def test_it_looks_where_repair_looks(self, name: str) -> None:
        text = json.dumps({name: [N1]})
        assert read([text]) == [N1]
        assert [draft["id"] for draft in read_drafts(json.loads(text))[0]] == ["n1"]


class TestPlanWriting:
    def told(self, *raw: Any, max_nodes: int = 8) -> list[PlanNode]:
        return PlanWriting(max_nodes).feed(json.dumps({"nodes": raw}))

    def test_nodes_are_valid_and_complete(self) -> None:
        n1, n2 = self.told({**N1, "confidence": "90%"}, N2)
        assert (n1.id, n1.op, n1.depends_on, n1.confidence) == ("n1", "lookup", [], 0.9)
        assert (n2.op, n2.query, n2.depends_on) == ("bridge", N2["query"], ["n1"])

    def test_odd_ids_become_those_of_the_finished_plan(self) -> None:
        told = self.told({"id": 1, "query": "a"}, {"id": "step 2", "query": "b of {1}", "depends_on": [1]})
        assert [(n.id, n.query, n.depends_on) for n in told] == [("n1", "a", []), ("n2", "b of {n1}", ["n1"])]

    def test_a_double_is_not_told_of(self) -> None:
        assert [n.id for n in self.told(N1, {**N1, "id": "n2"}, {**N2, "id": "n3"})] == ["n1", "n3"]

    @pytest.mark.parametrize(
        "raw", [{"query": "a", "depends_on": ["n3"]}, {"query": "a of {n3}"}, {"query": "a", "deps": 3}]
    )
    def test_what_waits_for_an_unwritten_node_is_not_taken_for_one_that_waits_for_none(self, raw: Any) -> None:
        told = self.told({"id": "n1", **raw}, {"id": "n2", "query": "b"}, {"id": "n3", "query": "c"})
        assert [(n.id, n.depends_on) for n in told[:2]] == [("n1", ["n3"]), ("n2", [])]
        assert told[-1].query == "c"

    def test_it_is_told_again_when_that_is_written(self) -> None:
        told = self.told({"id": "n1", "query": "a of {n2}", "depends_on": ["n2"]}, {"id": "n2", "query": "b"})
        assert [(n.id, n.query) for n in told] == [("n1", "a of"), ("n1", "a of {n2}"), ("n2", "b")]

    def test_a_node_that_names_itself_waits_for_none(self) -> None:
        assert [n.depends_on for n in self.told({"id": "n1", "query": "a", "depends_on": ["n1"]})] == [[]]

    def test_no_more_nodes_than_the_plan_may_have(self) -> None:
        assert len(self.told(*({"query": f"q{i}"} for i in range(50)), max_nodes=3)) == 3

    @settings(max_examples=50, deadline=None)
    @given(st.lists(values | nodes, max_size=5), st.data())
    def test_nothing_makes_it_fail(self, raw: list[Any], data: st.DataObject) -> None:
        text, writing = json.dumps({"nodes": raw}), PlanWriting(4)
        for piece in cut(text, data):
            writing.feed(piece)
