"""Export of any sentence-transformers model to the three files that `OnnxEmbedder` runs.

The folder gets `model.onnx` (transformer, pooling and L2 normalisation in one graph, attention fused where the pattern
is known), `tokenizer.json` and `embedder.json`. It knows nothing of where exports are kept or when they are made. It is
imported only when the extra `sentence-transformers` is installed: it needs torch and onnx.
"""

# mypy: disable-error-code="import-not-found,import-untyped,misc,no-untyped-call,unused-ignore"
import json
import ssl
import urllib.error
import urllib.request
import warnings
from pathlib import Path
from typing import Any

import huggingface_hub
import numpy as np
import onnx
import onnxruntime
import torch
from onnxruntime.transformers.optimizer import optimize_model
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer

OPSET = 17
FUSABLE = {"bert": "bert", "roberta": "bert", "xlm-roberta": "bert", "distilbert": "bert", "mpnet": "bert"}
"""Model type of the configuration -> the optimizer's; others are exported as they are, only slower."""
SAMPLES = (
    "Who wrote the novel on which the film was based?",
    "Marie Curie was a physicist and chemist who conducted pioneering research. She was born in Warsaw.",
    "Zürich",
)
HUB_SECONDS = 10
MIN_COSINE = 0.999
"""An export further from the original than this is not used."""


class _EndToEnd(torch.nn.Module):
    """All modules of a sentence-transformers model (whatever its pooling), then L2 normalisation."""

    def __init__(self, model: SentenceTransformer, inputs: list[str]) -> None:
        super().__init__()
        self.model = model
        self.inputs = inputs

    def forward(self, *tensors: torch.Tensor) -> torch.Tensor:
        features = dict(zip(self.inputs, tensors, strict=True))
        embedding = self.model(features)["sentence_embedding"]
        return torch.nn.functional.normalize(embedding, p=2.0, dim=1)


def export(source: str, folder: Path, *, name: str, prefixes: tuple[str, str]) -> None:
    """Write the model `source` into the existing, empty `folder`.

    Args:
        source: name on the model hub, or folder of a sentence-transformers model.
        folder: receives model.onnx (fp32), tokenizer.json and embedder.json.
        name: what the spec of its vectors calls it.
        prefixes: query and passage prefix to use where the model's own files name none.

    Raises:
        OSError: not on the hub, no network, or no model in the folder.
        ValueError: a kind of model that cannot be run here (its own code, no fast tokenizer, export gone wrong).
    """
    model = SentenceTransformer(
        source,
        device="cpu",
        local_files_only=not Path(source).is_dir() and not _hub_answers(),
        model_kwargs={"attn_implementation": "eager"},
    )
    model.eval()
    tokenizer = _tokenizer(model)
    _write_graph(model, tokenizer, folder / "model.onnx")
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    query_prefix, passage_prefix = _own_prefixes(model) or prefixes
    description = {
        "name": name,
        "dimension": len(model.encode(SAMPLES[0], show_progress_bar=False)),
        "max_tokens": _max_tokens(model),
        "query_prefix": query_prefix,
        "passage_prefix": passage_prefix,
    }
    (folder / "embedder.json").write_text(json.dumps(description, indent=1) + "\n", encoding="utf-8")
    _compare(model, tokenizer, folder / "model.onnx")


def _hub_answers() -> bool:
    """One question to the model hub; without it, its client repeats each of its own for more than a minute."""
    if huggingface_hub.constants.HF_HUB_OFFLINE:
        return False
    request = urllib.request.Request(huggingface_hub.constants.ENDPOINT, method="HEAD")
    try:
        urllib.request.urlopen(request, timeout=HUB_SECONDS).close()
    except urllib.error.HTTPError:
        return True
    except urllib.error.URLError as error:
        return isinstance(error.reason, ssl.SSLError)  # the hub's client may know certificates that Python does not
    except TimeoutError:
        return False
    return True


def _max_tokens(model: SentenceTransformer) -> int:
    return int(model.get_max_seq_length() or 512)


def _own_prefixes(model: SentenceTransformer) -> tuple[str, str] | None:
    """Prefixes of the model's own configuration, if it names any."""
    prompts = {key: value for key, value in (model.prompts or {}).items() if value}
    query = prompts.get("query", "")
    passage = prompts.get("passage") or prompts.get("document", "")
    return (query, passage) if query or passage else None


def _tokenizer(model: SentenceTransformer) -> Tokenizer:
    """The fast tokenizer, cutting at the model's length; padding is left to the embedder's batches."""
    backend = getattr(model.tokenizer, "backend_tokenizer", None)
    if backend is None:
        raise ValueError("its tokenizer has no fast form (tokenizer.json)")
    tokenizer = Tokenizer.from_str(backend.to_str())
    tokenizer.enable_truncation(max_length=_max_tokens(model))
    tokenizer.enable_padding(pad_id=model.tokenizer.pad_token_id or 0, pad_token=model.tokenizer.pad_token or "[PAD]")
    return tokenizer


def _features(tokenizer: Tokenizer, names: list[str]) -> dict[str, Any]:
    """Inputs of the graph for SAMPLES, int64 arrays of shape (samples, longest)."""
    encodings = tokenizer.encode_batch(list(SAMPLES))
    columns = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
    return {name: np.array([getattr(e, columns[name]) for e in encodings], np.int64) for name in names}


def _inputs(model: SentenceTransformer) -> list[str]:
    known = ["input_ids", "attention_mask", "token_type_ids"]
    return [name for name in known if name in model.tokenizer.model_input_names]


def _write_graph(model: SentenceTransformer, tokenizer: Tokenizer, path: Path) -> None:
    names = _inputs(model)
    samples = _features(tokenizer, names)
    with torch.inference_mode(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracer's remarks about constants are for developers of the exporter
        torch.onnx.export(
            _EndToEnd(model, names),
            tuple(torch.from_numpy(array) for array in samples.values()),
            str(path),
            input_names=names,
            output_names=["embedding"],
            dynamic_axes={**{name: {0: "batch", 1: "tokens"} for name in names}, "embedding": {0: "batch"}},
            opset_version=OPSET,
            dynamo=False,
        )
    config: Any = model[0].auto_model.config  # type: ignore[union-attr]
    if config.model_type in FUSABLE:
        fused = optimize_model(
            str(path),
            model_type=FUSABLE[config.model_type],
            num_heads=config.num_attention_heads,
            hidden_size=config.hidden_size,
        )
        fused.save_model_to_file(str(path))
    onnx.checker.check_model(str(path))


def _compare(model: SentenceTransformer, tokenizer: Tokenizer, path: Path) -> None:
    """Refuse an export that does not say what the original says."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    ours = session.run(None, _features(tokenizer, [i.name for i in session.get_inputs()]))[0]
    theirs = model.encode(list(SAMPLES), normalize_embeddings=True, show_progress_bar=False)
    cosine = float((ours * theirs).sum(axis=1).min())
    if not cosine >= MIN_COSINE:
        raise ValueError(f"its export differs from the original (cosine {cosine:.3f})")
