"""What `verify` finds in Neo4j: everything that bears a namespace's number and that nothing sound refers to."""

from collections.abc import AsyncIterator

import pytest

from stores.neo4j import Neo4jStore
from tests.contract.histories import SPEC, prepared
from tests.integration.neo4j_server import Neo4jServer, OwnNeo4j
from tests.integration.neo4j_stores import empty_store

Server = Neo4jServer | OwnNeo4j
DOCUMENTS = [
    prepared("curie", "Marie Curie", "She was born in Warsaw."),
    prepared("warsaw", "Warsaw", "The capital of Poland."),
    prepared("again", "Warsaw", "A city."),
    prepared("long", "Long", "One sentence of it names Warsaw. " * 4),
]
# `n` is the namespace whose strays are looked for, `other` one that holds the same documents.
CURIE = "(c:Chunk {namespace: n.number, document: 'curie'})"
WARSAW = "(w:Chunk {namespace: n.number, document: 'warsaw'})"
CITY = "(e:Entity {namespace: n.number, id: 'warsaw'})"
THEIRS = "(o:Chunk {namespace: other.number, document: 'warsaw'})"
TWIN = "row: 999, document: 'curie', position: 7, title: '', text: 'Stray.', terms: 'stray'"
STRAYS = {
    "an entity that nobody bears": (
        "CREATE (:Entity {namespace: n.number, id: 'lost one', key: 'lost one', number: 1})",
        "Name 'lost one' should be borne by a passage; none is recorded.",
    ),
    "an entity beyond the last number": (
        f"MATCH {CURIE} CREATE (c)-[:NAMES]->(:Entity {{namespace: n.number, id: 'x y', key: 'x y', number: 99}})",
        "Name 'x y' has number 99; 1 to 3 were given.",
    ),
    "an entity beyond the last number that nobody bears": (
        "CREATE (:Entity {namespace: n.number, id: 'lost one', key: 'lost one', number: 99})",
        "Name 'lost one' should be borne by a passage; none is recorded.",
    ),
    "an entity below the first number": (
        "CREATE (:Entity {namespace: n.number, id: 'lost one', key: 'lost one', number: -5})",
        "Name 'lost one' has number -5; 1 to 3 were given.",
    ),
    "an entity without a number": (
        "CREATE (x:Entity {namespace: n.number, id: 'lost one', key: 'lost one'})",
        "Entity '<x>' lacks a property",
    ),
    "an entity with nothing": ("CREATE (x:Entity {namespace: n.number})", "Entity '<x>' lacks a property"),
    "an entity under a wrong id": (
        "CREATE (:Entity {namespace: n.number, id: 'other', key: 'lost one', number: 1})",
        "Name 'lost one' is kept under 'other', where nobody looks for it.",
    ),
    "a passage of no document": (
        "CREATE (:Chunk {namespace: n.number, id: 'stray', row: 1000, document: 'gone', position: 0, title: '', "
        "text: '', terms: ''})",
        "Passage 'stray' belongs to no document.",
    ),
    "a passage that no document holds": (
        f"CREATE (:Chunk {{namespace: n.number, id: 'stray', {TWIN}}})",
        "Passage 'stray' belongs to no document.",
    ),
    "a passage beyond the last number": (
        f"MATCH (d:Document {{namespace: n.number, key: 'curie'}}) "
        f"CREATE (d)-[:HAS]->(:Chunk {{namespace: n.number, id: 'stray', {TWIN}}})",
        "Passage 'stray' has number 999; 1 to 7 were given.",
    ),
    "a passage whose number is none": (
        "CREATE (x:Chunk {namespace: n.number, id: 'stray', row: 'one', document: 'curie', position: 7, title: '', "
        "text: '', terms: ''})",
        "Chunk '<x>' lacks a property that every one has, or has one of another kind.",
    ),
    "a passage with nothing": ("CREATE (x:Chunk {namespace: n.number})", "Chunk '<x>' lacks a property"),
    "a document without passages": (
        "CREATE (:Document {namespace: n.number, key: 'stray', passages: 2, title: '', source: '', metadata: '{}', "
        "content_hash: ''})",
        "Document 'stray' should have 2 passages",
    ),
    "a document with nothing": ("CREATE (x:Document {namespace: n.number})", "Document '<x>' lacks a property"),
    "a passage held by another document too": (
        f"MATCH {WARSAW}, (d:Document {{namespace: n.number, key: 'curie'}}) CREATE (d)-[:HAS]->(w)",
        "Document 'curie' holds 1 passages that are not its own.",
    ),
    "a passage held twice": (
        f"MATCH (d:Document)-[:HAS]->{WARSAW} CREATE (d)-[:HAS]->(w)",
        "belongs to document 'warsaw' alone; 2 hold it.",
    ),
    "a passage of another namespace held": (
        f"MATCH {THEIRS}, (d:Document {{namespace: n.number, key: 'curie'}}) CREATE (d)-[:HAS]->(o)",
        "Document 'curie' holds 1 passages that are not its own.",
    ),
    "a passage held by another namespace": (
        f"MATCH {WARSAW}, (d:Document {{namespace: other.number, key: 'warsaw'}}) CREATE (d)-[:HAS]->(w)",
        "belongs to document 'warsaw' alone; 2 hold it.",
    ),
    "passages joined that are no neighbours": (
        f"MATCH {CURIE}, {WARSAW} CREATE (c)-[:NEXT]->(w)",
        "is joined to one that is not beside it in its document.",
    ),
    "a passage joined to one of another namespace": (
        f"MATCH {THEIRS}, {WARSAW} CREATE (o)-[:NEXT]->(w)",
        "is joined to one that is not beside it in its document.",
    ),
    "a name borne twice": (
        f"MATCH {WARSAW}-[b:NAMES]->(e) CREATE (w)-[:NAMES {{rank: b.rank}}]->(e)",
        "should bear 1 names, each once; 2 are recorded, 1 of them stored.",
    ),
    "a name borne that the passage never had": (
        f"MATCH {CURIE}, {CITY} CREATE (c)-[:NAMES {{rank: 1}}]->(e)",
        "should bear 1 names, each once; 2 are recorded, 2 of them stored.",
    ),
    "a name of another namespace borne": (
        f"MATCH {CURIE}, (e:Entity {{namespace: other.number, id: 'warsaw'}}) CREATE (c)-[:NAMES {{rank: 1}}]->(e)",
        "should bear 1 names, each once; 2 are recorded, 1 of them stored.",
    ),
    "a name borne by another namespace": (
        f"MATCH {THEIRS}, {CITY} CREATE (o)-[:NAMES {{rank: 1}}]->(e)",
        "Name 'warsaw' is borne by 1 passages that are not stored.",
    ),
    "a name mentioned by another namespace": (
        f"MATCH {THEIRS}, {CITY} CREATE (o)-[:MENTIONS {{rank: 1, place: 1}}]->(e)",
        "Name 'warsaw' is mentioned by 1 passages that are not stored.",
    ),
    "a link that no text supports": (
        f"MATCH {WARSAW}, (e:Entity {{namespace: n.number, id: 'marie curie'}}) "
        "CREATE (w)-[:MENTIONS {rank: 1, place: 1}]->(e)",
        "0 links are missing, 1 are stored that no text supports.",
    ),
    "a link into another namespace": (
        f"MATCH {CURIE}-[m:MENTIONS]->(), (e:Entity {{namespace: other.number, id: 'warsaw'}}) "
        "CREATE (c)-[:MENTIONS {rank: m.rank, place: m.place}]->(e)",
        "0 links are missing, 1 are stored that no text supports.",
    ),
    "a link to no name at all": (
        f"MATCH {CURIE}, {WARSAW} CREATE (c)-[:MENTIONS {{rank: 1, place: 9}}]->(w)",
        "0 links are missing, 1 are stored that no text supports.",
    ),
}


@pytest.fixture
async def store(neo4j_server: Server) -> AsyncIterator[Neo4jStore]:
    async with empty_store(neo4j_server) as opened:
        for namespace in ("default", "twin"):
            await opened.create(namespace, SPEC)
            await opened.upsert(namespace, DOCUMENTS)
        yield opened


async def run(store: Neo4jStore, statement: str, **parameters: object) -> list[list[object]]:
    return await (await store._opened()).server.change("Test", statement, **parameters)


async def undo(store: Neo4jStore, nodes: object, joints: object) -> None:
    """Take away what was not there before."""
    await run(store, "MATCH (x) WHERE NOT elementId(x) IN $before DETACH DELETE x", before=nodes)
    await run(store, "MATCH ()-[r]->() WHERE NOT elementId(r) IN $before DELETE r", before=joints)


async def test_verify_names_each_kind_of_stray(store: Neo4jStore) -> None:
    """One after the other on one store, which is sound again in between: making it takes longer than all of them."""
    [[nodes]] = await run(store, "MATCH (x) RETURN collect(elementId(x))")
    [[joints]] = await run(store, "MATCH ()-[r]->() RETURN collect(elementId(r))")
    both = "MATCH (n:Namespace {name: 'default'}), (other:Namespace {name: 'twin'}) WITH n, other"
    assert await store.verify("default") == []
    for kind, (statement, said) in STRAYS.items():
        [[node]] = await run(store, f"{both} {statement} RETURN {'elementId(x)' if '<x>' in said else 0}")
        faults = await store.verify("default")
        assert any(said.replace("<x>", str(node)) in fault for fault in faults), f"{kind}: {faults}"
        await undo(store, nodes, joints)
    assert await store.verify("default") == []


LOST = {
    "one of several bearers": (
        "MATCH (:Chunk {namespace: n.number, document: 'again'})-[b:NAMES]->() DELETE b",
        "should bear 1 names, each once; 0 are recorded, 0 of them stored.",
    ),
    "a join, its place taken by one into another namespace": (
        "MATCH (a:Chunk {namespace: n.number, document: 'long', position: 0})-[r:NEXT]->(), "
        "(o:Chunk {document: 'long', position: 1}) WHERE o.namespace <> n.number DELETE r CREATE (a)-[:NEXT]->(o)",
        "is not joined to the next one of its document.",
    ),
}


async def test_verify_names_what_is_lost_though_much_like_it_is_left(store: Neo4jStore) -> None:
    for statement, said in LOST.values():
        await run(store, f"MATCH (n:Namespace {{name: 'default'}}) {statement}")
        faults = await store.verify("default")
        assert any(said in fault for fault in faults), faults


async def test_strays_of_one_namespace_are_not_anothers(store: Neo4jStore) -> None:
    await run(store, f"MATCH (n:Namespace {{name: 'twin'}}) {STRAYS['an entity that nobody bears'][0]}")
    assert await store.verify("default") == []
    assert STRAYS["an entity that nobody bears"][1] in await store.verify("twin")


async def test_everything_is_looked_at_however_small_the_slices(
    store: Neo4jStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stores.neo4j_verifying._SLICE", 1)
    assert await store.verify("default") == []
    await run(store, f"MATCH (n:Namespace {{name: 'default'}}) {STRAYS['an entity that nobody bears'][0]}")
    assert await store.verify("default") == [STRAYS["an entity that nobody bears"][1]]


async def test_passages_of_a_version_that_did_not_count_names_are_sound(store: Neo4jStore) -> None:
    await run(store, "MATCH (c:Chunk) REMOVE c.names")
    assert await store.verify("default") == []


async def test_a_name_goes_with_the_last_document_that_bears_it(store: Neo4jStore) -> None:
    left = "MATCH (x {namespace: n.number}) WHERE NOT x:Namespace RETURN labels(x)[0], coalesce(x.id, x.key) ORDER BY 2"
    left = f"MATCH (n:Namespace {{name: 'default'}}) {left}"
    more = prepared("more", "Warsaw", "Another one.")
    await store.upsert("default", [more])
    await store.delete("default", ["long", "warsaw", "again", "curie"])
    assert [found for found in await run(store, left) if found[0] == "Entity"] == [["Entity", "warsaw"]]
    assert await store.verify("default") == []
    await store.delete("default", ["more"])
    assert await run(store, left) == []
    assert await store.verify("default") == []
