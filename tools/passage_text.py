"""What is embedded for a passage: one function, because ingestion and re-embedding must agree to the letter."""


def passage_text(title: str, text: str) -> str:
    r"""Title and text, without any model's prefix.

    >>> passage_text("Bern", "A city.")
    'Bern\nA city.'
    """
    return f"{title}\n{text}" if title else text
