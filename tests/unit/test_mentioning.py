"""Candidates are known by the name of the document that they mean."""

from models.mentioning import named_as_documents
from models.reader import Candidate

SENTENCE = "He was a son of George Grey, 2nd Earl of Kent and his second wife."


def candidate(text: str, probability: float, sentence: str = SENTENCE) -> Candidate:
    return Candidate(text=text, probability=probability, passage_id="p", sentence=sentence)


def test_a_part_of_a_documents_name_becomes_the_whole_and_its_shares_are_added() -> None:
    read = [
        candidate("Catherine Herbert", 0.5),
        candidate("George Grey", 0.4),
        candidate("George Grey, 2nd Earl of Kent", 0.3),
    ]

    told = named_as_documents(read, ["George Grey, 2nd Earl of Kent (nobleman)", "Kent"])

    assert [(one["text"], one["probability"]) for one in told] == [
        ("George Grey, 2nd Earl of Kent", 0.7),
        ("Catherine Herbert", 0.5),
    ]


def test_a_name_that_does_not_stand_in_the_sentence_changes_nothing() -> None:
    read = [candidate("George Grey", 0.4, "George Grey was there.")]

    assert named_as_documents(read, ["George Grey, 2nd Earl of Kent"]) == read
    assert read[0]["probability"] == 0.4
