"""What models cost: the table, the user's own prices, and what is said of a price that is none."""

from pathlib import Path

import pytest

from models.chat import as_chat_model
from models.prices import FREE, PRICES, Price, load_prices, price_of
from models.scripted import ScriptedChatModel
from stores.errors import InputError


def test_groqs_models_have_their_price_ollamas_are_free_others_unknown() -> None:
    assert price_of("groq:openai/gpt-oss-120b") == Price(0.15, 0.60)
    assert price_of("ollama:llama3.2:3b") == FREE
    assert price_of("ollama:gpt-oss:120b-cloud") is None
    assert price_of("openai:gpt-9") is None


def test_a_thousand_questions_cost_what_the_table_says() -> None:
    plan, answer = PRICES["groq:openai/gpt-oss-20b"].of(1_800, 200), PRICES["groq:openai/gpt-oss-120b"].of(3_500, 300)
    assert 1000 * (plan + answer) == pytest.approx(0.195 + 0.705)


@pytest.mark.parametrize(
    "text", ['{"openai:gpt-9": [1, 2.5]}', "openai:gpt-9: [1, 2.5]", "'openai:gpt-9': [1, 2.5]\nx:y: [0, 0]\n"]
)
def test_the_users_prices_are_added(text: str) -> None:
    prices = load_prices(text)
    assert price_of("openai:gpt-9", prices) == Price(1.0, 2.5)
    assert price_of("groq:openai/gpt-oss-20b", prices) == PRICES["groq:openai/gpt-oss-20b"]


def test_the_users_price_comes_before_the_tables() -> None:
    prices = load_prices('{"groq:openai/gpt-oss-20b": [9, 9], "ollama:a": [1, 1]}')
    assert price_of("groq:openai/gpt-oss-20b", prices) == Price(9, 9)
    assert price_of("ollama:a", prices) == Price(1, 1)


def test_prices_may_stand_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text('{"openai:gpt-9": [1, 2.5]}', "utf-8")
    assert price_of("openai:gpt-9", load_prices(str(path))) == Price(1.0, 2.5)


def test_nothing_said_is_the_table() -> None:
    assert load_prices("  ") is PRICES


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nowhere/prices.json", "'nowhere/prices.json' cannot be read (No such file or directory)"),
        ('{"a": [1, 2}', "is neither JSON nor YAML"),
        ("[1, 2]\n", "holds no models with their prices"),
        ('{"a": 3}', "'a' has 3 for a price"),
        ('{"a": [1]}', "'a' has [1] for a price"),
        ('{"a": [1, -2]}', "'a' has [1, -2] for a price"),
        ('{"a": ["1", 2]}', "'a' has ['1', 2] for a price"),
        ('{"a": [true, 2]}', "'a' has [True, 2] for a price"),
        ('{"a": [1, .inf]}', "'a' has [1, inf] for a price"),
    ],
)
def test_what_is_no_price_is_refused_in_one_sentence(text: str, told: str) -> None:
    with pytest.raises(InputError) as refused:
        load_prices(text)
    assert str(refused.value).startswith("prices: ")
    assert told in str(refused.value)


def test_a_model_that_was_handed_in_has_the_price_of_its_name() -> None:
    class ChatGroq(ScriptedChatModel):
        """Called as the client of Groq."""

    class ChatOllama(ScriptedChatModel):
        """Called as the client of Ollama."""

        num_ctx: int = 2048

    groq = as_chat_model(ChatGroq(model_name="openai/gpt-oss-20b"))
    assert (groq.name, groq.price) == ("openai/gpt-oss-20b", Price(0.075, 0.30))
    ollama = as_chat_model(ChatOllama(model_name="llama3.2:3b"))
    assert (ollama.price, ollama.window) == (FREE, 2048)
    assert as_chat_model(ScriptedChatModel()).price is None
