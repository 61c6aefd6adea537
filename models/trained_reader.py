"""The trained reader: a small network reads, typed spans and computed comparisons help it, fitted weights decide.

Behind the same protocol as `models.reader.EmbeddedReader`. Questions are read once: the same question on the same
passages comes from memory, whoever asks (binding, answer, check). Knows nothing about stores, plans or the graph.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from models import reader_weights
from models.judging import judge_claim
from models.listing import LISTED, is_listed
from models.pages import open_pages
from models.question_view import view
from models.questions import choices
from models.reader import MOST, Candidate, EmbeddedReader, Reader, choose, spelled
from models.reader_combining import Answer, combined, judged_features, ranked, sentence_of
from models.reader_model import ReaderModel
from models.reader_nbest import Reading, reading
from models.span_features import Scene
from models.spans import answer_key
from models.supporting import claim_features, is_claim, logistic, support_features
from stores.errors import ModelError
from stores.records import Passage

REMEMBERED = 128
"""Readings kept."""
FITTED = ("rank", "answer", "judge", "support")
"""Models fitted on top of the network."""
_Key = tuple[tuple[str, str, str], ...]
"""(id, title, text) of passages."""


class TrainedReader:
    """Reads with the network of a folder; safe to use from several threads."""

    name = "trained"

    def __init__(
        self, model: ReaderModel | None = None, weights: Mapping[str, Mapping[str, float]] | None = None
    ) -> None:
        """Read the description only.

        Args:
            model: None for the shipped one.
            weights: in place of those that come with the model.

        Raises:
            ModelError: there is no model, its files are broken, or nothing was fitted on top of it.
        """
        self._model = model or ReaderModel()
        self._weights = self._model.weights if weights is None else weights
        if weights is None and (missing := [name for name in FITTED if name not in self._weights]):
            raise ModelError(
                f"reader: {str(self._model.folder)!r} lacks the weights {', '.join(missing)}; set reader to 'rules', "
                "or fit them with `python -m models.training.fit_trained_reader`"
            )
        self._rules = EmbeddedReader()
        self._network = lru_cache(REMEMBERED)(self._run)
        self._answers = lru_cache(REMEMBERED)(self._read)

    def read(self, question: str, passages: Sequence[Passage], *, limit: int = 5) -> list[Candidate]:
        """The best answers, texts distinct, most probable first; empty without passages or a question."""
        return [one.copy() for one in self._answers(question, _key(passages))[:limit]]

    def judge(self, claim: str, passages: Sequence[Passage]) -> Candidate:
        """Yes or no; "no" with probability 0.5 and no passage when there is nothing to read."""
        scene = Scene(view(claim), open_pages(passages))
        if not scene.sentences:
            return Candidate(text="no", probability=0.5, passage_id="", sentence="")
        return self.judged(scene, self.reading(claim, passages))

    def judged(self, scene: Scene, read: Reading) -> Candidate:
        """Yes or no to the scene's question, after what the network read in its pages."""
        judged = judge_claim(scene.question, scene)
        yes = logistic(judged_features(judged, read), self._weights["judge"])
        sentence = judged.sentence.text if judged.sentence else ""
        return _candidate("yes" if yes >= 0.5 else "no", max(yes, 1 - yes), scene, judged.page, sentence)

    def sentences(self, question: str, text: str) -> list[tuple[str, float]]:
        """Relevance of each sentence by its terms: asked of many passages, so the network is not run."""
        return self._rules.sentences(question, text)

    def support(self, question: str, answer: str, passages: Sequence[Passage]) -> float:
        """For a short answer: that it is right by these passages; for a whole sentence: that they say so."""
        texts = [passage["text"] for passage in passages]
        if not answer_key(answer) or not any(text.strip() for text in texts):
            return 0.0
        if is_listed(question, answer, texts):
            return LISTED
        if is_claim(answer):
            return logistic(claim_features(answer, passages), reader_weights.CLAIM)
        yes = self.judge(question, passages) if answer_key(answer) in ("yes", "no") else None
        read = [yes] if yes else self.read(question, passages, limit=MOST)
        told = [(one["text"], one["probability"]) for one in read]
        features = support_features(question, answer, passages, told)
        return logistic(features, self._weights["support"])

    def forget(self) -> None:
        """Read anew what is asked from now on; answers stay the same."""
        self._network.cache_clear()
        self._answers.cache_clear()

    def reading(self, question: str, passages: Sequence[Passage]) -> Reading:
        """What the network alone reads."""
        return self._network(question, tuple((one["title"], one["text"]) for one in passages))

    def _run(self, question: str, passages: tuple[tuple[str, str], ...]) -> Reading:
        return reading(self._model.read(question, passages), passages)

    def _read(self, question: str, key: _Key) -> list[Candidate]:
        passages = [Passage(id=i, document_id="", title=title, text=text, metadata={}) for i, title, text in key]
        asked = view(question)
        scene = Scene(asked, open_pages(passages))
        if not scene.sentences or not asked.terms:
            return []
        return self.answer(scene)

    def answer(
        self, scene: Scene, read: Reading | None = None, found: Sequence[Answer] | None = None
    ) -> list[Candidate]:
        """Answers to the scene's question.

        Args:
            scene: question and pages.
            read: what the network read in them; None: it reads where it is needed.
            found: what `combined` gives for these, where it is known.
        """
        asked = scene.question
        options = choices(asked.text) if asked.wanted == "choice" else None
        if options is not None:  # computed or counted: the network added nothing
            return choose(asked, options, scene)
        read = read or self.reading(asked.text, [page.passage for page in scene.pages])
        if asked.wanted == "yes_no":
            return [self.judged(scene, read)]
        return self._spans(scene, read, combined(scene, read) if found is None else found)

    def _spans(self, scene: Scene, read: Reading, found: Sequence[Answer]) -> list[Candidate]:
        """Calibrated; together they are at most certain, so each gets what the better ones leave."""
        told: list[Candidate] = []
        left = before = 1.0
        for one in ranked(found, read, scene, self._weights["rank"])[:MOST]:
            p = before = min(logistic(one.confidence, self._weights["answer"]), left, before)
            left -= p
            sentence = sentence_of(scene.pages[one.answer.page], one.answer.sentence)
            text = spelled(one.answer.text, one.answer.key, sentence, scene)
            told.append(_candidate(text, p, scene, one.answer.page, sentence))
        return told


def load_reader(name: str) -> Reader:
    """The reader called "trained" or "rules"; a network's weights are read at the first question.

    Raises:
        ModelError: the trained reader's files are missing or broken.
    """
    return TrainedReader() if name == TrainedReader.name else EmbeddedReader()


def _candidate(text: str, probability: float, scene: Scene, page: int, sentence: str) -> Candidate:
    passage = scene.pages[page].passage
    return Candidate(text=text, probability=round(probability, 4), passage_id=passage["id"], sentence=sentence)


def _key(passages: Sequence[Passage]) -> _Key:
    return tuple((one["id"], one["title"], one["text"]) for one in passages)
