"""BM25 over the passages of one namespace: a tantivy index in a folder of its own.

Title and text stand in one field, as `stores.search_terms` sees them. Queries are built from terms, never parsed. Knows
row numbers only, nothing about SQLite, generations or passage ids.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import tantivy

from stores.search_terms import analyzer, query_terms

_FIELD = "body"
_ROW = "row"
_ANALYZER = "english_folded"


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field(_FIELD, tokenizer_name=_ANALYZER, index_option="freq")
    builder.add_unsigned_field(_ROW, indexed=True, fast=True)
    return builder.build()


def _open(folder: Path) -> tantivy.Index:
    folder.mkdir(parents=True, exist_ok=True)
    index = tantivy.Index(_schema(), path=str(folder))
    index.register_tokenizer(_ANALYZER, analyzer())
    index.config_reader("manual")
    return index


def commit_number(folder: Path) -> int | None:
    """Which commit the index in the folder is at; None when there is no readable one."""
    try:
        number = json.loads((folder / "meta.json").read_text())["opstamp"]
    except (OSError, ValueError, KeyError):
        return None
    return int(number)


def write_text(folder: Path, passages: Iterable[tuple[int, str, str]], gone: Sequence[int], many: bool) -> int:
    """Add (row, title, text) and remove the rows `gone` in one commit; the caller holds the folder's lock.

    Args:
        folder: of the index; made if need be.
        passages: to be added.
        gone: rows to be removed.
        many: take more memory, and so make fewer segments.

    Returns:
        The commit's number.
    """
    index = _open(folder)
    writer = index.writer(heap_size=100_000_000 if many else 15_000_000, num_threads=1)
    try:
        if gone:
            # By query: delete_documents_by_term (tantivy 0.27) finds nothing in an unsigned field.
            writer.delete_documents_by_query(tantivy.Query.term_set_query(index.schema, _ROW, list(gone)))
        for row, title, text in passages:
            document = tantivy.Document()
            document.add_unsigned(_ROW, row)
            document.add_text(_FIELD, f"{title}\n{text}")
            writer.add_document(document)
        return writer.commit()
    finally:
        writer.wait_merging_threads()


class TextIndex:
    """A view of the index as it is now; later commits do not change it. Any number of threads may search at once."""

    def __init__(self, folder: Path) -> None:
        index = _open(folder)
        index.reload()
        self._schema = index.schema
        self._searcher = index.searcher()

    def search(self, query: str, limit: int) -> list[tuple[int, float]]:
        """(row, BM25) of the best `limit` rows and of those that tie with the last one, best first."""
        terms = query_terms(query)
        if not terms or limit < 1 or not self._searcher.num_docs:
            return []
        clauses = [(tantivy.Occur.Should, self._term(term)) for term in terms]
        wanted = min(limit + 8, self._searcher.num_docs)
        while True:
            hits = self._searcher.search(tantivy.Query.boolean_query(clauses), limit=wanted, count=False).hits
            scores = [round(float(score), 4) for score, _ in hits]
            if len(hits) < wanted or scores[-1] < scores[min(limit, len(scores)) - 1] or wanted >= 4096:
                break
            wanted *= 2
        rows = self._searcher.fast_field_values(_ROW, [address for _, address in hits])
        return [(int(row or 0), score) for row, score in zip(rows, scores, strict=True)]

    def _term(self, term: str) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, _FIELD, term, index_option="freq")

    def rows(self) -> list[int]:
        """Every row in the index, sorted; a row that is there twice stands twice."""
        if not self._searcher.num_docs:
            return []
        hits = self._searcher.search(tantivy.Query.all_query(), limit=self._searcher.num_docs, count=False).hits
        return sorted(int(row or 0) for row in self._searcher.fast_field_values(_ROW, [address for _, address in hits]))
