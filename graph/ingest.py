"""The ingest graph: documents out of files into the store. Assembled here; what the stages do is in `nodes.ingest`.

START → scan → load → chunk → link → embed → store ─┬─ END
↑                                   │
└────────── next batch ─────────────┘
"""

from typing import Any, Literal

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from nodes.deps import Deps, bind
from nodes.ingest import chunk, embed, link, load, scan, store
from nodes.ingest_batch import Workbench
from nodes.ingest_context import IngestContext
from nodes.ingest_reach import Reach, RootReach
from nodes.ingest_state import IngestInput, IngestState

STEPS = 1_000_000_000
"""Five steps a batch: the limit must not end a long ingest."""

IngestGraph = CompiledStateGraph[IngestState, IngestContext, IngestInput, IngestState]


def more(state: IngestState) -> Literal["load", "__end__"]:
    """Whether there is another batch."""
    return "__end__" if state["done"] else "load"


def build(
    deps: Deps | None = None, checkpointer: BaseCheckpointSaver[Any] | None = None, reach: Reach | None = None
) -> IngestGraph:
    """The ingest graph.

    Args:
        deps: the store to write to and the embedder; None opens the store named by the environment.
        checkpointer: keeps cursor and counts, so that a run killed anywhere goes on by `ainvoke(None, …)`.
        reach: which files may be read; by default all that this process can read.
    """
    bench, default = Workbench(deps or Deps(), reach), IngestContext()
    builder = StateGraph(IngestState, context_schema=IngestContext, input_schema=IngestInput)
    for node in (scan, load, chunk, link, embed, store):
        builder.add_node(node.__name__, bind(node, bench, default))
    builder.add_edge(START, "scan")
    builder.add_edge("scan", "load")
    builder.add_edge("load", "chunk")
    builder.add_edge("chunk", "link")
    builder.add_edge("link", "embed")
    builder.add_edge("embed", "store")
    builder.add_conditional_edges("store", more)
    return builder.compile(checkpointer=checkpointer, name="ingest").with_config(recursion_limit=STEPS)


def for_a_server() -> IngestGraph:
    """The graph that a server exports: a client sends documents, and names no file but those under INGEST_ROOT."""
    deps = Deps()
    return build(deps, reach=RootReach(lambda: deps.settings.ingest_root))


graph = for_a_server()
