"""Cypher that reads everything in a namespace of the Neo4j store, to be compared with everything else.

In slices that begin at the last key of the one before, so that no statement takes long, and nothing that bears the
namespace's number is passed over, whatever its own. The graph is described in `stores/cypher.py`.
"""


def _whole(node: str, numbers: str, texts: str) -> str:
    """That a node has all that is read of it, each of its kind."""
    kinds = [(name, "INTEGER") for name in numbers.split()] + [(name, "STRING") for name in texts.split()]
    return " AND ".join(f"{node}.{name} IS :: {kind} NOT NULL" for name, kind in kinds)


_DOCUMENT = _whole("d", numbers="passages", texts="key title source metadata content_hash")
_CHUNK = _whole("c", numbers="row position", texts="id document title text terms")
_ENTITY = _whole("e", numbers="number", texts="id key")

NODES = (
    f"MATCH (d:Document) WHERE d.namespace + 0 = $number AND NOT ({_DOCUMENT}) RETURN 'Document', elementId(d)",
    f"MATCH (c:Chunk) WHERE c.namespace + 0 = $number AND NOT ({_CHUNK}) RETURN 'Chunk', elementId(c)",
    f"MATCH (e:Entity) WHERE e.namespace + 0 = $number AND NOT ({_ENTITY}) RETURN 'Entity', elementId(e)",
)
"""No index finds a node without the properties that are indexed, yet 5.26 takes one for these: hence the "+ 0", which
none serves. The statements below pass such nodes over."""
DOCUMENTS = f"""
MATCH (d:Document) WHERE d.namespace = $number AND d.key >= $key AND {_DOCUMENT}
WITH d ORDER BY d.namespace, d.key SKIP $skip LIMIT $many
RETURN d.key, d.passages, COUNT {{ (d)-[:HAS]->() }},
       COLLECT {{
         MATCH (d)-[:HAS]->(c:Chunk {{namespace: $number, document: d.key}}) WHERE {_CHUNK} RETURN c.position
       }}
"""
CHUNKS = f"""
MATCH (c:Chunk) WHERE c.namespace = $number AND c.row >= $key AND {_CHUNK}
WITH c ORDER BY c.namespace, c.row SKIP $skip LIMIT $many
OPTIONAL MATCH (d:Document {{namespace: $number, key: c.document}})
WITH c, d, coalesce(c.position + 1 = d.passages, false) AS last
ORDER BY c.row
RETURN c.row, c.id, c.document, c.title, c.text, c.terms, c.tokens, c.<bytes>, c.<vector>,
       COUNT {{ (d)-[:HAS]->(c) }}, COUNT {{ ()-[:HAS]->(c) }},
       last OR EXISTS {{
         (c)-[:NEXT]->(:Chunk {{namespace: $number, document: c.document, position: c.position + 1}})
       }},
       COUNT {{ (c)-[:NEXT]->() }} > CASE WHEN last THEN 0 ELSE 1 END
         OR COUNT {{ ()-[:NEXT]->(c) }} > CASE WHEN c.position = 0 THEN 0 ELSE 1 END,
       c.names, COUNT {{ (c)-[:NAMES]->() }},
       COUNT {{ MATCH (c)-[:NAMES]->(e:Entity {{namespace: $number}}) RETURN DISTINCT e }},
       COLLECT {{
         MATCH (c)-[m:MENTIONS]->(e) RETURN [CASE WHEN e:Entity AND e.namespace = $number THEN e.key END, m.place]
       }}
"""
"""Last: what it mentions, under which key if that is a name of the namespace, and where."""
NAMES = f"""
MATCH (e:Entity) WHERE e.namespace = $number AND e.id >= $key AND {_ENTITY}
WITH e ORDER BY e.namespace, e.id SKIP $skip LIMIT $many
CALL (e) {{
  MATCH (c:Chunk)-[m:MENTIONS]->(e)
  WITH e, c.document AS document, count(m) AS mentions
  WHERE EXISTS {{ (e)<-[:NAMES]-(o:Chunk) WHERE o.document <> document }}
  RETURN coalesce(sum(mentions), 0) AS links
}}
WITH e, links ORDER BY e.id
RETURN e.id, e.key, e.number, links,
       COUNT {{ (e)<-[:NAMES]-(:Chunk {{namespace: $number}}) }}, COUNT {{ (e)<-[:NAMES]-() }},
       COUNT {{ (e)<-[:MENTIONS]-(:Chunk {{namespace: $number}}) }}, COUNT {{ (e)<-[:MENTIONS]-() }}
"""
