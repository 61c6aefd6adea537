"""Which documents a question set is asked against, and which of them hold the answers.

Three corpora. *Pooled*: all paragraphs of all questions, equal ones once (the protocol of HippoRAG, arXiv 2405.14831).
*Given*: to each question its own paragraphs. *An existing namespace*: the questions' paragraphs are not used, and gold
is known by title only. It knows nothing about stores: it hands out documents to be ingested.
"""

from collections.abc import Iterable

from evaluation.datasets.records import Question
from stores.records import Document


def pooled_passages(questions: Iterable[Question]) -> list[Document]:
    """All paragraphs of these questions, equal ones (title and text, letter by letter) once, in order of appearance.

    A document's key is its paragraph's key, so that `gold_documents` names it. Pool the whole set, also when only a
    sample of it is asked: a smaller pool is an easier one.
    """
    pool: dict[str, Document] = {}
    for question in questions:
        for document in given_passages(question):
            pool.setdefault(document.key, document)
    return list(pool.values())


def given_passages(question: Question) -> list[Document]:
    """The question's own paragraphs, equal ones once."""
    own = {passage["key"]: passage for passage in question["passages"]}
    return [Document(key, passage["title"], passage["text"]) for key, passage in own.items()]


def gold_documents(question: Question) -> list[str]:
    """Keys of the documents that hold the answer, in the order of the hops, for corpora pooled and given.

    A supporting paragraph that the question came without (HotpotQA's fullwiki setting) has no key and is left out, as
    no search could find it.
    """
    return list(dict.fromkeys(gold["passage"] for gold in question["supporting"] if gold["passage"]))


def gold_titles(question: Question) -> list[str]:
    """Titles of the paragraphs that hold the answer, for a corpus that was not made of the questions' own."""
    return list(dict.fromkeys(gold["title"] for gold in question["supporting"] if gold["title"]))
