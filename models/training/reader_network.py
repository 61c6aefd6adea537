"""The reader's network and its loss: a MiniLM encoder with heads for kind, span and supporting sentences.

Source of the span loss: marginal likelihood over every place where the answer stands (Clark and Gardner, "Simple and
Effective Multi-Paragraph Reading Comprehension", ACL 2018). Needs the extra `train`.
"""

# mypy: disable-error-code="import-not-found,import-untyped,misc,no-untyped-call,unused-ignore"
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import nn
from transformers import AutoModel

from models.reader_inputs import Window, windows
from models.training.reader_examples import KINDS, Example, Text

SPAN_WEIGHT, KIND_WEIGHT, SENTENCE_WEIGHT = 1.0, 0.6, 0.6


@dataclass(frozen=True, slots=True)
class Encoded:
    """One window with its labels."""

    window: Window
    kind: int
    """Number in KINDS."""
    starts: tuple[int, ...]
    """Tokens at which the answer begins, wherever it stands; empty for other kinds."""
    ends: tuple[int, ...]
    sentences: tuple[tuple[int, float], ...]
    """(token, 1 or 0) for each sentence of which it is known whether it supports the answer."""


class ReaderNetwork(nn.Module):
    """Encoder and heads. Word and position tables are frozen: half of the parameters, most of them rarely touched."""

    def __init__(self, source: str) -> None:
        """Args: source: folder of the encoder to start from, in the layout of transformers."""
        super().__init__()
        # Without dropout: the data are passed once or twice, and drawing its masks is dear on a CPU.
        self.encoder = AutoModel.from_pretrained(
            source,
            local_files_only=True,
            add_pooling_layer=False,
            attn_implementation="sdpa",
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
        )
        for parameter in self.encoder.embeddings.parameters():
            parameter.requires_grad_(False)
        width = self.encoder.config.hidden_size
        self.kind = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, len(KINDS)))
        self.token = nn.Linear(width, 3)

    def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> tuple[Any, Any, Any, Any]:
        """Logits: kind (texts, 4); start, end and sentence (texts, tokens)."""
        states = self.encoder(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        start, end, sentence = self.token(states).unbind(-1)
        return self.kind(states[:, 0]), start, end, sentence


def encode(tokenizer: Tokenizer, example: Example) -> Encoded | None:
    """The first window of an example that can be labelled; None when a span's answer stands in none."""
    order = sorted(range(len(example.passages)), key=lambda n: n not in example.gold)
    made = windows(tokenizer, example.question, [(p.title, p.text) for p in example.passages])
    if len(made) > 1:  # gold first, so that what is cut off are the others
        made = windows(
            tokenizer, example.question, [(example.passages[n].title, example.passages[n].text) for n in order]
        )
        texts: Sequence[Text] = [example.passages[n] for n in order]
        gold = set(range(len(example.gold)))
    else:
        texts, gold = example.passages, set(example.gold)
    for window in made:
        labelled = _label(window, example, texts, gold)
        if labelled is not None:
            return labelled
    return None


def _label(window: Window, example: Example, texts: Sequence[Text], gold: set[int]) -> Encoded | None:
    starts, ends = _places(window, example.answers, texts, gold) if example.kind == "span" else ((), ())
    if example.kind == "span" and not starts:
        return None
    sentences = []
    for mark in window.marks:
        facts = texts[mark.passage].facts
        if facts is None or (mark.passage in gold and not facts):
            continue
        places = [p for p in window.pieces if p and (p.passage, p.sentence) == (mark.passage, mark.sentence)]
        middle = (places[0].start + places[-1].end) / 2
        sentences.append((mark.at, float(any(a <= middle < b for a, b in facts))))
    return Encoded(window, KINDS.index(example.kind), starts, ends, tuple(sentences))


def _places(
    window: Window, answers: Sequence[str], texts: Sequence[Text], gold: set[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Tokens where an answer begins and ends; in supporting sentences if it stands there, else anywhere in gold."""
    first: dict[tuple[int, bool, int], int] = {}
    last: dict[tuple[int, bool, int], int] = {}
    for at, piece in enumerate(window.pieces):
        if piece and piece.passage in gold:
            first[piece.passage, piece.sentence < 0, piece.start] = at
            last[piece.passage, piece.sentence < 0, piece.end] = at
    supported, anywhere = [], []
    for number in gold:
        for titled, text in ((False, texts[number].text), (True, texts[number].title)):
            for answer in answers:
                for found in re.finditer(rf"(?<!\w){re.escape(answer)}(?!\w)", text, re.IGNORECASE):
                    place = (first.get((number, titled, found.start())), last.get((number, titled, found.end())))
                    if place[0] is None or place[1] is None:
                        continue
                    anywhere.append((place[0], place[1]))
                    facts = texts[number].facts or ()
                    if not titled and any(a <= found.start() < b for a, b in facts):
                        supported.append((place[0], place[1]))
    chosen = supported or anywhere
    return tuple(dict.fromkeys(a for a, _ in chosen)), tuple(dict.fromkeys(b for _, b in chosen))


def feed(windows: Sequence[Window]) -> dict[str, torch.Tensor]:
    """Inputs of a batch, int64, shape (windows, longest)."""
    longest = max(len(window.ids) for window in windows)
    names = ("input_ids", "token_type_ids", "attention_mask")
    inputs = {name: torch.zeros(len(windows), longest, dtype=torch.long) for name in names}
    for row, window in enumerate(windows):
        length = len(window.ids)
        inputs["input_ids"][row, :length] = torch.tensor(window.ids)
        inputs["token_type_ids"][row, :length] = torch.tensor(window.types)
        inputs["attention_mask"][row, :length] = 1
    return inputs


def in_passages(windows: Sequence[Window], longest: int) -> torch.Tensor:
    """Whether each token is one of a passage: bool, shape (windows, longest)."""
    allowed = torch.zeros(len(windows), longest, dtype=torch.bool)
    for row, window in enumerate(windows):
        allowed[row, : len(window.ids)] = torch.tensor([piece is not None for piece in window.pieces])
    return allowed


def loss(network: ReaderNetwork, batch: Sequence[Encoded]) -> tuple[Any, dict[str, float]]:
    """Weighted sum of the heads' losses and each of them.

    span: −log Σ p(start) − log Σ p(end) over the answer's places; kind: cross entropy; sentence: binary cross entropy.
    """
    inputs = feed([one.window for one in batch])
    kind, start, end, sentence = network(**inputs)
    allowed = in_passages([one.window for one in batch], inputs["input_ids"].shape[1])
    parts = {"kind": nn.functional.cross_entropy(kind.float(), torch.tensor([one.kind for one in batch]))}
    rows = [row for row, one in enumerate(batch) if one.starts]
    if rows:
        spans = []
        for logits, name in ((start, "starts"), (end, "ends")):
            right = torch.zeros_like(allowed)
            for row in rows:
                right[row, list(getattr(batch[row], name))] = True
            scores = logits.float().masked_fill(~allowed, -1e4)
            spans.append(torch.logsumexp(scores[rows], 1) - torch.logsumexp(scores.masked_fill(~right, -1e4)[rows], 1))
        parts["span"] = (spans[0] + spans[1]).sum() / 2 / len(batch)
    labelled = [(row, at, value) for row, one in enumerate(batch) for at, value in one.sentences]
    if labelled:
        places = torch.tensor([(row, at) for row, at, _ in labelled])
        wanted = torch.tensor([value for *_, value in labelled])
        read = sentence.float()[places[:, 0], places[:, 1]]
        parts["sentence"] = nn.functional.binary_cross_entropy_with_logits(read, wanted, pos_weight=torch.tensor(2.0))
    weights = {"span": SPAN_WEIGHT, "kind": KIND_WEIGHT, "sentence": SENTENCE_WEIGHT}
    total = sum(weights[name] * value for name, value in parts.items())
    return total, {name: float(value.detach()) for name, value in parts.items()}
