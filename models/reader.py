"""Reader: finds answer spans, judges claims, ranks sentences, says how well an answer is supported. Local, on the CPU.

`EmbeddedReader` has no network and no model file: candidate spans (`models.spans`), features of counting and distance
(`models.span_features`), comparison by computing (`models.computing`) and logistic weights (`models.reader_weights`).
It knows nothing about stores, plans or the graph. A trained reader can stand behind the same protocol.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from typing_extensions import TypedDict

from models import reader_weights as weights
from models.judging import Judged, judge_claim, judge_options
from models.listing import LISTED, is_listed
from models.pages import open_pages
from models.question_view import QuestionView, view
from models.questions import choices
from models.refusing import refused
from models.span_features import Candidate as SpanCandidate
from models.span_features import Feature, Scene
from models.spans import answer_key
from models.supporting import claim_features, is_claim, logistic, logit, support_features
from stores.records import Passage

MOST = 20
"""Distinct answers of a reading that are kept."""


class Candidate(TypedDict):
    """A possible answer and the place it was read."""

    text: str
    probability: float
    """Calibrated probability, 0 to 1, that this is the right answer (token F1 with the gold answer of at least 2/3)."""
    passage_id: str
    sentence: str


class Reader(Protocol):
    """What the graph asks of a reader. All methods are synchronous CPU work: call them through `asyncio.to_thread`."""

    name: str

    def read(self, question: str, passages: Sequence[Passage], *, limit: int = 5) -> list[Candidate]:
        """The best answers, texts distinct, most probable first; empty without passages."""
        ...

    def judge(self, claim: str, passages: Sequence[Passage]) -> Candidate:
        """Text "yes" or "no" for a claim or yes/no question, with the probability of that text."""
        ...

    def sentences(self, question: str, text: str) -> list[tuple[str, float]]:
        """Sentences of the text in order, each with its relevance to the question, 0 to 1."""
        ...

    def support(self, question: str, answer: str, passages: Sequence[Passage]) -> float:
        """Calibrated probability that `answer` answers the question according to the text of these passages."""
        ...

    def forget(self) -> None:
        """Read anew what is asked from now on; answers stay the same."""
        ...


class EmbeddedReader:
    """The reader that needs nothing: patterns, counting and a fitted logistic."""

    name = "rules"

    def read(self, question: str, passages: Sequence[Passage], *, limit: int = 5) -> list[Candidate]:
        """The best answers, texts distinct, most probable first; empty without passages or a question."""
        asked = view(question)
        scene = Scene(asked, open_pages(passages))
        if not scene.sentences or not asked.terms:
            return []
        if asked.wanted == "yes_no":
            return [_judged(asked, scene)]
        options = choices(question) if asked.wanted == "choice" else None
        if options is not None:
            return choose(asked, options, scene)[:limit]
        return _spans(scene)[:limit]

    def judge(self, claim: str, passages: Sequence[Passage]) -> Candidate:
        """Yes or no; "no" with probability 0.5 and no passage when there is nothing to read."""
        asked = view(claim)
        scene = Scene(asked, open_pages(passages))
        if not scene.sentences:
            return Candidate(text="no", probability=0.5, passage_id="", sentence="")
        return _judged(asked, scene)

    def sentences(self, question: str, text: str) -> list[tuple[str, float]]:
        """Relevance: the weighted share of the question's terms in the sentence, a little more for the opening one."""
        pages = open_pages([Passage(id="", document_id="", title="", text=text, metadata={})])
        scene = Scene(view(question), pages)
        fits = {sentence.position: dict(features)["s:alone"] for _, _, sentence, features in scene.sentences}
        return [
            (sentence.text, round(min(1.0, fits[sentence.position] + 0.05 * (sentence.position == 0)), 4))
            for sentence in pages[0].sentences
        ]

    def support(self, question: str, answer: str, passages: Sequence[Passage]) -> float:
        """For a short answer: that it is right by these texts; for a whole sentence: that they say so."""
        texts = [passage["text"] for passage in passages]
        passages = [Passage(**{**passage, "title": ""}) for passage in passages]  # as the weights were fitted
        if not answer_key(answer) or not any(text.strip() for text in texts):
            return 0.0
        if is_listed(question, answer, texts):
            return LISTED
        if is_claim(answer):
            return logistic(claim_features(answer, passages), weights.CLAIM)
        read = self.read(question, passages, limit=MOST)
        yes = self.judge(question, passages) if answer_key(answer) in ("yes", "no") else None
        told = [(one["text"], one["probability"]) for one in ([yes] if yes else read)]
        return logistic(support_features(question, answer, passages, told), weights.SUPPORT)

    def forget(self) -> None:
        """It remembers nothing."""


def _judged(asked: QuestionView, scene: Scene) -> Candidate:
    judged = judge_claim(asked, scene)
    yes = logistic(judged.features, weights.JUDGE)
    return _candidate("yes" if yes >= 0.5 else "no", max(yes, 1 - yes), judged, scene)


def choose(asked: QuestionView, options: Sequence[str], scene: Scene) -> list[Candidate]:
    """Two options, the likelier first: computed where that can be, else by what their pages cover."""
    judged = judge_options(asked, options, scene)
    scores = [sum(weights.OPTION.get(name, 0.0) * value for name, value in one.features) for one in judged]
    first = 1 / (1 + math.exp(-max(-30.0, min(30.0, scores[0] - scores[1]))))
    read = [_candidate(o, p, j, scene) for o, p, j in zip(options, (first, 1 - first), judged, strict=True)]
    return sorted(read, key=lambda candidate: -candidate["probability"])


def _candidate(text: str, probability: float, judged: Judged, scene: Scene) -> Candidate:
    passage = scene.pages[judged.page].passage
    sentence = judged.sentence.text if judged.sentence else ""
    return Candidate(text=text, probability=round(probability, 4), passage_id=passage["id"], sentence=sentence)


def _spans(scene: Scene) -> list[Candidate]:
    """Calibrated candidates; together they are at most certain, so each gets what the better ones leave."""
    read, left, before = [], 1.0, 1.0
    wanted = scene.question.wanted
    found = scene.candidates()
    if wanted != "number":
        found = [one for one in found if not refused(one.text, wanted)]
    for best, confidence in ranked_spans(scene, found):
        if refused(best.text, wanted):
            continue  # that no number is better says nothing for the numbers there are: it keeps its share
        probability = before = min(logistic(confidence, weights.ANSWER), left, before)
        left -= probability
        passage = scene.pages[best.page].passage
        read.append(
            Candidate(
                text=spelled(best.text, best.key, best.sentence.text, scene),
                probability=round(probability, 4),
                passage_id=passage["id"],
                sentence=best.sentence.text,
            )
        )
    return read


def spelled(text: str, key: str, sentence: str, scene: Scene) -> str:
    """An answer as the title of a passage has it, where the sentence does too: "The Shins" for "Shins"."""
    title = scene.pages[scene.titles[key]].title if key in scene.titles else text
    return title if title in sentence else text


def ranked_spans(scene: Scene, found: Sequence[SpanCandidate]) -> list[tuple[SpanCandidate, list[Feature]]]:
    """Distinct answers, best first, with the features of their probability.

    The share of an answer is the sum of its spans' softmax shares: what stands in two places counts twice.
    """
    return [
        (one.best, _confidence(scene, one.best, one.share, one.score, rank))
        for rank, one in enumerate(shared_out(found))
    ]


class Shared(NamedTuple):
    """A distinct answer among typed spans."""

    best: SpanCandidate
    """Its best span."""
    score: float
    """Of that span."""
    share: float
    """Of all its spans together."""


def shared_out(found: Sequence[SpanCandidate]) -> list[Shared]:
    """The `MOST` answers with the largest softmax shares over all spans, largest first."""
    scores = [sum(weights.SPAN.get(name, 0.0) * value for name, value in one.features) for one in found]
    top = max(scores, default=0.0)
    shares: dict[str, float] = {}
    best: dict[str, int] = {}
    for number, (one, score) in enumerate(zip(found, scores, strict=True)):
        shares[one.key] = shares.get(one.key, 0.0) + math.exp(score - top)
        if one.key not in best or score > scores[best[one.key]]:
            best[one.key] = number
    total = sum(shares.values())
    order = sorted(shares, key=lambda key: -shares[key])[:MOST]
    return [Shared(found[best[key]], scores[best[key]], shares[key] / total) for key in order]


def _confidence(scene: Scene, span: SpanCandidate, share: float, score: float, rank: int) -> list[Feature]:
    shared = dict(span.features)
    return [
        ("bias", 1.0),
        ("share", logit(share)),
        ("score", score / 10),
        ("first", float(rank == 0)),
        ("pair", shared["s:pair"]),
        ("titled", shared["s:titled"]),
        ("named", max(scene.named, default=0.0)),
    ]
