"""The methods that can be compared, by name: every graph that answers a question, over the same nodes and store."""

import difflib
from collections.abc import Mapping
from typing import Any, Protocol, Unpack

from graph import closed_book, lookahead, multi_query, oracle, ranked_rag, react, sequential_plan, standard_rag
from graph.assembling import AnsweringGraph, Options
from nodes.deps import Deps
from stores.errors import InputError


class Build(Protocol):
    """Makes a graph; see `graph.lookahead.build`."""

    def __call__(
        self, deps: Deps | None = None, checkpointer: Any = None, **options: Unpack[Options]
    ) -> AnsweringGraph:
        """Assemble the graph."""
        ...


METHODS: Mapping[str, Build] = {
    "lookahead": lookahead.build,
    "standard_rag": standard_rag.build,
    "ranked_rag": ranked_rag.build,
    "multi_query": multi_query.build,
    "sequential_plan": sequential_plan.build,
    "react": react.build,
    "closed_book": closed_book.build,
    "oracle": oracle.build,
}
"""What makes each graph."""

DESCRIPTIONS: Mapping[str, str] = {
    "lookahead": "plan once, search the plan as a dataflow, answer once",
    "standard_rag": "search the question once, by RRF of BM25 and dense search",
    "ranked_rag": "search the question once, with our ranking: lookahead minus the plan",
    "multi_query": "search the question and three variants of it at once, fused by RRF",
    "sequential_plan": "lookahead's plan, one search after the other",
    "react": "an agent decides step by step what to search",
    "closed_book": "a language model answers from what it knows, nothing is searched",
    "oracle": "the passages that hold the answer are given: the ceiling of retrieval",
}
"""Each method in one line."""

NEEDS_MODEL = frozenset({"closed_book"})
"""Methods that refuse to run without a language model."""
NEEDS_PASSAGES = frozenset({"oracle"})
"""Methods whose input holds `passages` beside the question."""

ALIASES: Mapping[str, str] = {
    "lookahead_rag": "lookahead",
    "standard": "standard_rag",
    "vanilla": "standard_rag",
    "vanilla_rag": "standard_rag",
    "naive": "standard_rag",
    "naive_rag": "standard_rag",
    "ranked": "ranked_rag",
    "multiquery": "multi_query",
    "multiquery_rag": "multi_query",
    "multi_query_rag": "multi_query",
    "sequential": "sequential_plan",
    "agentic": "react",
    "agentic_rag": "react",
    "react_rag": "react",
    "closedbook": "closed_book",
    "oracle_rag": "oracle",
}
"""Names used elsewhere."""


def method_of(name: str) -> str:
    """The name of a method, however it is written.

    Raises:
        InputError: there is no such method.

    >>> method_of("Agentic-RAG"), method_of("lookahead")
    ('react', 'lookahead')
    """
    key = name.strip().lower().replace("-", "_").replace(" ", "_")
    found = ALIASES.get(key, key)
    if found in METHODS:
        return found
    near = difflib.get_close_matches(key, [*METHODS, *ALIASES], 1)
    guess = f", did you mean {near[0]!r}? Take" if near else "; take"
    raise InputError(f"method: there is no {name!r}{guess} one of {', '.join(METHODS)}")
