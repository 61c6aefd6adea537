"""Chunks follow the structure of a document and lose nothing of it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stores.chunking import chunk_document
from stores.records import Chunk, Document
from stores.sentences import split_sentences

LINES = st.sampled_from(
    [
        "# Top",
        "## Sub heading",
        "",
        "Plain words here.",
        "Dr. A. Smith met 3.5 people! Why? It rained.",
        "a | b",
        "--- | ---",
        "| 1 | 2 |",
        "```python",
        "x = 1",
        "```",
        "word " * 60,
        "x" * 90,
        "  indented",
        "- item one",
        "\t",
        "ünïcödé “quoted.” So.",
    ]
)
TEXTS = st.one_of(st.lists(LINES, max_size=25).map("\n".join), st.text(max_size=300))


def chunks(text: str, size: int = 80, overlap: int = 20) -> list[Chunk]:
    return chunk_document(Document("key", "A Title", text), "default", size, overlap)


def bare(text: str) -> str:
    return "".join(text.split())


def covers_in_order(whole: str, parts: list[str], overlap: int) -> bool:
    """Whether the parts, each beginning with at most `overlap` characters of what was there, spell the whole."""
    ends = {0}
    for part in parts:
        starts = {end - back for end in ends for back in range(min(end, overlap) + 1)}
        ends = {start + len(part) for start in starts if whole.startswith(part, start)}
    return len(whole) in ends


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.integers(20, 120), st.integers(0, 40))
def test_no_character_is_lost_or_out_of_order(text: str, size: int, overlap: int) -> None:
    made = [bare(chunk.text) for chunk in chunks(text, size, overlap)]
    whole = bare(text)
    if "|" not in text:  # parts of a huge table repeat its header
        assert covers_in_order(whole, made, overlap)
    joined, at = "".join(made), 0
    for character in whole:  # in any case a subsequence of the chunks in order
        at = joined.index(character, at) + 1


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_sentences_lose_no_character(text: str) -> None:
    assert bare("".join(split_sentences(text))) == bare(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He left the U.S. in 1990. Then he died.", ["He left the U.S. in 1990.", "Then he died."]),
        ("The U.S. Army won. It rained.", ["The U.S. Army won.", "It rained."]),
        ("He came to the U.S. The army won.", ["He came to the U.S.", "The army won."]),
        ("Dr. J. R. Smith met Mrs. Bell.", ["Dr. J. R. Smith met Mrs. Bell."]),
        ("It cost 3.50 dollars. Cheap!", ["It cost 3.50 dollars.", "Cheap!"]),
        ('"Why?" he asked. "So." Then he left.', ['"Why?" he asked.', '"So."', "Then he left."]),
        ("First line\n\nSecond line", ["First line", "Second line"]),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str, expected: list[str]) -> None:
    assert split_sentences(text) == expected


def test_a_heading_stays_with_its_text_and_begins_a_chunk() -> None:
    texts = [
        chunk.text for chunk in chunks("Intro text.\n\n# Birds\n\n## Owls\nOwls fly at night.\n\n# Fish\nFish swim.")
    ]
    assert texts == ["Intro text.", "# Birds\n\n## Owls\n\nOwls fly at night.", "# Fish\n\nFish swim."]


def test_a_table_is_never_split_from_its_header() -> None:
    table = "| name | year |\n|---|---|\n" + "\n".join(f"| row {n} | {1900 + n} |" for n in range(12))
    assert table in [
        chunk.text for chunk in chunks(f"Some words first. {'More words follow. ' * 5}\n\n{table}\n\nAfter.")
    ]


def test_a_huge_table_is_split_at_lines_and_keeps_its_header() -> None:
    head = "| name | year |\n|---|---|"
    rows = [f"| row {n} | {1900 + n} |" for n in range(100)]
    parts = [chunk.text for chunk in chunks("\n".join([head, *rows]))]
    assert len(parts) > 5
    assert all(part.startswith(head) for part in parts)
    assert [line for part in parts for line in part.split("\n")[2:]] == rows


def test_a_code_block_is_not_split_by_blank_lines_or_hashes() -> None:
    code = "```python\n# not a heading\n\nx = 1\n\n\ny = 2. Then\n```"
    assert [chunk.text for chunk in chunks(f"Before.\n\n{code}\n\nAfter.", size=40)] == ["Before.", code, "After."]


def test_the_overlap_is_whole_sentences_within_a_section() -> None:
    first, second, *_ = chunks(
        "One is here. Two is here. Three is here. Four is here. Five is here.", size=42, overlap=16
    )
    assert first.text == "One is here. Two is here. Three is here."
    assert second.text.startswith("Three is here. Four is here.")


def test_ids_are_stable_and_tell_equal_texts_apart() -> None:
    text = "\n\n".join(["# A\nSame text."] * 3)
    made = [chunk.id for chunk in chunks(text)]
    assert made == [chunk.id for chunk in chunks(text)]
    assert len(set(made)) == 3
    assert set(made).isdisjoint(chunk.id for chunk in chunk_document(Document("key", "A Title", text), "other", 80, 20))


def test_only_the_first_chunk_bears_the_names() -> None:
    names = [chunk.names for chunk in chunks("Some sentence here. " * 20)]
    assert names[0] == ("A Title",)
    assert set(names[1:]) == {()}


def test_white_space_makes_no_chunk() -> None:
    assert chunks(" \n\t\n ") == []
