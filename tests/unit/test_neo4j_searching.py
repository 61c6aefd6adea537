"""How a namespace in Neo4j is searched: exactly or by its index, by the statement that the server has."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stores import cypher
from stores.errors import NamespaceNotFound, StoreError
from stores.links import NameSet, name_key, names_in_question
from stores.neo4j_failures import Refused
from stores.neo4j_namespaces import Namespace
from stores.neo4j_reading import possible_names
from stores.neo4j_searching import EXACT, LEAST_FETCHED, search_texts, search_vector
from stores.neo4j_vectors import cosine_of, vector_of, vector_values
from stores.records import EmbedderSpec, IngestSpec, spec_to_json

QUERY = np.array([3, 4], dtype=np.float32)


class FakeServer:
    """Answers reading statements from a script, and remembers them."""

    def __init__(self, *answers: Any, version: tuple[int, int] = (2026, 9)) -> None:
        self.version = version
        self.answers = list(answers)
        self.asked: list[tuple[str, dict[str, Any]]] = []

    async def read(self, stage: str, statement: str, **parameters: Any) -> list[list[Any]]:
        self.asked.append((statement, parameters))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def node(passages: int = 10, number: int = 7, epoch: int = 1) -> dict[str, Any]:
    counters = dict.fromkeys(("generation", "names_removed", "documents", "links", "last_row", "last_entity"), 0)
    spec = spec_to_json(IngestSpec(EmbedderSpec("toy", 2)))
    return {"name": "default", "number": number, "epoch": epoch, "passages": passages, "spec": spec, **counters}


def found(*hits: list[Any], **properties: int) -> list[list[Any]]:
    return [[node(**properties), list(hits)]]


async def neighbours(server: FakeServer, seen: dict[str, Namespace] | None = None) -> list[tuple[str, float]]:
    return await search_vector(server, {} if seen is None else seen, "default", QUERY, 2)  # type: ignore[arg-type]


async def test_few_passages_are_compared_one_by_one() -> None:
    server = FakeServer([[node(EXACT)]], found(["b", 0.75], ["a", 0.75], ["c", 1.0], passages=EXACT))
    assert await neighbours(server) == [("c", 1.0), ("a", 0.5)]
    assert server.asked[1][0] == cypher.SEARCH_EXACT


@pytest.mark.parametrize(
    ("version", "clause"), [((2026, 9), True), ((2026, 2), True), ((2025, 12), False), ((5, 26), False)]
)
async def test_many_are_searched_by_the_index_as_the_server_can(version: tuple[int, int], clause: bool) -> None:
    many = EXACT + 1
    server = FakeServer([[node(many)]], found(["a", 1.0], passages=many), version=version)
    await neighbours(server)
    statement, parameters = server.asked[1]
    assert ("VECTOR INDEX lookahead_vectors_7_1_2 FOR" in statement) is clause
    assert (parameters.get("index") == "lookahead_vectors_7_1_2") is not clause
    assert parameters["limit"] == LEAST_FETCHED


async def test_a_namespace_that_was_made_again_is_searched_again() -> None:
    many, seen = EXACT + 1, {}
    await neighbours(FakeServer([[node(many)]], found(passages=many)), seen)
    server = FakeServer(found(["old", 1.0], passages=many, number=8), found(["new", 1.0], passages=many, number=8))
    assert await neighbours(server, seen) == [("new", 1.0)]
    assert "lookahead_vectors_8_1_2" in server.asked[1][0]


async def test_an_index_that_is_gone_is_looked_up_again_but_not_for_ever() -> None:
    many, seen = EXACT + 1, {}
    await neighbours(FakeServer([[node(many)]], found(passages=many)), seen)
    gone = Refused("no such index")
    server = FakeServer(gone, [[node(many, epoch=2)]], found(["new", 1.0], passages=many, epoch=2))
    assert await neighbours(server, seen) == [("new", 1.0)]
    with pytest.raises(StoreError, match="no such index"):
        await neighbours(FakeServer(gone, [[node(many, epoch=2)]]), seen)
    with pytest.raises(NamespaceNotFound):
        await neighbours(FakeServer([]), seen)
    assert seen == {}


async def test_a_wrong_query_vector_is_refused_and_zeros_are_near_to_nothing() -> None:
    with pytest.raises(StoreError, match=r"expected \(2,\)"):
        await search_vector(FakeServer([[node()]]), {}, "default", np.ones(3, np.float32), 2)  # type: ignore[arg-type]
    zeros = np.zeros(2, np.float32)
    server = FakeServer([[node()]], found("a", "b", "c"))  # type: ignore[arg-type]
    assert await search_vector(server, {}, "default", zeros, 2) == [("a", 0.0), ("b", 0.0)]  # type: ignore[arg-type]


async def test_a_query_goes_as_terms_and_ties_are_all_fetched() -> None:
    tied = [[id_, 1.0] for id_ in "kjihgfedcba"]
    server = FakeServer(found([0, tied[:9]]), found([0, tied]))
    assert await search_texts(server, "default", ["Cafés AND (bars"], 1) == [[("a", 1.0)]]  # type: ignore[arg-type]
    assert server.asked[0][1]["queries"] == ["bar cafe"]
    assert [parameters["limit"] for _, parameters in server.asked] == [9, 18]


async def test_several_queries_are_one_round_trip_and_only_those_with_ties_are_asked_again() -> None:
    tied = [[id_, 1.0] for id_ in "kjihgfedcba"]
    server = FakeServer(found([0, [["x", 2.0]]], [1, tied[:9]], [2, []]), found([0, tied]))
    hits = await search_texts(server, "default", ["one", "?", "two", "three"], 1)  # type: ignore[arg-type]
    assert hits == [[("x", 2.0)], [], [("a", 1.0)], []]
    assert [parameters["queries"] for _, parameters in server.asked] == [["one", "two", "three"], ["two"]]


@pytest.mark.parametrize("query", ["", "!?", "\0", " "])
async def test_a_query_without_a_term_finds_nothing(query: str) -> None:
    assert await search_texts(FakeServer([[node()]]), "default", [query], 5) == [[]]  # type: ignore[arg-type]
    with pytest.raises(NamespaceNotFound):
        await search_texts(FakeServer([]), "default", [query], 5)  # type: ignore[arg-type]


NAMES = ["New York", "New York City", "York", "The End", "Heat", "O'Brien", "9½ Weeks", "Ünï Çode"]


@given(st.lists(st.sampled_from([*NAMES, "of", "the", "heat", "new york", "?"]), max_size=8).map(" ".join))
def test_looking_up_the_runs_of_words_finds_the_names_that_a_whole_set_would(text: str) -> None:
    everything = NameSet((key, 0) for name in NAMES if (key := name_key(name)))
    looked_up = NameSet((key, 0) for key in possible_names(text) if key in everything.ids)
    assert names_in_question(text, looked_up) == names_in_question(text, everything)


def test_a_vector_is_kept_exactly_and_zeros_are_not_indexed() -> None:
    vector = np.array([0.1, -2.5e-8], dtype=np.float32)
    assert vector_of(vector_values(vector).exact).tolist() == vector.tolist() == vector_values(vector).floats
    assert vector_values(np.zeros(2, np.float32)).floats is None
    assert (cosine_of(1.0), cosine_of(0.5), cosine_of(0.99999997)) == (1.0, 0.0, 1.0)
