"""A namespace copied from one store to another: nothing lost, nothing that a reader could tell apart."""

import random
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from evaluation.sample import passages_path
from stores.base import PassageStore
from stores.chunking import chunk_document
from stores.comparing import check_target, compare_counts
from stores.copying import Progress, copy, count
from stores.embedded import EmbeddedStore
from stores.errors import EmbedderMismatch, StoreError
from stores.links import entity_names
from stores.records import Document, EmbedderSpec, IngestSpec, PreparedDocument
from tools.loading import read_file

SIZE = 40
SPEC = IngestSpec(EmbedderSpec("toy", 4), chunk_size=100, chunk_overlap=30)


def prepared(document: Document, namespace: str = "wiki", *, all_bear_names: bool = True) -> PreparedDocument:
    """As ingestion makes it: every chunk bears the document's names; or only the first, as the chunker leaves it."""
    chunks = chunk_document(document, namespace, SPEC.chunk_size, SPEC.chunk_overlap)
    if all_bear_names:
        chunks = [replace(chunk, names=entity_names(document)) for chunk in chunks]
    vectors = [[len(c.text), c.text.count("e"), c.position, 1] for c in chunks]
    return PreparedDocument(document, chunks, np.array(vectors, dtype=np.float32).reshape(-1, 4))


def sample() -> list[Document]:
    return [record.entry for record in read_file(str(passages_path())) if isinstance(record.entry, Document)]


ODD = [
    Document("fox", "Fox", "# Fox\nFox, also known as Reynard, is an animal.\nReynard is sly.\n\n## Life\nIt hunts."),
    Document("film", "9½ Weeks (film)", "9½ Weeks is a film of 1986.", {"aliases": ["Nine ½ Weeks"], "year": 1986}),
    Document("seen", "Seen", "Reynard saw 9½ Weeks and Nine ½ Weeks in ﬁne Zürich. " * 9, source="/home/you/seen.txt"),
    Document("zurich", "Zürich", "Zürich (also Zurich) is a city.", {"aliases": "Limmatstadt", "of": {"b": [1, None]}}),
    Document("empty", "Empty", " \n "),
    Document("twice", "", "The same. \n\n" * 40),
]


async def contents(store: PassageStore, namespace: str = "wiki") -> Any:
    """All that the store was told of the namespace and found out about it, but its generation."""
    info = await store.info(namespace)
    assert info is not None
    ids = await store.passage_ids(namespace)
    documents = await store.documents(namespace, limit=10_000)
    return (
        replace(info, generation=0),
        documents,
        [await store.document(namespace, document["id"]) for document in documents],
        {id_: vector.tobytes() for id_, vector in (await store.vectors(namespace, ids)).items()},
        await store.links(namespace, ids),
        await store.names(namespace, ids),
    )


async def searches(store: PassageStore) -> Any:
    """What a reader finds."""
    return (
        [await store.search_text("wiki", word, 5) for word in ("Reynard", "Zurich", "river", "weeks")],
        await store.search_vector("wiki", np.ones(4, np.float32), 5),
        await store.named_in("wiki", "Did Reynard see 9½ Weeks in Limmatstadt, or the Danube in Vienna?", 500),
        await store.verify("wiki"),
    )


@pytest.fixture
async def source(tmp_path: Path) -> AsyncIterator[EmbeddedStore]:
    async with EmbeddedStore(tmp_path / "from") as store:
        await store.create("wiki", SPEC)
        yield store


@pytest.fixture
async def target(tmp_path: Path) -> AsyncIterator[EmbeddedStore]:
    async with EmbeddedStore(tmp_path / "to") as store:
        yield store


class Watched:
    """A store whose writes are noted; before the `fail_at`-th one it gives up, before each read `on_read` is called."""

    def __init__(self, store: PassageStore, fail_at: int = 0) -> None:
        self._store = store
        self._fail_at = fail_at
        self.written: list[tuple[int, int]] = []
        self.gone: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def upsert(self, namespace: str, documents: Sequence[PreparedDocument]) -> Any:
        self.written.append((len(documents), sum(len(document.chunks) for document in documents)))
        if len(self.written) == self._fail_at:
            raise StoreError("Storing: the disk is full")
        return await self._store.upsert(namespace, documents)

    async def vectors(self, namespace: str, ids: Sequence[str]) -> Any:
        await self._store.delete(namespace, self.gone)
        return await self._store.vectors(namespace, ids)


async def copied(source: PassageStore, target: PassageStore) -> Progress:
    info = await source.info("wiki")
    assert info is not None
    return await copy(source, target, info, lambda _: None, SIZE)


@pytest.mark.parametrize("all_bear_names", [True, False])
async def test_a_copy_of_the_sample_cannot_be_told_from_it(
    source: EmbeddedStore, target: EmbeddedStore, all_bear_names: bool
) -> None:
    documents = [*sample(), *ODD]
    await source.upsert("wiki", [prepared(document, all_bear_names=all_bear_names) for document in documents])
    done = await copied(source, target)
    info = await source.info("wiki")
    assert info is not None
    assert (done.added, done.passages, done.passed) == (len(documents), info.passages, info.passages)
    assert info.links > 100
    assert await contents(target) == await contents(source)
    assert await searches(target) == await searches(source)


async def test_odd_names_are_found_in_the_copy_too(source: EmbeddedStore, target: EmbeddedStore) -> None:
    await source.upsert("wiki", [prepared(document) for document in ODD])
    await copied(source, target)
    for name in ("9½ Weeks", "Nine ½ Weeks", "Reynard"):
        found = await target.named_in("wiki", f"Who saw {name}?")
        assert {named for _, named in found} == {name}


@pytest.mark.parametrize("seed", range(2))
async def test_from_any_state_the_target_comes_to_be_like_the_source(
    source: EmbeddedStore, target: EmbeddedStore, seed: int
) -> None:
    chance = random.Random(seed)
    documents = sample()
    chance.shuffle(documents)
    for start in range(0, len(documents), 50):
        await source.upsert("wiki", [prepared(document) for document in documents[start : start + 50]])
    held = [document for document in documents if chance.random() < 0.5]
    older = [replace(document, text=f"Of old. {document.text[:50]}") for document in held if chance.random() < 0.3]
    await target.create("wiki", SPEC)
    await target.upsert("wiki", [prepared(document) for document in [*held, *older]])
    done = await copied(source, target)
    assert (done.added, done.updated) == (len(documents) - len(held), len(older))
    assert done.unchanged == len(held) - len(older)
    info = await source.info("wiki")
    assert info is not None
    assert done.passed == info.passages
    assert await contents(target) == await contents(source)


async def test_a_copy_that_broke_off_goes_on_where_it_stopped(source: EmbeddedStore, target: EmbeddedStore) -> None:
    many = [prepared(Document(f"{n:04}", f"Item {n}", f"It follows Item {n - 1}.")) for n in range(2 * SIZE + 10)]
    await source.upsert("wiki", many)
    broken = Watched(target, fail_at=2)
    with pytest.raises(StoreError, match="disk is full"):
        await copied(source, cast(PassageStore, broken))
    again = await copied(source, target)
    assert (again.unchanged, again.added) == (SIZE, SIZE + 10)
    assert await contents(target) == await contents(source)


async def test_a_batch_is_bounded_and_only_what_is_new_is_written(source: EmbeddedStore, target: EmbeddedStore) -> None:
    long = Document("long", "Long", "\n\n".join(f"Paragraph {n}: {'word ' * 15}." for n in range(SIZE + 50)))
    many = [Document(str(n), f"Item {n}", "One. " * 60) for n in range(12)]
    await source.upsert("wiki", [prepared(document) for document in [*many, long]])
    watched = Watched(target)
    await copied(source, cast(PassageStore, watched))
    alone = [batch for batch in watched.written if batch[1] > SIZE]
    assert [documents for documents, _ in alone] == [1]
    assert len(watched.written) == 3
    await copied(source, cast(PassageStore, watched))
    assert len(watched.written) == 3


async def test_counting_writes_nothing_and_says_what_copying_does(
    source: EmbeddedStore, target: EmbeddedStore, tmp_path: Path
) -> None:
    await source.upsert("wiki", [prepared(document) for document in ODD])
    told = await count(source, target, "wiki", lambda _: None, SIZE)
    assert not (tmp_path / "to").exists()
    assert told == await copied(source, target)
    await source.upsert("wiki", [prepared(replace(ODD[0], text="Fox."))])
    told = await count(source, target, "wiki", lambda _: None, SIZE)
    assert (told.added, told.updated, told.unchanged) == (0, 1, len(ODD) - 1)
    assert told == await copied(source, target)


async def test_a_document_deleted_meanwhile_is_left_out_and_said(source: EmbeddedStore, target: EmbeddedStore) -> None:
    await source.upsert("wiki", [prepared(document) for document in ODD])
    before = await source.info("wiki")
    assert before is not None
    watched = cast(PassageStore, Watched(source))
    watched.gone.append("fox")  # type: ignore[attr-defined]
    done = await copy(watched, target, before, lambda _: None, SIZE)
    assert (done.added, done.missed) == (len(ODD) - 1, 1)
    compared = await compare_counts(source, target, before, 0, done.missed)
    assert "was written to while it was being copied; run the same command again" in compared.problem
    await copied(source, target)
    assert await contents(target) == await contents(source)


async def test_a_source_written_to_meanwhile_is_said(source: EmbeddedStore, target: EmbeddedStore) -> None:
    await source.upsert("wiki", [prepared(document) for document in ODD])
    before = await source.info("wiki")
    assert before is not None
    await copied(source, target)
    assert (await compare_counts(source, target, before, 0, 0)).problem == ""
    await source.delete("wiki", ["fox"])
    compared = await compare_counts(source, target, before, 0, 0)
    assert compared.problem.endswith("was written to while it was being copied; run the same command again")


async def test_counts_that_differ_are_said(source: EmbeddedStore, target: EmbeddedStore) -> None:
    await source.upsert("wiki", [prepared(document) for document in ODD])
    await target.create("wiki", SPEC)
    whole = prepared(ODD[0])
    await target.upsert("wiki", [PreparedDocument(whole.document, whole.chunks[:1], whole.vectors[:1])])
    info = await source.info("wiki")
    assert info is not None
    await copied(source, target)
    compared = await compare_counts(source, target, info, 0, 0)
    assert f"{info.documents} documents, {info.passages} passages and {info.links} links" in compared.problem
    assert "lookahead clear --namespace wiki" in compared.problem
    await target.upsert("wiki", [prepared(Document("own", "Own", "Only here."))])
    assert (await compare_counts(source, target, info, 1, 0)).problem == ""
    assert "documents of its own" in (await compare_counts(source, target, info, 2, 0)).problem


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (replace(SPEC, embedder=EmbedderSpec("big", 4)), "name 'big' where the source has 'toy'"),
        (replace(SPEC, embedder=EmbedderSpec("toy", 4, passage_prefix="p: ")), "passage_prefix 'p: ' where"),
        (replace(SPEC, chunk_size=800), "chunk_size 800 where the source has 100"),
    ],
)
async def test_a_target_made_otherwise_is_refused(
    source: EmbeddedStore, target: EmbeddedStore, spec: IngestSpec, said: str
) -> None:
    info = await source.info("wiki")
    assert info is not None
    assert await check_target(info, target) == 0
    await target.create("wiki", spec)
    refusal = EmbedderMismatch if spec.embedder != SPEC.embedder else StoreError
    with pytest.raises(refusal, match=said):
        await check_target(info, target)
