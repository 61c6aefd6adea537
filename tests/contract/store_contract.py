"""What every store must do: tests that take a fixture `store`, an open store with an empty namespace "default".

A file of tests for a store defines the fixture and takes them in by `globals().update(contract_tests())`.
"""

import zlib
from collections.abc import Callable

import numpy as np
import pytest

from stores.base import PassageStore
from stores.chunking import chunk_document
from stores.errors import EmbedderMismatch, NamespaceNotFound, StoreError
from stores.records import Document, EmbedderSpec, IngestSpec, PreparedDocument, StoredDocument, UpsertCounts
from tests.contract.queries import ANY_QUERY

SPEC = IngestSpec(EmbedderSpec("toy", 8))


def vector(text: str, dimension: int = 8) -> np.ndarray:
    made = np.random.default_rng(zlib.crc32(text.encode())).normal(size=dimension).astype(np.float32)
    return made / np.linalg.norm(made)


def prepared(key: str, title: str, text: str, namespace: str = "default", **metadata: object) -> PreparedDocument:
    document = Document(key, title, text, metadata, source=f"{key}.txt")
    chunks = chunk_document(document, namespace, 200, 50)
    return PreparedDocument(document, chunks, np.array([vector(c.text) for c in chunks]).reshape(-1, 8))


CURIE = prepared("curie", "Marie Curie", "Marie Curie was a physicist who was born in Warsaw.", year=1867)
WARSAW = prepared("warsaw", "Warsaw", "Warsaw is the capital of Poland.")
POLAND = prepared("poland", "Poland (country)", "Poland is a country in Europe.")


def contract_tests() -> dict[str, Callable[..., object]]:
    """Every test of this file, by name."""
    return {name: value for name, value in globals().items() if name.startswith("test_")}


async def only_id(store: PassageStore, key: str) -> str:
    found = await store.document("default", key)
    assert found is not None
    return found[1][0]["id"]


async def linked_titles(store: PassageStore, key: str) -> set[str]:
    id_ = await only_id(store, key)
    links = await store.links("default", [id_])
    return {passage["title"] for passage in await store.passages("default", links[id_]["outgoing"])}


async def test_counts_what_it_holds(store: PassageStore) -> None:
    assert await store.upsert("default", [CURIE, WARSAW]) == UpsertCounts(added=2)
    info = await store.info("default")
    assert info is not None
    assert (info.documents, info.passages, info.links, info.spec) == (2, 2, 1, SPEC)
    assert [each.name for each in await store.namespaces()] == ["default"]


async def test_ingesting_twice_changes_nothing(store: PassageStore) -> None:
    await store.upsert("default", [CURIE, WARSAW])
    before = await store.info("default")
    assert await store.upsert("default", [CURIE, WARSAW]) == UpsertCounts(unchanged=2)
    assert await store.info("default") == before


async def test_update_replaces_the_document(store: PassageStore) -> None:
    await store.upsert("default", [CURIE])
    assert await store.upsert("default", [prepared("curie", "Marie Curie", "She won two prizes.")]) == UpsertCounts(
        updated=1
    )
    assert await store.search_text("default", "physicist", 5) == []
    assert len(await store.search_text("default", "prizes", 5)) == 1


async def test_of_two_documents_with_one_key_the_last_counts(store: PassageStore) -> None:
    await store.upsert("default", [prepared("a", "Old", "Old text."), prepared("a", "New", "New text.")])
    assert [document["title"] for document in await store.documents("default")] == ["New"]


async def test_documents_come_with_their_metadata_and_passages(store: PassageStore) -> None:
    long = prepared("long", "Long", "One sentence of the text. " * 40)
    await store.upsert("default", [CURIE, long])
    found = await store.document("default", "long")
    assert found is not None
    assert [passage["text"] for passage in found[1]] == [chunk.text for chunk in long.chunks]
    info = (await store.documents("default", limit=1))[0]
    assert (info["id"], info["metadata"], info["source"]) == ("curie", {"year": 1867}, "curie.txt")
    assert await store.content_hashes("default", ["curie", "none"]) == {"curie": CURIE.document.content_hash}
    assert await store.document("default", "none") is None


async def test_delete_removes_from_every_search(store: PassageStore) -> None:
    await store.upsert("default", [CURIE, WARSAW])
    gone = await only_id(store, "warsaw")
    assert await store.delete("default", ["warsaw", "never there"]) == 1
    assert [id_ for id_, _ in await store.search_text("default", "Warsaw", 5)] == [await only_id(store, "curie")]
    assert gone not in dict(await store.search_vector("default", vector("x"), 5))
    assert await store.named_in("default", "Is Warsaw large?") == []
    assert await linked_titles(store, "curie") == set()


async def test_a_few_deletes_and_updates_among_many(store: PassageStore) -> None:
    many = [prepared(f"d{n}", f"Title {n}", f"Text number {n}.") for n in range(300)]
    await store.upsert("default", many)
    await store.search_text("default", "text", 1)
    await store.delete("default", ["d7"])
    await store.upsert("default", [prepared("d8", "Title 8", "Entirely different.")])
    assert await store.search_text("default", "7", 5) == []
    found = [id_ for id_, _ in await store.search_text("default", "8", 5)]
    assert found == [await only_id(store, "d8")]
    assert len(await store.search_vector("default", vector("x"), 400)) == 299
    assert await store.verify("default") == []


async def test_clear_removes_the_namespace(store: PassageStore) -> None:
    await store.upsert("default", [CURIE, WARSAW])
    assert await store.clear("default") == 2
    assert await store.info("default") is None
    assert await store.clear("default") == 0
    with pytest.raises(NamespaceNotFound, match="lookahead ingest PATH --namespace default"):
        await store.search_text("default", "Warsaw", 5)


async def test_nothing_crosses_namespaces(store: PassageStore) -> None:
    await store.create("other", SPEC)
    await store.upsert("default", [CURIE])
    before = await store.search_text("default", "physicist", 5)
    await store.upsert("other", [prepared("w", "Warsaw", "A physicist lived in Warsaw.", "other")])
    assert await store.search_text("default", "physicist", 5) == before
    assert await linked_titles(store, "curie") == set()
    assert await store.named_in("default", "Warsaw") == []
    assert await store.passages("default", await store.passage_ids("other")) == []


async def test_search_text_finds_title_and_stem(store: PassageStore) -> None:
    await store.upsert("default", [CURIE, WARSAW, POLAND])
    assert [id_ for id_, _ in await store.search_text("default", "capitals", 1)] == [await only_id(store, "warsaw")]
    assert [id_ for id_, _ in await store.search_text("default", "curie", 5)] == [await only_id(store, "curie")]


async def test_any_string_is_a_query(store: PassageStore) -> None:
    await store.upsert("default", [CURIE, prepared("zh", "华沙", "华沙是波兰的首都"), prepared("none", "", "!? -- …")])
    for query in ANY_QUERY:
        assert isinstance(await store.search_text("default", query, 5), list), query
        assert isinstance(await store.named_in("default", query), list), query
    assert await store.verify("default") == []


async def test_several_texts_are_searched_as_one_by_one(store: PassageStore) -> None:
    await store.upsert("default", [CURIE, WARSAW, POLAND])
    queries = ["capital of Poland", "", "physicist", "nothing", "Warsaw", "capital of Poland"]
    alone = [await store.search_text("default", query, 2) for query in queries]
    assert await store.search_texts("default", queries, 2) == alone
    assert await store.search_texts("default", [], 2) == []


async def test_search_vector_is_exact(store: PassageStore) -> None:
    documents = [prepared(f"d{n}", f"Title {n}", f"Text number {n}.") for n in range(50)]
    await store.upsert("default", documents)
    query = vector("a query")
    cosines = {d.chunks[0].id: float(d.vectors[0] @ query) for d in documents}
    expected = sorted(cosines, key=lambda id_: -cosines[id_])[:10]
    hits = await store.search_vector("default", query, 10)
    assert [id_ for id_, _ in hits] == expected
    assert [score for _, score in hits] == pytest.approx([cosines[id_] for id_ in expected], abs=1e-5)


async def test_vectors_come_back_as_stored(store: PassageStore) -> None:
    await store.upsert("default", [CURIE])
    id_ = await only_id(store, "curie")
    found = await store.vectors("default", [id_, "unknown"])
    assert list(found) == [id_]
    np.testing.assert_allclose(found[id_], CURIE.vectors[0], rtol=1e-6)


@pytest.mark.parametrize("wrong", [np.ones((1, 7), np.float32), np.full((1, 8), np.nan, np.float32)])
async def test_wrong_vectors_are_refused(store: PassageStore, wrong: np.ndarray) -> None:
    with pytest.raises(StoreError, match="'curie'"):
        await store.upsert("default", [WARSAW, PreparedDocument(CURIE.document, CURIE.chunks, wrong)])
    assert await store.documents("default") == []
    with pytest.raises(StoreError, match="query"):
        await store.search_vector("default", wrong[0], 5)


async def test_another_embedder_is_refused_with_the_remedy(store: PassageStore) -> None:
    with pytest.raises(EmbedderMismatch, match=r"'toy'.*'big'.*lookahead reembed --namespace default --embedder big"):
        await store.create("default", IngestSpec(EmbedderSpec("big", 8)))


async def test_recorded_chunk_size_holds(store: PassageStore) -> None:
    info = await store.create("default", IngestSpec(SPEC.embedder, chunk_size=300, chunk_overlap=0))
    assert info.spec == SPEC


async def test_links_need_no_order(store: PassageStore) -> None:
    await store.upsert("default", [CURIE])
    await store.upsert("default", [POLAND])
    assert await linked_titles(store, "curie") == set()
    await store.upsert("default", [WARSAW])
    assert await linked_titles(store, "curie") == {"Warsaw"}
    assert await linked_titles(store, "warsaw") == {"Poland (country)"}
    id_ = await only_id(store, "warsaw")
    assert (await store.links("default", [id_]))[id_]["incoming"] == [await only_id(store, "curie")]


async def test_a_longer_name_takes_over_and_gives_back(store: PassageStore) -> None:
    await store.upsert(
        "default", [prepared("q", "Query", "It opened in New York City."), prepared("n", "New York", "x")]
    )
    assert await linked_titles(store, "q") == {"New York"}
    await store.upsert("default", [prepared("c", "New York City", "y")])
    assert await linked_titles(store, "q") == {"New York City"}
    await store.delete("default", ["c"])
    assert await linked_titles(store, "q") == {"New York"}


async def test_a_document_does_not_link_to_itself(store: PassageStore) -> None:
    await store.upsert("default", [WARSAW])
    id_ = await only_id(store, "warsaw")
    assert await store.links("default", [id_]) == {id_: {"outgoing": [], "incoming": []}}


async def test_a_name_of_many_documents_is_capped_when_read(store: PassageStore) -> None:
    many = [prepared(f"n{n}", "Springfield", f"Springfield number {n}.") for n in range(60)]
    await store.upsert("default", [*many, prepared("q", "Query", "It is set in Springfield.")])
    id_ = await only_id(store, "q")
    assert len((await store.links("default", [id_]))[id_]["outgoing"]) == 20


async def test_named_in_is_longest_first_and_as_it_stands(store: PassageStore) -> None:
    await store.upsert("default", [CURIE, WARSAW, POLAND])
    found = await store.named_in("default", "Did marie  curie live in Warsaw, Poland, or poland?")
    titles = {p["id"]: p["title"] for p in await store.passages("default", [id_ for id_, _ in found])}
    assert [(titles[id_], name) for id_, name in found] == [
        ("Marie Curie", "marie  curie"),
        ("Poland (country)", "Poland"),
        ("Warsaw", "Warsaw"),
    ]
    assert len(await store.named_in("default", "Marie Curie and Warsaw", limit=1)) == 1


async def test_names_of_a_passage_are_the_keys_that_its_links_go_by(store: PassageStore) -> None:
    long = prepared("nyc", "New York City (city)", "New York City is large. " * 20, aliases=["Gotham", "It"])
    await store.upsert("default", [long, prepared("none", "It", "Nothing is named so.")])
    first, *rest = [chunk.id for chunk in long.chunks]
    names = await store.names("default", [first, rest[0], await only_id(store, "none"), "unknown"])
    assert names == {
        first: ["gotham", "new york city", "new york city city"],
        rest[0]: [],
        await only_id(store, "none"): [],
    }


async def test_a_document_out_of_another_store_keeps_the_hash_of_its_whole_text(store: PassageStore) -> None:
    document = StoredDocument("curie", "Marie Curie", "", {"year": 1867}, stored_hash=CURIE.document.content_hash)
    copied = PreparedDocument(document, CURIE.chunks, CURIE.vectors)
    assert await store.upsert("default", [copied]) == UpsertCounts(added=1)
    assert await store.content_hashes("default", ["curie"]) == {"curie": CURIE.document.content_hash}
    assert await store.upsert("default", [CURIE]) == UpsertCounts(unchanged=1)


async def test_passages_come_in_the_order_asked(store: PassageStore) -> None:
    await store.upsert("default", [CURIE, WARSAW])
    ids = list(reversed(await store.passage_ids("default")))
    assert [p["id"] for p in await store.passages("default", [ids[0], "unknown", ids[1]])] == ids


async def test_replace_vectors_changes_all_or_nothing(store: PassageStore) -> None:
    await store.upsert("default", [CURIE, WARSAW])
    ids = await store.passage_ids("default")
    other = IngestSpec(EmbedderSpec("other", 3))
    new = {id_: np.eye(3, dtype=np.float32)[n] for n, id_ in enumerate(ids)}
    with pytest.raises(StoreError, match="differ"):
        await store.replace_vectors("default", other, {ids[0]: new[ids[0]]})
    assert len(await store.search_vector("default", vector("x"), 5)) == 2
    await store.replace_vectors("default", other, new)
    assert (await store.search_vector("default", new[ids[1]], 1))[0] == (ids[1], 1.0)
    info = await store.info("default")
    assert info is not None
    assert info.spec == IngestSpec(other.embedder, SPEC.chunk_size, SPEC.chunk_overlap)
    assert await store.verify("default") == []


async def test_a_document_without_text_has_no_passages(store: PassageStore) -> None:
    await store.upsert("default", [prepared("empty", "Empty", "  \n ")])
    assert [document["passages"] for document in await store.documents("default")] == [0]
    assert await store.search_text("default", "empty", 5) == []
    assert await store.verify("default") == []


async def test_verify_finds_nothing_in_a_sound_store(store: PassageStore) -> None:
    await store.upsert("default", [CURIE, WARSAW])
    await store.search_text("default", "x", 1)
    await store.upsert("default", [POLAND, prepared("curie", "Marie Curie", "She moved to Paris.")])
    await store.delete("default", ["warsaw"])
    assert await store.verify("default") == []


@pytest.mark.parametrize("name", ["missing", "ünï / ../x"])
async def test_an_unknown_namespace_is_said(store: PassageStore, name: str) -> None:
    assert await store.info(name) is None
    assert await store.content_hashes(name, ["a"]) == {}
    for reading in (
        store.search_text(name, "x", 1),
        store.search_vector(name, vector("x"), 1),
        store.named_in(name, "x"),
        store.links(name, []),
        store.names(name, []),
        store.documents(name),
        store.upsert(name, []),
        store.delete(name, []),
        store.verify(name),
    ):
        with pytest.raises(NamespaceNotFound, match="lookahead ingest"):
            await reading


async def test_any_name_makes_a_namespace(store: PassageStore) -> None:
    await store.create("ünï / ../x", SPEC)
    await store.upsert("ünï / ../x", [prepared("a", "A title", "Some text.", "ünï / ../x")])
    assert len(await store.search_text("ünï / ../x", "text", 5)) == 1
