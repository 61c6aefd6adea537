"""The vector cache computes nothing twice, mixes up nothing, and is done without when it cannot be used."""

import sqlite3
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from models.embedder import Embedder
from models.vector_cache import QUERIES, CachedEmbedder
from stores.records import EmbedderSpec, Matrix


class CountingEmbedder:
    """A vector for each text, by a hash; remembers what it was asked."""

    def __init__(self, name: str = "counting", prefix: str = "") -> None:
        self.spec = EmbedderSpec(name, 8, passage_prefix=prefix)
        self.computed: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> Matrix:
        self.computed += texts
        rows = [np.random.default_rng(list((self.spec.name + text).encode())).normal(size=8) for text in texts]
        return np.array([row / np.linalg.norm(row) for row in rows], np.float32).reshape(-1, 8)

    embed_queries = embed_passages


def texts(count: int, start: int = 0) -> list[str]:
    return [f"passage {number}" for number in range(start, start + count)]


def file_in(folder: Path) -> Path:
    return folder / "vectors.sqlite"


def test_a_text_is_computed_once_even_by_another_process_later(tmp_path: Path) -> None:
    first, second = CountingEmbedder(), CountingEmbedder()
    vectors = CachedEmbedder(first, tmp_path).embed_passages(["a", "b", "a"])
    cached = CachedEmbedder(second, tmp_path)
    np.testing.assert_array_equal(cached.embed_passages(["b", "c", "a"])[[2, 0, 2]], vectors)
    assert (first.computed, second.computed) == (["a", "b"], ["c"])
    assert (cached.hits, cached.misses, cached.problem) == (2, 1, "")


def test_it_is_an_embedder_itself(tmp_path: Path) -> None:
    cached: Embedder = CachedEmbedder(CountingEmbedder(), tmp_path)
    assert cached.spec.name == "counting"
    assert cached.embed_passages([]).shape == cached.embed_queries([]).shape == (0, 8)


@pytest.mark.parametrize("other", [CountingEmbedder("other"), CountingEmbedder(prefix="passage: ")])
def test_another_model_or_prefix_finds_nothing_of_this_one(tmp_path: Path, other: CountingEmbedder) -> None:
    CachedEmbedder(CountingEmbedder(), tmp_path).embed_passages(["a"])
    np.testing.assert_array_equal(
        CachedEmbedder(other, tmp_path).embed_passages(["a"]), CountingEmbedder(other.spec.name).embed_passages(["a"])
    )
    assert other.computed == ["a"]


def test_many_texts_come_back_in_order(tmp_path: Path) -> None:
    wanted = texts(1300)
    CachedEmbedder(CountingEmbedder(), tmp_path).embed_passages(wanted[::2])
    cached = CachedEmbedder(CountingEmbedder(), tmp_path)
    np.testing.assert_array_equal(cached.embed_passages(wanted), CountingEmbedder().embed_passages(wanted))
    assert (cached.hits, cached.misses) == (650, 650)


def test_the_file_stays_bounded_and_the_oldest_go_first(tmp_path: Path) -> None:
    limit = 200_000
    cached = CachedEmbedder(CountingEmbedder(), tmp_path, max_bytes=limit)
    for start in range(0, 5000, 500):
        cached.embed_passages(texts(500, start))
    assert file_in(tmp_path).stat().st_size < 2 * limit
    cached.embed_passages(texts(100, 4900))
    assert cached.hits == 100
    cached.embed_passages(texts(100))
    assert cached.hits == 100


@pytest.mark.parametrize("content", [b"this is no database, whatever its name says" * 100, b""])
def test_a_broken_file_is_set_aside_and_begun_anew(tmp_path: Path, content: bytes) -> None:
    file_in(tmp_path).write_bytes(content)
    cached = CachedEmbedder(CountingEmbedder(), tmp_path)
    assert cached.embed_passages(["a"]).shape == (1, 8)
    cached.embed_passages(["a"])
    assert cached.hits == 1
    assert (tmp_path / "vectors.sqlite.broken").exists() == bool(content)
    assert ("set aside" in cached.problem) == bool(content)


def test_a_file_damaged_in_the_middle_gives_no_wrong_vector(tmp_path: Path) -> None:
    wanted = texts(3000)
    CachedEmbedder(CountingEmbedder(), tmp_path).embed_passages(wanted)
    content = bytearray(file_in(tmp_path).read_bytes())
    content[40_000:90_000] = np.random.default_rng(1).bytes(50_000)
    file_in(tmp_path).write_bytes(content)
    again = CachedEmbedder(CountingEmbedder(), tmp_path).embed_passages(wanted)
    np.testing.assert_array_equal(again, CountingEmbedder().embed_passages(wanted))


def test_a_vector_damaged_in_its_place_is_computed_again(tmp_path: Path) -> None:
    CachedEmbedder(CountingEmbedder(), tmp_path).embed_passages(["a", "b"])
    with sqlite3.connect(file_in(tmp_path)) as database:
        database.execute("UPDATE vectors SET vector = zeroblob(32) WHERE number = 1")
        database.execute("UPDATE vectors SET vector = x'00' WHERE number = 2")
    database.close()
    cached = CachedEmbedder(CountingEmbedder(), tmp_path)
    np.testing.assert_array_equal(cached.embed_passages(["a", "b"]), CountingEmbedder().embed_passages(["a", "b"]))
    assert cached.misses == 2


def test_a_folder_that_cannot_be_made_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cached = CachedEmbedder(CountingEmbedder(), tmp_path / "file" / "cache")
    np.testing.assert_array_equal(cached.embed_passages(["a"]), CountingEmbedder().embed_passages(["a"]))
    assert cached.misses == 1
    assert "cannot be used" in cached.problem


def test_a_file_locked_by_another_process_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.vector_file.WAIT_SECONDS", 0.01)
    CachedEmbedder(CountingEmbedder(), tmp_path).embed_passages(["a"])
    other = sqlite3.connect(file_in(tmp_path), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    cached = CachedEmbedder(CountingEmbedder(), tmp_path)
    assert cached.embed_passages(["a", "b"]).shape == (2, 8)
    assert (cached.hits, cached.misses) == (1, 1)
    assert "locked" in cached.problem
    other.close()


def test_threads_may_share_it(tmp_path: Path) -> None:
    cached = CachedEmbedder(CountingEmbedder(), tmp_path)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda start: cached.embed_passages(texts(50, start)), range(0, 100, 10)))
    np.testing.assert_array_equal(results[0][10:], results[1][:40])
    assert (cached.hits + cached.misses, cached.problem) == (500, "")


def test_queries_are_remembered_in_memory_only_and_not_for_ever(tmp_path: Path) -> None:
    embedder = CountingEmbedder()
    cached = CachedEmbedder(embedder, tmp_path)
    first = cached.embed_queries(["q", "q"])
    np.testing.assert_array_equal(cached.embed_queries(["q"])[0], first[1])
    assert embedder.computed == ["q"]
    cached.embed_queries(texts(QUERIES))
    cached.embed_queries(["q"])
    assert embedder.computed[-1] == "q"
    assert not file_in(tmp_path).exists()


def test_the_cache_folder_comes_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOKAHEAD_CACHE", str(tmp_path / "here"))
    CachedEmbedder(CountingEmbedder()).embed_passages(["a"])
    assert file_in(tmp_path / "here").exists()
