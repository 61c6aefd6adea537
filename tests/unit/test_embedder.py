"""The shipped embedder: meaning, batches, limits, and what a user is told when a model is not to be had."""

import importlib.util
import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from models.embedder import (
    BATCH,
    BATCH_TOKENS,
    DEFAULT_EMBEDDER,
    SHIPPED,
    OnnxEmbedder,
    batches,
    load_embedder,
    prefixes,
    threads_wanted,
)
from models.export_cache import exported_folder
from stores.errors import ModelError

WARSAW = "Marie Curie was born in Warsaw."
MIXED = ["short", WARSAW * 40, "", "Zürich 東京 🙂", "a b c", WARSAW]


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder(SHIPPED / DEFAULT_EMBEDDER, threads=1)


@pytest.fixture
def no_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LOOKAHEAD_CACHE", str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)


def test_a_question_is_nearest_to_its_answer(embedder: OnnxEmbedder) -> None:
    passages = embedder.embed_passages(["Bananas are yellow.", WARSAW, "The river Rhine flows north."])
    question = embedder.embed_queries(["Where was Curie born?"])[0]
    assert int(np.argmax(passages @ question)) == 1


def test_vectors_are_float32_of_length_one_in_the_order_given(embedder: OnnxEmbedder) -> None:
    vectors = embedder.embed_passages(MIXED)
    assert vectors.shape == (len(MIXED), embedder.spec.dimension)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    for row, text in enumerate(MIXED):
        np.testing.assert_allclose(vectors[row], embedder.embed_passages([text])[0], atol=1e-4)


def test_no_texts_give_an_empty_matrix(embedder: OnnxEmbedder) -> None:
    assert embedder.embed_queries([]).shape == (0, 384)


def test_what_exceeds_the_models_length_is_cut_off(embedder: OnnxEmbedder) -> None:
    long = "word " * 300
    np.testing.assert_array_equal(*embedder.embed_passages([long, long + "entirely different ending"]))


def test_a_lone_surrogate_is_no_failure(embedder: OnnxEmbedder) -> None:
    np.testing.assert_allclose(*embedder.embed_passages(["broken \ud800 name", "broken ? name"]), atol=1e-6)


def test_threads_may_share_an_embedder_and_load_it_once() -> None:
    fresh = OnnxEmbedder(SHIPPED / DEFAULT_EMBEDDER, threads=1)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(fresh.embed_passages, [MIXED[4:]] * 4))
    for result in results[1:]:
        np.testing.assert_allclose(result, results[0], atol=1e-6)


def test_prefixes_go_in_front_of_the_texts(tmp_path: Path, embedder: OnnxEmbedder) -> None:
    folder = tmp_path / "prefixed"
    folder.mkdir()
    for file in ("model.onnx", "tokenizer.json"):
        (folder / file).symlink_to(SHIPPED / DEFAULT_EMBEDDER / file)
    description = json.loads((SHIPPED / DEFAULT_EMBEDDER / "embedder.json").read_text())
    (folder / "embedder.json").write_text(
        json.dumps(description | {"query_prefix": "query: ", "passage_prefix": "passage: "})
    )
    prefixed = OnnxEmbedder(folder, threads=1)
    assert (prefixed.spec.query_prefix, prefixed.spec.passage_prefix) == ("query: ", "passage: ")
    np.testing.assert_array_equal(prefixed.embed_queries(["x"]), embedder.embed_queries(["query: x"]))
    np.testing.assert_array_equal(prefixed.embed_passages(["x"]), embedder.embed_passages(["passage: x"]))


@pytest.mark.parametrize("name", [DEFAULT_EMBEDDER, f"sentence-transformers/{DEFAULT_EMBEDDER}"])
def test_the_shipped_model_is_found_by_both_its_names(name: str) -> None:
    assert load_embedder(name).spec.name == DEFAULT_EMBEDDER


def test_embedding_loads_no_torch() -> None:
    code = (
        "import sys; from models.embedder import load_embedder; load_embedder(threads=1).embed_queries(['x']);"
        "sys.exit(any(name in sys.modules for name in ('torch', 'transformers', 'sentence_transformers', 'onnx')))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], check=False).returncode == 0


def test_batches_hold_every_row_once_and_bound_the_padded_tokens() -> None:
    lengths = [int(length) for length in np.random.default_rng(1).integers(1, 512, 500)] + [20_000]
    found = list(batches(lengths))
    assert sorted(row for batch in found for row in batch) == list(range(501))
    for batch in found:
        assert len(batch) <= BATCH
        assert len(batch) == 1 or len(batch) * max(lengths[row] for row in batch) <= BATCH_TOKENS


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("intfloat/e5-small-v2", ("query: ", "passage: ")),
        ("intfloat/multilingual-e5-base", ("query: ", "passage: ")),
        ("/models/e5-base/", ("query: ", "passage: ")),
        ("BAAI/bge-small-en-v1.5", ("Represent this sentence for searching relevant passages: ", "")),
        ("BAAI/bge-m3", ("", "")),
        ("nomic-ai/nomic-embed-text-v1.5", ("search_query: ", "search_document: ")),
        ("thenlper/gte-small", ("", "")),
        ("/bge/all-mpnet-base-v2", ("", "")),
    ],
)
def test_prefixes_are_known_by_the_models_name(name: str, expected: tuple[str, str]) -> None:
    assert prefixes(name) == expected


@pytest.mark.usefixtures("no_extra")
def test_another_model_without_the_extra_names_the_remedy() -> None:
    with pytest.raises(ModelError, match=r"'intfloat/e5-small-v2' is not shipped; .*lookahead-rag\[sentence-transf"):
        load_embedder("intfloat/e5-small-v2")


@pytest.mark.usefixtures("no_extra")
def test_an_export_made_before_is_used_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("models.export_cache._slug", lambda identity: "made-before")
    shutil.copytree(SHIPPED / DEFAULT_EMBEDDER, tmp_path / "models" / "made-before", symlinks=True)
    assert exported_folder("some/model", ("", "")) == tmp_path / "models" / "made-before"
    assert load_embedder("some/model").embed_queries(["x"]).shape == (1, 384)


def test_a_broken_model_file_is_one_sentence_with_the_folder(tmp_path: Path) -> None:
    for file in ("embedder.json", "tokenizer.json"):
        shutil.copy(SHIPPED / DEFAULT_EMBEDDER / file, tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelError, match=r"^embedder: .*" + tmp_path.name):
        OnnxEmbedder(tmp_path, threads=1).embed_queries(["x"])


def test_a_folder_without_a_model_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="holds no usable model"):
        OnnxEmbedder(tmp_path)


def test_threads_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOKAHEAD_THREADS", "3")
    assert threads_wanted() == 3
    monkeypatch.setenv("LOOKAHEAD_THREADS", "many")
    with pytest.raises(ModelError, match="LOOKAHEAD_THREADS is 'many'"):
        threads_wanted()
    monkeypatch.delenv("LOOKAHEAD_THREADS")
    assert threads_wanted() >= 0
