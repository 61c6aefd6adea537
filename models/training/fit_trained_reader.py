"""Fit what is put on top of the reader's network: `python -m models.training.fit_trained_reader --data DIR [--write]`.

Small logistic models on questions that the network was not trained on (`models.training.reader_cases`): rank (softmax
over the answers of one reading), answer (probability of each), judge (yes or no) and support.
Figures are of three-fold cross-validation over questions; what is written is fitted on all of them. Needs scipy (extra
`train`).
"""

import argparse
import json
import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from models.judging import judge_claim
from models.reader_combining import judged_features, ranked
from models.reader_model import SHIPPED_READER, ReaderModel
from models.span_features import Feature
from models.supporting import logistic, support_features
from models.trained_reader import TrainedReader
from models.training.logistic import Weights, fit_logistic, fit_softmax
from models.training.reader_card import join_card
from models.training.reader_cases import FOLDS, Case, cases, kinds
from models.training.reader_data import best_f1
from models.training.reader_figures import Told, by_network, by_rules, calibration, first, table
from models.training.support_rows import RIGHT

Tables = dict[str, Weights]


def main() -> None:
    """Read, cross-validate, fit on all, and with --write keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--reader", type=Path, default=SHIPPED_READER, help="folder of the exported network")
    parser.add_argument("--share", type=float, default=1.0, help="of the questions, to try things")
    parser.add_argument("--write", action="store_true", help="keep the weights in its reader.json")
    given = parser.parse_args()
    model = ReaderModel(given.reader)
    started = time.perf_counter()
    found = cases(given.data, TrainedReader(model, {}), share=given.share)
    print(f"{len(found)} readings in {time.perf_counter() - started:.0f} s")
    told: dict[str, list[Told]] = {"rules": [by_rules(case) for case in found]}
    told["network"] = [by_network(case) for case in found]
    crossed: dict[int, Told] = {}
    supported: list[tuple[float, float]] = []
    for fold in range(FOLDS):
        tables = fit([case for case in found if case.fold != fold], model)
        reader = TrainedReader(model, tables)
        here = [n for n, case in enumerate(found) if case.fold == fold]
        crossed |= {n: first(reader.answer(found[n].scene, found[n].read, found[n].answers)) for n in here}
        rows = support_rows([found[n] for n in here], reader)
        supported += [(logistic(row, tables["support"]), right) for row, right, _ in rows]
    told["combined"] = [crossed[n] for n in range(len(found))]
    p, right = np.array(supported).T
    figures = [*table(found, told), f"- support: {calibration(p, right)}"]
    print("\n".join(figures))
    if given.write:
        tables = fit(found, model)
        join_card(given.reader, figures)
        path = given.reader / "reader.json"
        description = json.loads(path.read_text(encoding="utf-8"))
        description["weights"] = {
            name: {feature: round(value, 4) for feature, value in sorted(table.items()) if abs(value) >= 1e-3}
            for name, table in tables.items()
        }
        path.write_text(json.dumps(description, indent=1) + "\n", encoding="utf-8")
        print(f"{path}: written")


def fit(found: Sequence[Case], model: ReaderModel) -> Tables:
    """All models, in the order in which they need each other."""
    apart = kinds(found)
    tables: Tables = {"rank": fit_rank(apart["span"])}
    tables["answer"] = fit_answer(apart["span"], tables["rank"])
    tables["judge"] = fit_judge(apart["yes_no"])
    rows = support_rows(found, TrainedReader(model, {**tables, "support": {}}))
    tables["support"] = fit_logistic([r for r, _, _ in rows], [t for _, t, _ in rows], [w for *_, w in rows])
    return tables


def fit_rank(found: Sequence[Case], l2: float = 1e-3) -> Weights:
    """Softmax over the answers of one reading: raise the share of those that match gold best."""
    rows: list[Sequence[Feature]] = []
    question_of: list[int] = []
    good: list[float] = []
    shares: list[float] = []
    for case in found:
        answers = case.answers
        scores = [best_f1(one.text, case.example) for one in answers]
        best = max(scores, default=0.0)
        if best <= 0.5 or not case.answerable:
            continue
        rows += [one.features for one in answers]
        question_of += [len(shares)] * len(answers)
        good += [float(score == best) for score in scores]
        shares.append(case.weight)
    return fit_softmax(rows, np.array(question_of), np.array(good), np.array(shares) / sum(shares), l2)


def fit_answer(found: Sequence[Case], rank: Mapping[str, float]) -> Weights:
    """Probability that one of the five best answers is right."""
    rows, labels, weights = [], [], []
    for case in found:
        for one in ranked(case.answers, case.read, case.scene, rank)[:5]:
            rows.append(one.confidence)
            labels.append(float(best_f1(one.answer.text, case.example) >= RIGHT))
            weights.append(case.weight)
    return fit_logistic(rows, labels, weights)


def fit_judge(found: Sequence[Case]) -> Weights:
    """Yes or no."""
    used = [case for case in found if case.example.answers[0] in ("yes", "no") and case.answerable]
    rows = [judged_features(judge_claim(case.scene.question, case.scene), case.read) for case in used]
    labels = [float(case.example.answers[0] == "yes") for case in used]
    return fit_logistic(rows, labels, [case.weight for case in used], l2=1e-2)


def support_rows(found: Sequence[Case], reader: TrainedReader) -> list[tuple[list[Feature], float, float]]:
    """(features, right, weight): gold answers, the reader's best, and one more of its answers at random."""
    rng = random.Random(3)
    rows = []
    for case in found:
        question, passages = case.example.question, case.example.passages
        yes_no = case.example.answers[0] in ("yes", "no")
        read = [reader.judged(case.scene, case.read)] if yes_no else reader.answer(case.scene, case.read, case.answers)
        told = [(one["text"], one["probability"]) for one in read]
        tried = [one["text"] for one in [*read[:1], *rng.sample(read[1:], min(1, len(read[1:])))]]
        for answer in dict.fromkeys([case.example.answers[0], *tried]):
            right = float(best_f1(answer, case.example) >= RIGHT and case.answerable)
            rows.append((support_features(question, answer, passages, told), right, case.weight))
    return rows


if __name__ == "__main__":
    main()
