"""Cypher and the names in it: parameters only, nothing from outside, operators of a query taken literally."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from stores import cypher, cypher_verifying
from stores.neo4j_names import (
    bytes_property,
    chunk_label,
    entity_id,
    escaped,
    fill,
    parse_index,
    text_index,
    vector_index,
    vector_property,
)

STORES = Path(cypher.__file__).parent


def statements() -> Iterator[str]:
    for name, value in [*vars(cypher).items(), *vars(cypher_verifying).items()]:
        if name.isupper():
            groups = value.values() if isinstance(value, dict) else [value]
            for group in groups:
                yield from [group] if isinstance(group, str) else group


def test_what_varies_is_a_parameter_or_a_name_that_is_checked() -> None:
    found = list(statements())
    assert len(found) > 50
    placeholders = {name for statement in found for name in re.findall(r"<(\w+)>", statement)}
    assert placeholders == {
        "index", "label", "property", "vector", "bytes", "dimension", "quantization", "m", "ef_construction"
    }  # fmt: skip
    assert not [statement for statement in found if re.search(r"%s|\{\}|\{\w+\}(?!-)", statement)]


def test_no_other_file_of_the_store_holds_cypher() -> None:
    keywords = re.compile(r"\b(?:MATCH|UNWIND|MERGE|DETACH|SHOW INDEXES|CREATE (?:CONSTRAINT|VECTOR|FULLTEXT))\b")
    found = {path.name for path in STORES.glob("*.py") if keywords.search(path.read_text())}
    assert found == {"cypher.py", "cypher_verifying.py"}


@pytest.mark.parametrize(
    "name",
    [chunk_label(7), vector_property(2), bytes_property(2), text_index(7), vector_index(7, 2, 384), 384, "true"],
)  # fmt: skip
def test_names_made_here_may_stand_in_a_statement(name: str | int) -> None:
    assert fill("a <x> b <x>", x=name) == f"a {name} b {name}"


@pytest.mark.parametrize(
    "name", ["Chunk", "Chunk_7`) DETACH DELETE n //", "lookahead_text_7 x", "", "x", "1; DROP", "Chunk_7\n", "-1"]
)
def test_no_other_name_may(name: str) -> None:
    with pytest.raises(ValueError, match="no name that may stand"):
        fill("MATCH (c:<label>)", label=name)


def test_an_index_tells_whose_it_is() -> None:
    assert parse_index(text_index(7)) == (7, None)
    assert parse_index(vector_index(7, 2, 384)) == (7, 2)
    assert parse_index("lookahead_entity") is None


@pytest.mark.parametrize("operator", list('+-&|!(){}[]^"~*?:\\/<>= '))
def test_every_operator_of_lucene_is_escaped(operator: str) -> None:
    assert escaped(f"a{operator}b") == f"a\\{operator}b"


@pytest.mark.parametrize("word", ["AND", "OR", "NOT", "TO"])
def test_words_that_lucene_takes_for_operators_are_escaped(word: str) -> None:
    assert escaped(word) == f"\\{word}"
    assert escaped(word.lower()) == word.lower()


def test_a_name_too_long_for_an_index_is_known_by_its_hash() -> None:
    long = "x" * 9000
    assert entity_id("new york") == "new york"
    assert entity_id(long) == entity_id("x" * 9000) != entity_id("x" * 9001)
    assert len(entity_id("ü" * 9000).encode()) < 1000
