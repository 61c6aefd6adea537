"""Fitting completeness with the real pipeline and scipy."""

import random

from models.supporting import logistic
from models.training.fit_completeness import Row, ask, fit, table
from models.training.reader_examples import Source, Text

FILM = Text("Big Stone Gap (film)", "Big Stone Gap is a 2014 film written and directed by Adriana Trigiani.")
AUTHOR = Text("Adriana Trigiani", "Adriana Trigiani is an American author. She was born in Roseto, Pennsylvania.")
OTHERS = tuple(
    Text(f"Town {number}", f"Town {number} is a town in county {number} with a river and a railway station.")
    for number in range(8)
)
QUESTION = Source(
    id="1",
    set="hotpotqa",
    question="Where was the director of Big Stone Gap born?",
    answers=("Roseto, Pennsylvania",),
    gold=(FILM, AUTHOR),
    others=OTHERS,
)


def row(number: int, *, complete: bool) -> Row:
    source = Source(id=str(number), set="nq", question=f"Question {number}?", answers=("x",), gold=(FILM,))
    return Row(source, complete, [("one", 1.0), ("one:second", 2.0 if complete else -2.0)])


async def test_every_question_is_asked_with_all_its_passages_and_with_one_missing() -> None:
    whole, lacking = await ask([QUESTION], random.Random(0))
    assert (whole.complete, lacking.complete) == (True, False)
    told, less = dict(whole.features), dict(lacking.features)
    assert told["several"] == less["several"] == 1.0
    assert told["several:second"] > less["several:second"]


def test_what_tells_them_apart_is_learned_and_its_figures_are_of_questions_not_fitted_on() -> None:
    rows = [row(number, complete=complete) for number in range(30) for complete in (True, False)]
    weights = fit(rows)
    assert logistic(rows[0].features, weights) > 0.7 > 0.3 > logistic(rows[1].features, weights)
    assert next(line for line in table(rows) if line.startswith("| nq")).split(" | ")[1:3] == ["30", "1.000"]
