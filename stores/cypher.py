"""All Cypher of the Neo4j store, but for what verifies it (`cypher_verifying.py`).

What varies is a parameter; a name that cannot be one stands as `<name>`, and `stores.neo4j_names.fill` checks it.

    (:Namespace {name, number, spec, generation, epoch, documents, passages, links, …})
    (:Document {namespace, key})-[:HAS]->(:Chunk {namespace, id, row})-[:NEXT]->(:Chunk)
    (:Chunk)-[:MENTIONS {place, rank}]->(:Entity {namespace, id})<-[:NAMES {rank}]-(:Chunk)

`namespace` on a node is the namespace's number, which none had before. Each namespace has a label of its own beside
`Chunk`, and by it a full-text and a vector index of its own: passages of one namespace neither change the scores of
another (BM25 counts documents) nor crowd out its nearest neighbours. A vector is kept twice: as a list of floats for
the index, and as the bytes of float32, which are read five times as fast. Both properties bear the namespace's epoch,
so that other vectors can be laid beside those in use and taken into use at once.

Knows nothing about drivers, sessions or what the results mean.
"""

# Schema ---------------------------------------------------------------------------------------------------------------

READ_VERSION = "OPTIONAL MATCH (s:LookaheadStore) RETURN max(s.version)"
WRITE_VERSION = "MERGE (s:LookaheadStore {id: 1}) ON CREATE SET s.namespaces = 0 SET s.version = $version"
MIGRATIONS = {
    1: (
        "CREATE CONSTRAINT lookahead_store IF NOT EXISTS FOR (s:LookaheadStore) REQUIRE s.id IS UNIQUE",
        "CREATE CONSTRAINT lookahead_namespace IF NOT EXISTS FOR (n:Namespace) REQUIRE n.name IS UNIQUE",
        "CREATE CONSTRAINT lookahead_document IF NOT EXISTS FOR (d:Document) REQUIRE (d.namespace, d.key) IS UNIQUE",
        "CREATE CONSTRAINT lookahead_chunk IF NOT EXISTS FOR (c:Chunk) REQUIRE (c.namespace, c.id) IS UNIQUE",
        "CREATE CONSTRAINT lookahead_chunk_row IF NOT EXISTS FOR (c:Chunk) REQUIRE (c.namespace, c.row) IS UNIQUE",
        "CREATE CONSTRAINT lookahead_entity IF NOT EXISTS FOR (e:Entity) REQUIRE (e.namespace, e.id) IS UNIQUE",
        "CREATE INDEX lookahead_entity_number IF NOT EXISTS FOR (e:Entity) ON (e.namespace, e.number)",
    )
}
"""Statements that lead to each version from the one before; done twice, they change nothing."""

CREATE_TEXT_INDEX = """
CREATE FULLTEXT INDEX <index> IF NOT EXISTS FOR (c:<label>) ON EACH [c.terms]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}}
"""
"""`terms` are title and text as `stores.search_terms` sees them, joined by blanks: BM25 as in the embedded store."""
CREATE_VECTOR_INDEX = """
CREATE VECTOR INDEX <index> IF NOT EXISTS FOR (c:<label>) ON (c.<property>)
OPTIONS {indexConfig: {`vector.dimensions`: <dimension>, `vector.similarity_function`: 'cosine',
  `vector.quantization.enabled`: <quantization>, `vector.hnsw.m`: <m>,
  `vector.hnsw.ef_construction`: <ef_construction>}}
"""
DROP_INDEX = "DROP INDEX <index> IF EXISTS"
AWAIT_INDEX = "CALL db.awaitIndex($index, $seconds)"
SHOW_INDEXES = "SHOW INDEXES YIELD name, state WHERE name STARTS WITH 'lookahead_' RETURN name, state"

# Namespaces -----------------------------------------------------------------------------------------------------------

NAMESPACES = "MATCH (n:Namespace) RETURN properties(n) ORDER BY n.name"
NAMESPACE = "MATCH (n:Namespace {name: $namespace}) RETURN properties(n)"
LOCK = "MATCH (n:Namespace {name: $namespace}) SET n.locked = timestamp()"
"""Until the transaction ends, no other one gets past this statement."""
RESERVE = """
MERGE (s:LookaheadStore {id: 1}) SET s.namespaces = coalesce(s.namespaces, 0) + 1
CREATE (v:Vacant {number: s.namespaces, since: timestamp()}) RETURN v.number
"""
"""A number for a namespace that is being made. A vacant number's passages and indexes are swept away in time."""
FOUND = """
MATCH (v:Vacant {number: $number})
REMOVE v:Vacant, v.since
SET v:Namespace, v += $properties, v.generation = timestamp()
"""
"""Generations begin at the time in milliseconds: a namespace made again has no generation that it had before."""
CLEAR = "MATCH (n:Namespace {name: $namespace}) REMOVE n:Namespace, n.name SET n:Vacant, n.since = 0 RETURN n.documents"
ABANDON = "MATCH (v:Vacant {number: $number}) SET v.since = 0"
VACANT = "MATCH (v:Vacant) WHERE v.since < timestamp() - $grace RETURN v.number"
SWEEP = (
    "MATCH (x:Chunk) WHERE x.namespace = $number AND x.row > 0 WITH x LIMIT $many DETACH DELETE x RETURN count(*)",
    "MATCH (x:Document) WHERE x.namespace = $number AND x.key >= '' WITH x LIMIT $many DETACH DELETE x RETURN count(*)",
    "MATCH (x:Entity) WHERE x.namespace = $number AND x.id >= '' WITH x LIMIT $many DETACH DELETE x RETURN count(*)",
)
"""Each to be repeated until it deletes fewer. (An index of two properties serves only who asks for both.)"""
FORGET = "MATCH (v:Vacant {number: $number}) DELETE v"
CLAIM = """
MATCH (n:Namespace {name: $namespace}) WITH n, coalesce(n.attempt, n.epoch) + 1 AS epoch
SET n.out_of_use = coalesce(n.out_of_use, []) + coalesce(n.attempt, []), n.attempt = epoch RETURN epoch
"""
"""An epoch that none had before it; vectors of an attempt that was under way will never be in use."""
LAY_VECTORS = """
UNWIND $rows AS row MATCH (c:Chunk {namespace: $number, id: row.id})
SET c.<vector> = row.floats, c.<bytes> = row.exact
"""
TAKE_VECTORS = """
MATCH (n:Namespace {name: $namespace})
SET n.spec = $spec, n.out_of_use = coalesce(n.out_of_use, []) + n.epoch, n.epoch = n.attempt,
    n.generation = n.generation + 1
REMOVE n.attempt
"""
OUT_OF_USE = "MATCH (n:Namespace) WHERE size(n.out_of_use) > 0 RETURN properties(n)"
REMOVE_VECTORS = """
MATCH (c:Chunk) WHERE c.namespace = $number AND $first <= c.row < $end REMOVE c.<vector>, c.<bytes>
"""
FORGET_VECTORS = """
MATCH (n:Namespace {number: $number}) SET n.locked = timestamp()
WITH n SET n.out_of_use = [epoch IN n.out_of_use WHERE NOT epoch IN $epochs]
"""
"""Locked first, so that no epoch is lost that another transaction adds meanwhile."""

# Reading: one row, of the namespace's properties and what was found; no row when there is no such namespace --
# Ordered by both properties of an index, what comes in its order is not sorted, and a page is read and no more.


def _reading(found: str) -> str:
    return f"MATCH (n:Namespace {{name: $namespace}})\nRETURN properties(n), COLLECT {{{found}}}"


CONTENT_HASHES = _reading("""
UNWIND $keys AS key MATCH (d:Document {namespace: n.number, key: key}) RETURN [d.key, d.content_hash]
""")
DOCUMENTS = _reading("""
MATCH (d:Document) WHERE d.namespace = n.number AND d.key >= ''
WITH d ORDER BY d.namespace, d.key SKIP $offset LIMIT $limit
RETURN [d.key, d.title, d.source, d.metadata, d.content_hash, d.passages]
""")
DOCUMENT = _reading("""
MATCH (d:Document {namespace: n.number, key: $key})
RETURN [d.key, d.title, d.source, d.metadata, d.content_hash, d.passages,
        COLLECT { MATCH (d)-[:HAS]->(c:Chunk) WITH c ORDER BY c.position RETURN [c.id, c.document, c.title, c.text] }]
""")
PASSAGES = _reading("""
UNWIND $ids AS id MATCH (c:Chunk {namespace: n.number, id: id})<-[:HAS]-(d:Document)
RETURN [c.id, c.document, c.title, c.text, d.metadata]
""")
VECTORS = _reading("""
UNWIND $ids AS id MATCH (c:Chunk {namespace: n.number, id: id}) RETURN [c.id, c['bytes_' + toString(n.epoch)]]
""")
NAMES = _reading("""
UNWIND $ids AS id MATCH (c:Chunk {namespace: n.number, id: id})
RETURN [c.id, COLLECT { MATCH (c)-[:NAMES]->(e:Entity) RETURN e.key }]
""")
PASSAGE_IDS = _reading(
    "MATCH (c:Chunk) WHERE c.namespace = n.number AND c.id >= '' WITH c ORDER BY c.namespace, c.id RETURN c.id"
)
NAMED_IN = _reading("""
UNWIND $names AS id MATCH (e:Entity {namespace: n.number, id: id})
RETURN [e.key, COLLECT { MATCH (e)<-[b:NAMES]-(c:Chunk) WITH b, c ORDER BY b.rank, c.id LIMIT $limit RETURN c.id }]
""")
LINKS = _reading("""
UNWIND $ids AS id MATCH (c:Chunk {namespace: n.number, id: id})
RETURN [id, COLLECT {
  MATCH (c)-[m:MENTIONS]->(e:Entity)
  CALL (e) { MATCH (e)<-[b:NAMES]-(o:Chunk) RETURN o, b.rank AS rank ORDER BY rank, o.id LIMIT $bearers }
  WITH m, o, rank WHERE o.document <> c.document
  WITH o.id AS other, m.place AS place, rank ORDER BY place, rank, other RETURN other
}, COLLECT {
  MATCH (c)-[:NAMES]->(e:Entity)
  CALL (c, e) {
    MATCH (e)<-[m:MENTIONS]-(o:Chunk) WHERE o.document <> c.document
    RETURN o.id AS other, m.rank AS rank ORDER BY rank, other LIMIT $incoming
  }
  WITH DISTINCT other, rank ORDER BY rank, other RETURN other
}]
""")
SEARCH_TEXTS = _reading("""
UNWIND range(0, size($queries) - 1) AS place
RETURN [place, COLLECT {
  CALL db.index.fulltext.queryNodes('lookahead_text_' + toString(n.number), $queries[place], {limit: $limit})
  YIELD node, score RETURN [node.id, score]
}]
""")
SEARCH_EXACT = _reading("""
MATCH (c:Chunk) WHERE c.namespace = n.number AND c.row > 0
WITH c.id AS id, coalesce(vector.similarity.cosine(c['vector_' + toString(n.epoch)], $vector), 0.5) AS score
ORDER BY score DESC, id LIMIT $limit RETURN [id, score]
""")
SEARCH_PROCEDURE = _reading("""
CALL db.index.vector.queryNodes($index, $limit, $vector) YIELD node, score RETURN [node.id, score]
""")
SEARCH_CLAUSE = "CYPHER 25 " + _reading("""
MATCH (c:<label>) SEARCH c IN (VECTOR INDEX <index> FOR $vector LIMIT $limit) SCORE AS score RETURN [c.id, score]
""")
COUNT_IN_TEXT_INDEX = """
CALL db.index.fulltext.queryNodes($index, '*:*') YIELD node RETURN count(node), count(DISTINCT node)
"""

# Writing: in one transaction, after LOCK ------------------------------------------------------------------------------

STORED_HASHES = """
UNWIND $keys AS key MATCH (d:Document {namespace: $number, key: key}) RETURN d.key, d.content_hash
"""
NEW_TOKENS = """
MATCH (c:Chunk) WHERE c.namespace = $number AND c.row > $row RETURN c.row, c.tokens ORDER BY c.namespace, c.row
"""
NEW_NAMES = "MATCH (e:Entity) WHERE e.namespace = $number AND e.number > $entity RETURN e.key"
CHUNKS_OF = "UNWIND $keys AS key MATCH (:Document {namespace: $number, key: key})-[:HAS]->(c:Chunk) RETURN c.row"
NAMES_OF = """
UNWIND $keys AS key MATCH (:Document {namespace: $number, key: key})-[:HAS]->(c:Chunk)-[:NAMES]->(e:Entity)
WITH e, count(c) AS leaving RETURN e.key, leaving = COUNT { (e)<-[:NAMES]-() }
"""
MENTIONING = "UNWIND $names AS id MATCH (:Entity {namespace: $number, id: id})<-[:MENTIONS]-(c) RETURN DISTINCT c.row"
COUNT_LINKS = """
CALL () {
  UNWIND $rows AS row MATCH (c:Chunk {namespace: $number, row: row})-[m:MENTIONS]->(e:Entity) RETURN c, m, e
  UNION
  UNWIND $names AS id MATCH (c:Chunk)-[m:MENTIONS]->(e:Entity {namespace: $number, id: id}) RETURN c, m, e
}
WITH e, c.document AS document, count(m) AS mentions
WHERE EXISTS { (e)<-[:NAMES]-(o:Chunk) WHERE o.document <> document }
RETURN coalesce(sum(mentions), 0)
"""
"""Mentions in these passages or of these names, as far as another document bears the name."""
DELETE_DOCUMENTS = """
UNWIND $keys AS key MATCH (d:Document {namespace: $number, key: key}) OPTIONAL MATCH (d)-[:HAS]->(c:Chunk)
DETACH DELETE c, d
"""
DELETE_NAMES = "UNWIND $names AS id MATCH (e:Entity {namespace: $number, id: id}) DETACH DELETE e"
DELETE_MENTIONS = "UNWIND $rows AS row MATCH (:Chunk {namespace: $number, row: row})-[m:MENTIONS]->() DELETE m"
CREATE_DOCUMENTS = "UNWIND $rows AS row CREATE (d:Document {namespace: $number}) SET d += row"
CREATE_CHUNKS = """
UNWIND $rows AS row MATCH (d:Document {namespace: $number, key: row.document})
CREATE (d)-[:HAS]->(c:Chunk {namespace: $number}) SET c:$($label) SET c += row
"""
CREATE_ORDER = """
UNWIND $rows AS row MATCH (a:Chunk {namespace: $number, row: row}) MATCH (b:Chunk {namespace: $number, row: row + 1})
CREATE (a)-[:NEXT]->(b)
"""
CREATE_NAMES = "UNWIND $rows AS row CREATE (e:Entity {namespace: $number}) SET e += row"
CREATE_BEARERS = """
UNWIND $rows AS row
MATCH (c:Chunk {namespace: $number, row: row.row}) MATCH (e:Entity {namespace: $number, id: row.name})
CREATE (c)-[:NAMES {rank: row.rank}]->(e)
"""
CREATE_MENTIONS = """
UNWIND $rows AS row
MATCH (c:Chunk {namespace: $number, row: row.row}) MATCH (e:Entity {namespace: $number, id: row.name})
CREATE (c)-[:MENTIONS {place: row.place, rank: row.rank}]->(e)
"""
TEXTS = "UNWIND $rows AS row MATCH (c:Chunk {namespace: $number, row: row}) RETURN c.row, c.id, c.text"
UPDATE_NAMESPACE = "MATCH (n:Namespace {number: $number}) SET n += $properties"
