"""Query variants without a language model."""

from models.rewriter import EmbeddedRewriter


async def variants(question: str, count: int = 3) -> list[str]:
    return (await EmbeddedRewriter().rewrite(question, names=[], count=count))["queries"]


async def test_parts_that_wait_for_no_answer_come_first_then_a_rewording() -> None:
    queries = await variants("Where was the director of Big Stone Gap born?")
    assert queries[0] == "director of Big Stone Gap"
    assert len(queries) == 2
    assert "birthplace" in queries[1]


async def test_both_sides_of_a_comparison() -> None:
    queries = await variants("Who was born first, Ada Lovelace or Alan Turing?")
    assert any("Ada Lovelace" in query for query in queries[:2])
    assert any("Alan Turing" in query for query in queries[:2])
    assert not any("{" in query for query in queries)


async def test_never_the_question_itself_and_never_too_many() -> None:
    question = "Which company owns the studio that made Heat?"
    assert question not in await variants(question)
    assert len(await variants(question, 1)) <= 1
