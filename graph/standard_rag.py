"""Standard RAG, what people deploy: search the question once, show what comes back in its order, answer.

The search is hybrid RRF of BM25 and dense search over the same store and vectors (`tools.retrieval.PlainSearch`): no
names, no links, no plan. Synthesizer, `context_tokens` and the check, which gives the confidence and changes no answer,
are those of every other method, so that a comparison measures the strategy alone; and as many passages may reach the
answer as with several hops (`rerank_top_k`). They are only de-duplicated and cut to the tokens. There is no fallback:
to search again is another strategy.
"""

from typing import Any, Unpack

from langgraph.graph import START

from graph.assembling import AnsweringGraph, Options, begin, chain, finish, may_end
from graph.ranked_rag import STAGES, one_search
from nodes.context import Context
from nodes.deps import Deps
from nodes.state import Question


def fixed(context: Context) -> dict[str, Any]:
    """One search; every passage found is shown, whole, best first."""
    return {**one_search(context), "min_gain": 0.0, "compress": False, "passage_order": "rank"}


def build(deps: Deps | None = None, checkpointer: Any = None, **options: Unpack[Options]) -> AnsweringGraph:
    """Assemble the graph; takes what `graph.lookahead.build` takes."""
    graph = begin(STAGES, (deps or Deps()).plain(), options, given=Question, fixed=fixed)
    chain(graph, START, *(stage.__name__ for stage in STAGES))
    may_end(graph, "check")
    return finish(graph, "standard_rag", checkpointer, options)


graph = build()
