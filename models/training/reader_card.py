"""The card of the reader's weights: what the network was trained on, how, and what it reaches."""

import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from models.training.reader_examples import Source

LICENCES: Mapping[str, tuple[str, str]] = {
    "squad": ("SQuAD 1.1", "CC BY-SA 4.0"),
    "nq": ("Natural Questions (QED)", "CC BY-SA 3.0"),
    "boolq": ("BoolQ", "CC BY-SA 3.0"),
    "strategyqa": ("StrategyQA", "MIT"),
    "hotpotqa": ("HotpotQA", "CC BY-SA 4.0"),
    "2wiki": ("2WikiMultihopQA", "Apache-2.0"),
    "musique": ("MuSiQue", "CC BY 4.0"),
    "hop": ("single hops out of 2WikiMultihopQA and MuSiQue", "as these"),
    "composed": ("two hops put together (`models/training/composing.py`)", "as these"),
}
JOINED = "## Joined with the rules"
TEXT = """\
# The reader

Written by `python -m models.training.export_reader` and `python -m models.training.fit_trained_reader`; do not edit.

A MiniLM of 6 layers with heads for the kind of answer (span, yes, no, none), the span and supporting sentences,
fine-tuned from all-MiniLM-L6-v2 (Apache-2.0, `../all-MiniLM-L6-v2/LICENSE`), whose tokenizer it shares. Under the
licence of this project; the texts it was trained on are under theirs and are not in it.

| file | |
|---|---|
| `model.onnx` | {stored} |
| `reader.json` | outputs, longest window, and the weights of what is fitted on top |

Inputs `input_ids`, `attention_mask`, `token_type_ids` (int64, windows × tokens); outputs fp32 logits: `kind` (windows ×
4), `start`, `end`, `sentence` (windows × tokens).

## Trained on

| set | trained on | held out | times an epoch | licence |
|---|---|---|---|---|
{sets}

Questions that stand in a `bench`, `dev` or `unanswerable` file were dropped, and of MuSiQue those that share a single
hop with one (`models/training/guard.py`). Held out are about 12 % of the others with all their hops; what shares a hop
with a question held out was not trained on.

{settings}

## The network

Drawings of held-out questions, gold passages among others; exported on {machine}.

{figures}
"""


def card(
    kept: Sequence[Source],
    held: Sequence[Source],
    passes: Mapping[str, float],
    settings: str,
    stored: str,
    figures: Sequence[str],
) -> str:
    """Markdown.

    Args:
        kept: the questions that were trained on.
        held: those held out.
        passes: set → how often a question of it came in one epoch.
        settings: of the training, in sentences.
        stored: how the weights are stored.
        figures: lines of Markdown.
    """
    trained, left = (Counter(one.set for one in part) for part in (kept, held))
    rows = [
        f"| {LICENCES[name][0]} | {trained[name]:,} | {left[name]:,} | {passes[name]:g} | {LICENCES[name][1]} |"
        for name in LICENCES
    ]
    machine = f"{platform.machine()} {platform.system()}"
    return TEXT.format(
        sets="\n".join(rows), settings=settings, stored=stored, machine=machine, figures="\n".join(figures)
    )


def join_card(folder: Path, figures: Sequence[str]) -> None:
    """Put the figures of what is fitted on top at the end of the card, in place of older ones."""
    path = folder / "README.md"
    text = path.read_text(encoding="utf-8") if path.exists() else "# The reader\n"
    before = text.partition(f"\n{JOINED}\n")[0].rstrip()
    said = "Three-fold cross-validation over held-out questions; an answer is right from an F1 of 2/3 on."
    path.write_text("\n".join([before, "", JOINED, "", said, "", *figures, ""]), encoding="utf-8")
