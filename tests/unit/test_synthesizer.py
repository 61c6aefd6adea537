import re

import pytest

from models.answering import SynthesisInput
from models.reader import Candidate, EmbeddedReader
from models.synthesizer import EmbeddedSynthesizer


def evidence(citation, title, text, *more, compressed=False):
    return {
        "ids": [citation, *more], "passage_id": title, "document_id": title, "title": title, "text": text,
        "compressed": compressed, "score": 1.0,
    }  # fmt: skip


FILM = evidence(
    "n1.1", "Big Stone Gap (film)", "Big Stone Gap is a 2014 film written and directed by Adriana Trigiani."
)
AUTHOR = evidence("n2.1", "Adriana Trigiani", "Adriana Trigiani is an author born in Roseto, Pennsylvania.")


def given(question, nodes, shown, queries=None, bindings=None):
    planned = {node["id"]: node["query"] for node in nodes}
    return SynthesisInput(
        question=question,
        plan={"question": question, "nodes": nodes},
        evidence=list(shown),
        bound_queries={"n0": question, **planned, **(queries or {})},
        bindings=bindings or {},
    )


async def answer(case, reader=None):
    pieces = []
    synthesis = await EmbeddedSynthesizer(reader or EmbeddedReader()).synthesize(case, emit=pieces.append)
    return synthesis, pieces


class ScriptedReader(EmbeddedReader):
    """Answers each query as told, with nothing for the others."""

    def __init__(self, **told):
        self.told = told

    def read(self, question, passages, *, limit=5):
        texts = self.told.get(question.split()[0], [])
        where = passages[0]["id"] if passages else ""
        return [Candidate(text=t, probability=p, passage_id=where, sentence=f"It is {t}.") for t, p in texts]


def lookup(number, query, op="lookup", depends_on=()):
    return {"id": f"n{number}", "op": op, "query": query, "depends_on": list(depends_on)}


TWO_HOPS = given(
    "Where was the director of Big Stone Gap born?",
    [lookup(1, "director of Big Stone Gap"), lookup(2, "Where was {n1} born?", "bridge", ["n1"])],
    [FILM, AUTHOR],
    queries={"n2": "Where was Adriana Trigiani born?"},
    bindings={
        "n2": [
            {
                "text": "Adriana Trigiani", "probability": 0.9, "passage_id": FILM["passage_id"],
                "sentence": FILM["text"], "node": "n1",
            }
        ]
    },
)  # fmt: skip


async def test_two_hops_are_answered_and_each_is_explained_with_its_citation():
    synthesis, pieces = await answer(TWO_HOPS)
    assert synthesis["answer"] == "Roseto, Pennsylvania"
    assert synthesis["sufficient"]
    assert re.findall(r"\[(n\d\.\d)\]", synthesis["explanation"]) == ["n1.1", "n2.1"]
    assert "directed by Adriana Trigiani" in synthesis["explanation"]
    assert "".join(pieces).strip() == synthesis["explanation"]
    assert len(pieces) == 2


async def test_without_evidence_it_says_so():
    synthesis, _ = await answer({**TWO_HOPS, "evidence": []})
    assert (synthesis["answer"], synthesis["sufficient"], synthesis["probability"]) == ("", False, 0.0)
    assert "do not say" in synthesis["explanation"]


async def test_an_improbable_answer_is_not_given_but_the_closest_passage_is():
    synthesis, _ = await answer(given("Who? ", [], [FILM]), ScriptedReader())
    assert not synthesis["sufficient"]
    assert "[n1.1]" in synthesis["explanation"]


async def test_without_a_plan_the_question_itself_is_read():
    synthesis, _ = await answer(given("Who directed Big Stone Gap?", [], [FILM]))
    assert synthesis["answer"] == "Adriana Trigiani"


async def test_compressed_evidence_is_quoted_as_it_is():
    short = evidence("n0.1", "Big Stone Gap (film)", "Directed by Adriana Trigiani.", compressed=True)
    synthesis, _ = await answer(given("Who directed Big Stone Gap?", [], [short]))
    assert "Directed by Adriana Trigiani" in synthesis["explanation"]


def sides(question, op):
    shown = [evidence("n1.1", "Red", "Red is a film."), evidence("n2.1", "Blue", "Blue is a film.", "n3.1")]
    return given(question, [lookup(1, "red x"), lookup(2, "blue x"), lookup(3, "both", op, ["n1", "n2"])], shown)


async def test_compare_computes_with_what_the_parents_read():
    read = {"red": [("May 1994", 0.9)], "blue": [("3 June 1993", 0.9)]}
    synthesis, _ = await answer(sides("Which film was released first, Red or Blue?", "compare"), ScriptedReader(**read))
    assert synthesis["answer"] == "Blue"
    assert synthesis["probability"] == pytest.approx(0.81)


async def test_the_same_node_as_lookup_does_not_compare():
    read = {"red": [("May 1994", 0.9)], "blue": [("3 June 1993", 0.9)]}
    synthesis, _ = await answer(sides("Which film was released first, Red or Blue?", "lookup"), ScriptedReader(**read))
    assert not synthesis["sufficient"]


async def test_aggregate_counts_or_lists_what_the_parents_read():
    read = {"red": [("Ann", 0.9)], "blue": [("Bo", 0.8)]}
    counted, _ = await answer(sides("How many directors have they had?", "aggregate"), ScriptedReader(**read))
    listed, _ = await answer(sides("Which people directed them?", "aggregate"), ScriptedReader(**read))
    assert counted["answer"] == "2"
    assert listed["answer"] == "Ann and Bo"
    assert listed["probability"] == pytest.approx(0.8)


@pytest.mark.parametrize(("opening", "expected"), [("Which", "Oberon and Titania"), ("How many", "2")])
async def test_aggregate_lists_several_things_of_one_parent_and_cites_each(opening, expected):
    question = f"{opening} moons of Uranus did William Herschel discover?"
    nodes = [lookup(1, question), lookup(2, question, "aggregate", ["n1"])]
    shown = [
        evidence(f"n1.{n}", title, f"{title} is a moon of Uranus. William Herschel discovered it in 1787.")
        for n, title in enumerate(("Oberon", "Titania"), 1)
    ]
    synthesis, _ = await answer(given(question, nodes, shown))
    assert synthesis["answer"] == expected
    assert {"[n1.1]", "[n1.2]"} <= set(re.findall(r"\[[^\]]*\]", synthesis["explanation"]))


async def test_filter_keeps_only_the_parents_candidates():
    read = {"red": [("Ann", 0.9), ("Bo", 0.5)], "which": [("Cy", 0.8), ("Bo", 0.4)]}
    nodes = [lookup(1, "red x"), lookup(2, "which of {n1}", "filter", ["n1"])]
    shown = [evidence("n1.1", "Red", "Red."), evidence("n2.1", "Blue", "Blue.")]
    filtered, _ = await answer(given("What of them?", nodes, shown), ScriptedReader(**read))
    nodes[1]["op"] = "lookup"
    free, _ = await answer(given("What of them?", nodes, shown), ScriptedReader(**read))
    assert (filtered["answer"], free["answer"]) == ("Bo", "Cy")


async def test_verify_says_yes_or_no():
    nodes = [lookup(1, "Adriana Trigiani is an author", "verify")]
    shown = [evidence("n1.1", AUTHOR["title"], AUTHOR["text"])]
    synthesis, _ = await answer(given("Is Adriana Trigiani an author?", nodes, shown))
    assert synthesis["answer"] == "yes"
    assert "[n1.1]" in synthesis["explanation"]


async def test_an_answer_found_twice_is_more_probable():
    one = given("who x", [], [evidence("n1.1", "Red", "Red.")])
    two = given("who x", [lookup(1, "who is red")], [evidence("n1.1", "Red", "Red.")])
    reader = ScriptedReader(who=[("Ann", 0.6)])
    assert (await answer(two, reader))[0]["probability"] > (await answer(one, reader))[0]["probability"] == 0.6


async def test_a_comparison_is_explained_from_both_sides():
    shown = [
        evidence("n1.1", "Ada Byron", "Ada Byron (10 December 1815 – 27 November 1852) was a writer."),
        evidence("n2.1", "Bo Li", "Bo Li (23 June 1912 – 7 June 1954) was a writer."),
    ]
    synthesis, _ = await answer(given("Who is older, Ada Byron or Bo Li?", [], shown))
    assert synthesis["answer"] == "Ada Byron"
    assert {"[n1.1]", "[n2.1]"} <= set(re.findall(r"\[[^\]]*\]", synthesis["explanation"]))


async def test_a_long_sentence_is_shortened_around_the_answer():
    long = evidence("n0.1", "Gap", f"{'Word ' * 80}it was directed by Adriana Trigiani {'and more ' * 60}.")
    synthesis, _ = await answer(given("Who directed Gap?", [], [long]))
    assert len(synthesis["explanation"]) < 400
    assert "Adriana Trigiani" in synthesis["explanation"]


async def test_a_step_is_quoted_from_where_it_is_said_and_not_from_where_it_was_read():
    page = evidence("n2.1", "Adriana Trigiani", "Adriana Trigiani is an author born in Roseto.", "n1.2")
    read_there = {"node": "n1", "text": "Adriana Trigiani", "probability": 0.9, "passage_id": "Adriana Trigiani"}
    case = given(
        TWO_HOPS["question"],
        TWO_HOPS["plan"]["nodes"],
        [FILM, page],
        queries={"n2": "Where was Adriana Trigiani born?"},
        bindings={"n2": [{**read_there, "sentence": page["text"]}]},
    )
    synthesis, _ = await answer(case)
    assert "“Big Stone Gap is a 2014 film written and directed by Adriana Trigiani” [n1.1]" in synthesis["explanation"]


async def test_answers_that_begin_alike_in_a_sentence_stand_together():
    class OfOneSentence(EmbeddedReader):
        def read(self, question, passages, *, limit=5):
            sentence = "She was born in Oak Park, Illinois, a suburb of Chicago."
            told = [("Chicago", 0.4), ("Oak Park, Illinois", 0.35), ("Oak Park", 0.2)]
            return [Candidate(text=t, probability=p, passage_id=passages[0]["id"], sentence=sentence) for t, p in told]

    case = given("Where was Trigiani born?", [lookup(2, "Where was Trigiani born?")], [AUTHOR])
    synthesis, _ = await answer(case, OfOneSentence())

    assert synthesis["answer"] == "Oak Park, Illinois"
    assert synthesis["probability"] == pytest.approx(1 - (1 - 0.35) * (1 - 0.35 / 2))
