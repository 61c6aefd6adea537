"""Labelled rows for the models of support: right and wrong answers, said and unsaid sentences."""

import random
import re
from collections.abc import Sequence

from models.reader import EmbeddedReader
from models.span_features import Feature
from models.supporting import claim_features, is_claim, support_features
from models.training.reader_data import Example, best_f1, without_gold
from stores.records import Passage
from stores.sentences import split_sentences

RIGHT = 2 / 3
"""An answer counts as right from this F1 on, when probabilities are fitted."""


def support_rows(examples: Sequence[Example], rng: random.Random) -> list[tuple[list[Feature], float]]:
    """The gold answer with gold passages and with others; the reader's own best with both, and two more at random."""
    reader = EmbeddedReader()
    rows = []
    for example in examples:
        bare = [_untitled(p) for p in example.passages]
        other = [_untitled(p) for p in without_gold(example).passages]
        for passages, told in ((bare, 1.0), (other, 0.0)):
            if passages:
                rows.append((_support(reader, example.question, example.answers[0], passages), told))
        others = reader.read(example.question, bare, limit=20) if bare else []
        for read in [*others[:1], *rng.sample(others[1:], min(2, len(others[1:])))]:
            right = float(best_f1(read["text"], example) >= RIGHT)
            rows.append((_support(reader, example.question, read["text"], bare), right))
        for read in reader.read(example.question, other, limit=1) if other else []:
            right = float(best_f1(read["text"], example) >= RIGHT)
            rows += [(_support(reader, example.question, read["text"], other), right)] * 2
    return rows


def _untitled(passage: Passage) -> Passage:
    return Passage(id=passage["id"], document_id="", title="", text=passage["text"], metadata={})


def _support(reader: EmbeddedReader, question: str, answer: str, passages: Sequence[Passage]) -> list[Feature]:
    yes_no = answer in ("yes", "no")
    told = [reader.judge(question, passages)] if yes_no else reader.read(question, passages, limit=20)
    return support_features(question, answer, passages, [(one["text"], one["probability"]) for one in told])


def claim_rows(examples: Sequence[Example], rng: random.Random) -> list[tuple[list[Feature], float]]:
    """Said: a sentence of the passage, shortened; not: with another passage, or with a name or number exchanged."""
    rows = []
    for example in examples:
        if not example.others or not example.passages:
            continue
        held, other = example.passages[0], example.others[0]
        said = [s for s in split_sentences(held["text"]) if is_claim(s)]
        strange = re.findall(r"(?<=\s)[A-Z][a-z]+|\d+", other["text"])
        if not said or not strange:
            continue
        claim = rng.choice(said)
        places = [m.span() for m in re.finditer(r"(?<=\s)[A-Z][a-z]+|\d+", claim)]
        words = claim.split()
        rows.append((claim_features(" ".join(words[: rng.randint(max(6, len(words) // 2), len(words))]), [held]), 1.0))
        rows.append((claim_features(f"{held['title']}: {claim}", [held]), 1.0))
        rows.append((claim_features(claim, [other]), 0.0))
        if places:
            start, end = rng.choice(places)
            rows.append((claim_features(claim[:start] + rng.choice(strange) + claim[end:], [held]), 0.0))
    return rows
