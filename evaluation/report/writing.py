"""Writes a report into a benchmark's folder: report.md, report.html, and pictures/ as SVG and PNG.

Pictures need matplotlib, the extra `bench`; without it the report says so and has none. Takes seconds of CPU and writes
to the disk: call it through `asyncio.to_thread` from async code.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.predictions import Prediction
from evaluation.report.failures_data import failures_data
from evaluation.report.markdown import markdown
from evaluation.report.page import Figure, page
from evaluation.results import Results, scored_by_method
from stores.errors import StoreError

if TYPE_CHECKING:
    from evaluation.report.canvas import Picture

PICTURES = "pictures"
NO_PICTURES = (
    'There are no pictures, as matplotlib is not installed: pip install "lookahead-rag[bench]" and run it again.'
)


def write_report(results: Results, predictions: Sequence[Prediction], folder: str | Path) -> list[Path]:
    """Write it; returns the paths, report.html first.

    Args:
        results: from `evaluation.results`.
        predictions: those that the results were made of.
        folder: where results.json lies.

    Raises:
        StoreError: the folder cannot be written.
    """
    folder, drawn = Path(folder), _pictures(results)
    failures = failures_data(scored_by_method(predictions, list(results["methods"])))
    linked = [(f"{PICTURES}/{picture.name}.png", f"{picture.title}. {picture.caption}") for picture in drawn]
    remark = "" if drawn else NO_PICTURES
    files: dict[Path, bytes] = {
        folder / "report.html": _utf8(page(results, failures, _figures(drawn), remark)),
        folder / "report.md": _utf8(markdown(results, linked) + (f"\n{remark}\n" if remark else "")),
    }
    for picture in drawn:
        files[folder / PICTURES / f"{picture.name}.svg"] = _utf8(picture.svg)
        files[folder / PICTURES / f"{picture.name}.png"] = picture.png
    for path, content in files.items():
        _write(path, content)
    return list(files)


def _pictures(results: Results) -> "list[Picture]":
    try:
        from evaluation.report.pictures import draw_pictures
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "matplotlib":
            raise
        return []
    return draw_pictures(results)


def _figures(drawn: "Sequence[Picture]") -> list[Figure]:
    if not drawn:
        return []
    from evaluation.report.canvas import for_page

    return [Figure(picture.title, picture.caption, for_page(picture)) for picture in drawn]


def _utf8(text: str) -> bytes:
    """A lone surrogate, which a model may write, becomes a question mark."""
    return text.encode("utf-8", "replace")


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise StoreError(
            f"Report: {str(path)!r} cannot be written ({error.strerror}); make room or choose another folder."
        ) from error
