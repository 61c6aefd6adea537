"""Histories of a store: batches of documents added, replaced and deleted, in which names overlap and change hands.

Whatever the history, a reader must see what one fresh ingest of the documents left would show.
"""

import numpy as np
from hypothesis import strategies as st

from stores.base import PassageStore
from stores.chunking import chunk_document
from stores.records import Document, EmbedderSpec, IngestSpec, PreparedDocument

SPEC = IngestSpec(EmbedderSpec("toy", 4))
QUERY = np.array([1, 2, 3, 4], dtype=np.float32)
QUERIES = ("new york", "end heat", "city")

WORDS = [
    "New York",
    "New York City",
    "York",
    "city",
    "Heat",
    "heat",
    "The End",
    "ends in the end.",
    "Old York. Then",
    "Is",
]
TITLES = st.sampled_from(["New York", "York", "New York City", "Heat", "heat (film)", "The End", "City", "Old", ""])
STEP = st.one_of(
    st.tuples(st.sampled_from("abcd"), TITLES, st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)),
    st.sampled_from("abcd"),
)
"""A document (key, title, text) that is added or replaced, or a key that is deleted."""
HISTORIES = st.lists(st.lists(STEP, max_size=4), min_size=1, max_size=4)


def prepared(key: str, title: str, text: str) -> PreparedDocument:
    document = Document(key, title, text)
    chunks = chunk_document(document, "default", 60, 10)
    vectors = [[len(c.text), c.text.count("e"), c.position, 1] for c in chunks]
    return PreparedDocument(document, chunks, np.array(vectors, dtype=np.float32).reshape(-1, 4))


async def live_through(store: PassageStore, history: list[list[object]]) -> list[PreparedDocument]:
    """Let the store, whose namespace "default" is empty, live through a history; the documents that are left."""
    left: dict[str, PreparedDocument] = {}
    for batch in history:
        added = [prepared(*step) for step in batch if isinstance(step, tuple)]
        removed = [step for step in batch if isinstance(step, str)]
        await store.upsert("default", added)
        await store.search_text("default", "york", 1)
        await store.delete("default", removed)
        left |= {document.document.key: document for document in added}
        left = {key: document for key, document in left.items() if key not in removed}
    return list(left.values())


async def everything(store: PassageStore) -> object:
    """All that a reader can see, except generations and what is found by words."""
    ids = await store.passage_ids("default")
    found = await store.info("default")
    assert found is not None
    return (
        (found.documents, found.passages, found.links),
        await store.passages("default", ids),
        await store.links("default", ids),
        await store.names("default", ids),
        await store.search_vector("default", QUERY, 3),
        await store.named_in("default", "Is New York City hot? the end, york, Heat"),
    )


async def found_by_words(store: PassageStore) -> list[list[tuple[str, float]]]:
    """The best three for some queries."""
    return [await store.search_text("default", query, 3) for query in QUERIES]
