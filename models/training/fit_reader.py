"""Fit the weights of the rules reader and write `models/reader_weights.py`.

    python -m models.training.fit_reader --data DIR [--write]

DIR holds hotpotqa/{tune,train}.json.gz, 2wikimultihopqa/train.json.gz, squad/{train_part,dev}.json.gz,
nq_qed/train.json.gz and boolq/part.json.gz in their official layouts. A third of tune is held out and only measured.
Questions kept for reporting are dropped, and those on which the trained reader is fitted (`fit_trained_reader`).
Logistic models: SPAN (softmax over a question's candidate spans), ANSWER (probability of a span answer), JUDGE (yes or
no), OPTION (which of two), SUPPORT (is an answer right by these texts) and CLAIM (do they say this sentence).
ANSWER is fitted on questions that SPAN had not seen. Needs scipy (extra `train`); minutes on one core. Without --write
it only reports.
"""

import argparse
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.datasets.loading import question_key
from models import reader_weights
from models.judging import judge_claim, judge_options
from models.pages import open_pages
from models.question_view import view
from models.questions import choices
from models.reader import EmbeddedReader, ranked_spans
from models.span_features import Feature, Scene
from models.supporting import logistic
from models.training.guard import reporting_keys
from models.training.logistic import Weights, fit_logistic, fit_softmax
from models.training.reader_data import Example, best_f1, boolq, exact, hops, hotpot, squad, without_gold
from models.training.reader_examples import is_held_out
from models.training.support_rows import RIGHT, claim_rows, support_rows


def fit_spans(
    sets: Sequence[tuple[Sequence[Example], float]], rng: random.Random, negatives: int = 90, l2: float = 1e-3
) -> Weights:
    """Softmax regression over each question's candidates: raise the share of the spans that match gold best."""
    rows: list[Sequence[Feature]] = []
    question_of: list[int] = []
    good: list[float] = []
    shares: list[float] = []
    for examples, weight in sets:
        for example in examples:
            found = candidates(example)
            scores = [best_f1(one.text, example) for one in found]
            best = max(scores, default=0.0)
            if best <= 0.5:
                continue
            right = [n for n, score in enumerate(scores) if score == best]
            wrong = [n for n, score in enumerate(scores) if score != best]
            rng.shuffle(wrong)
            for n in right + wrong[:negatives]:
                rows.append(found[n].features)
                question_of.append(len(shares))
                good.append(float(scores[n] == best))
            shares.append(weight)
    return fit_softmax(rows, np.array(question_of), np.array(good), np.array(shares) / sum(shares), l2)


def scene(example: Example) -> Scene:
    """The example as the reader sees it."""
    return Scene(view(example.question), open_pages(example.passages))


def is_span(example: Example) -> bool:
    """Whether the answer is a span, not yes/no or one of two options."""
    return view(example.question).wanted not in ("yes_no", "choice") and example.answers[0] not in ("yes", "no")


def candidates(example: Example) -> list[Any]:
    """Candidate spans of a span question; none for the other kinds."""
    return scene(example).candidates() if is_span(example) else []


def fit_answers(examples: Sequence[Example], weights: Sequence[float]) -> Weights:
    """Probability that one of the five best answers is right."""
    rows: list[Sequence[Feature]] = []
    labels, shares = [], []
    for example, weight in zip(examples, weights, strict=True):
        if not is_span(example) or not example.passages:
            continue
        seen = scene(example)
        for best, confidence in ranked_spans(seen, seen.candidates())[:5]:
            rows.append(confidence)
            labels.append(float(best_f1(best.text, example) >= RIGHT))
            shares.append(weight)
    return fit_logistic(rows, labels, shares)


def fit_judge(examples: Sequence[Example], weights: Sequence[float]) -> Weights:
    """Yes or no."""
    used = [(e, w) for e, w in zip(examples, weights, strict=True) if e.answers[0] in ("yes", "no")]
    rows = [judge_claim(view(e.question), scene(e)).features for e, _ in used]
    return fit_logistic(rows, [float(e.answers[0] == "yes") for e, _ in used], [w for _, w in used])


def fit_options(examples: Sequence[Example]) -> Weights:
    """Which of two options: the difference of their features."""
    rows: list[list[Feature]] = []
    labels = []
    for example in examples:
        options = choices(example.question) if view(example.question).wanted == "choice" else None
        if options is None or example.answers[0] in ("yes", "no"):
            continue
        scores = [best_f1(option, example) for option in options]
        if scores[0] == scores[1]:
            continue
        one, two = judge_options(view(example.question), options, scene(example))
        rows.append([*one.features, *((name, -value) for name, value in two.features)])
        labels.append(float(scores[0] > scores[1]))
    return fit_logistic(rows, labels, [1.0] * len(rows))


def usable(examples: Sequence[Example], reporting: set[str]) -> list[Example]:
    """Without questions kept for reporting and those that `reader_examples` holds out."""
    return [
        example
        for example in examples
        if question_key(example.question) not in reporting and not is_held_out(example.question)
    ]


def reliability(probabilities: Any, right: Any) -> str:
    """Mean probability / share right / count, for each fifth of the scale."""
    bins = [(probabilities >= low) & (probabilities < low + 0.2 + (low == 0.8)) for low in (0, 0.2, 0.4, 0.6, 0.8)]
    return " ".join(f"{probabilities[b].mean():.2f}/{right[b].mean():.2f}/{b.sum()}" for b in bins if b.any())


def measure(name: str, examples: Sequence[Example]) -> None:
    """EM, F1, milliseconds a question, and a reliability table of the best answer's probability."""
    reader = EmbeddedReader()
    results = []
    start = time.perf_counter()
    for example in examples:
        read = reader.read(example.question, example.passages, limit=1)
        text, probability = (read[0]["text"], read[0]["probability"]) if read else ("", 0.0)
        results.append((probability, exact(text, example), best_f1(text, example)))
    spent = 1000 * (time.perf_counter() - start) / max(1, len(examples))
    p, em, f = (np.array(column, dtype=float) for column in zip(*results, strict=True))
    print(f"{name}: EM {em.mean():.3f} F1 {f.mean():.3f} n={len(examples)} {spent:.1f} ms")
    bins = [(p >= low) & (p < low + 0.2) for low in (0, 0.2, 0.4, 0.6, 0.8)]
    print(
        "   said/right/n:",
        " ".join(f"{p[b].mean():.2f}/{(f[b] >= RIGHT).mean():.2f}/{b.sum()}" for b in bins if b.any()),
    )


def source(models: dict[str, Weights]) -> str:
    """Text of `models/reader_weights.py`."""
    lines = [
        '"""Fitted weights of the rules reader, written by `python -m models.training.fit_reader --write`.',
        "",
        "Logistic models on HotpotQA tune (two thirds) and train, 2WikiMultihopQA train, SQuAD, NQ, BoolQ: the",
        "docstring of that command says how. Weights near 0 are left out. A table is text: name, weight, name, weight.",
        '"""',
        "",
        "",
        "def _table(text: str) -> dict[str, float]:",
        "    parts = text.split()",
        "    return {name: float(value) for name, value in zip(parts[::2], parts[1::2], strict=True)}",
        "",
    ]
    for model, weights in models.items():
        lines += ["", f'{model} = _table("""']
        row = ""
        for name, value in sorted(weights.items()):
            piece = f"{name} {value:.3f}"
            if abs(value) < (0.05 if model == "SPAN" else 1e-3):
                continue
            if len(row) + len(piece) > 118:
                lines.append(row.strip())
                row = ""
            row += f"{piece} "
        lines += [row.strip(), '""")']
    return "\n".join(lines) + "\n"


def use(name: str, weights: Weights) -> None:
    """Let the reader read with freshly fitted weights."""
    table: Weights = getattr(reader_weights, name)
    table.clear()
    table.update(weights)


def main() -> None:
    """Fit, measure, and with --write keep."""
    parser = argparse.ArgumentParser(description="Fit the weights of the rules reader")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    data: Path = given.data
    rng = random.Random(7)
    reporting = reporting_keys(data)
    tune, pooled = (usable(hotpot(data / "hotpotqa/tune.json.gz", gold=gold), reporting) for gold in (True, False))
    order = list(range(len(tune)))
    rng.shuffle(order)
    held, rest = order[: len(order) // 3], order[len(order) // 3 :]
    train = usable(hotpot(data / "hotpotqa/train.json.gz"), reporting)
    wiki = usable(hotpot(data / "2wikimultihopqa/train.json.gz"), reporting)
    questions = usable(squad(data / "squad/train_part.json.gz", every=9), reporting)
    natural = usable(squad(data / "nq_qed/train.json.gz", every=7), reporting)
    beside = usable(squad(data / "squad/train_part.json.gz", every=15, mixed=True), reporting)
    gold, all_ten = [tune[n] for n in rest], [pooled[n] for n in rest]

    single = usable(hops(data / "2wikimultihopqa/train.json.gz", rng), reporting)
    claimed = usable(hops(data / "2wikimultihopqa/train.json.gz", rng, claims=True), reporting)
    parts = (gold, all_ten, train, wiki, questions, natural, beside, single[: len(single) * 4 // 5])
    halves = [part[side::2] for side in (0, 1) for part in parts]
    weights = (3.0, 2.0, 3.0, 1.0, 0.7, 0.5, 0.5, 1.0)
    use("SPAN", fit_spans(list(zip(halves[:8], weights, strict=True)), rng))
    unseen = [(e, w) for part, w in zip(halves[8:], weights, strict=True) for e in part]
    unseen += [(without_gold(e), 1.0) for e, _ in unseen if e.others]
    use("ANSWER", fit_answers([e for e, _ in unseen], [w for _, w in unseen]))
    use("SPAN", fit_spans(list(zip(parts, weights, strict=True)), rng))
    yes_no = usable(boolq(data / "boolq/part.json.gz")[::3], reporting)
    asked = [(e, 3.0) for e in (*gold, *train)] + [(e, 1.0) for e in wiki] + [(e, 0.15) for e in yes_no]
    asked += [(e, 0.3) for e in claimed[: len(claimed) * 4 // 5]]
    use("JUDGE", fit_judge([e for e, _ in asked], [w for _, w in asked]))
    use("OPTION", fit_options([*gold, *train, *wiki]))
    supported = support_rows([*gold, *train, *wiki, *questions[::4], *natural[::4], *single[::8]], rng)
    use("SUPPORT", fit_logistic([row for row, _ in supported], [told for _, told in supported], [1.0] * len(supported)))
    claims = claim_rows([*train, *wiki, *questions[::4]], rng)
    use("CLAIM", fit_logistic([row for row, _ in claims], [told for _, told in claims], [1.0] * len(claims)))
    for name, examples in (
        ("held-out HotpotQA tune, gold", [tune[n] for n in held]),
        ("held-out HotpotQA tune, ten paragraphs", [pooled[n] for n in held]),
        ("HotpotQA tune, gold, fitted on", gold),
        ("2Wiki train, gold, fitted on", wiki),
        ("single hops, held out", single[len(single) * 4 // 5 :]),
        ("single claims, held out", claimed[len(claimed) * 4 // 5 :]),
        ("SQuAD dev", squad(data / "squad/dev.json.gz", every=20)),
    ):
        measure(name, examples)
    for name, table, rows in (
        ("support, held-out tune", reader_weights.SUPPORT, support_rows([tune[n] for n in held], rng)),
        ("sentences, held-out tune", reader_weights.CLAIM, claim_rows([tune[n] for n in held], rng)),
    ):
        p, told = np.array([logistic(row, table) for row, _ in rows]), np.array([told for _, told in rows])
        print(f"{name}: Brier {np.mean((p - told) ** 2):.3f}, said/right/n: {reliability(p, told)}")
    if given.write:
        names = ("SPAN", "ANSWER", "JUDGE", "OPTION", "SUPPORT", "CLAIM")
        Path(reader_weights.__file__).write_text(
            source({name: getattr(reader_weights, name) for name in names}), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
