"""A LangChain retriever as the search: which of its documents are the same passage."""

from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from stores.records import Hit
from tools.retrieval import RetrieverSearch


class Told(BaseRetriever):
    """Finds what it is told, whatever is asked."""

    documents: list[Document]

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return self.documents


async def found(*documents: Document) -> list[Hit]:
    return await RetrieverSearch(Told(documents=list(documents))).search("q", mode="hybrid", limit=5)


@pytest.mark.parametrize("metadata", [{"id": "d1"}, {"id": 0}, {"source": "a.pdf"}, {"title": "T"}])
async def test_chunks_of_one_document_are_different_passages(metadata: dict[str, Any]) -> None:
    one, two = await found(Document("First.", metadata=metadata), Document("Second.", metadata=metadata))
    assert one["id"] != two["id"]
    if metadata.keys() & {"id", "source"}:
        assert one["document_id"] == two["document_id"] == str(next(iter(metadata.values())))


async def test_a_document_s_own_id_names_the_passage_and_stays_the_same() -> None:
    (first,) = await found(Document("First.", id="p7", metadata={"id": "d1", "source": "a.pdf"}))
    assert (first["id"], first["document_id"]) == ("p7", "d1")
    (unnamed,), (again,) = await found(Document("First.")), await found(Document("First."))
    assert unnamed["id"] == again["id"] == unnamed["document_id"]
