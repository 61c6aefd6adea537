from models.rewriting import rewrite


def test_a_title_the_evidence_names_is_tried_first() -> None:
    assert rewrite("Where was the director of Big Stone Gap born?", ["Adriana Trigiani"])[0].startswith(
        "Adriana Trigiani"
    )


def test_what_documents_say_instead_is_tried() -> None:
    assert any("birthplace" in q for q in rewrite("Where was Marie Curie born?", []))


def test_each_entity_is_tried_by_itself() -> None:
    made = rewrite("Did Marie Curie know Albert Einstein?", [])
    assert {"Marie Curie", "Albert Einstein"} <= set(made)


def test_the_query_itself_is_never_made_again() -> None:
    assert "Marie Curie" not in rewrite("Marie Curie", [])
    assert rewrite("", []) == []
