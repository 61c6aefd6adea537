"""What calls of language models cost: a small table with a date, to which the user's own prices are added.

Source: console.groq.com/docs/models, read in November 2026, in US dollars for a million tokens. A model that stands
nowhere has no price: its calls are counted as such, and no cost is guessed. What runs on the user's own Ollama server
costs nothing for each token.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from stores.errors import InputError


class Price(NamedTuple):
    """US dollars for a million tokens."""

    read: float
    """For the tokens of the prompt."""
    written: float
    """For those of the reply, thoughts included."""

    @property
    def is_free(self) -> bool:
        """Whether it costs nothing however many tokens there are."""
        return self.read == self.written == 0

    def of(self, read: int, written: int) -> float:
        """Dollars for so many tokens.

        >>> Price(0.15, 0.60).of(2_000_000, 500_000)
        0.6
        """
        return (self.read * read + self.written * written) / 1e6


Prices = Mapping[str, Price]

FREE = Price(0.0, 0.0)
PRICES: Prices = {
    "groq:openai/gpt-oss-20b": Price(0.075, 0.30),
    "groq:openai/gpt-oss-120b": Price(0.15, 0.60),
    "groq:openai/gpt-oss-safeguard-20b": Price(0.075, 0.30),
    "embedded": FREE,
}


def price_of(name: str, prices: Prices = PRICES) -> Price | None:
    """The price of a model by its name, "PROVIDER:MODEL"; None when it is not known.

    >>> price_of("ollama:llama3.2:3b")
    Price(read=0.0, written=0.0)
    >>> price_of("openai:gpt-9") is None
    True
    """
    if name in prices:
        return prices[name]
    if name.startswith("ollama:") and not name.endswith("cloud"):  # "gpt-oss:120b-cloud" runs at ollama.com
        return FREE
    return None


def load_prices(text: str) -> Prices:
    """The table with the user's prices added, or in place of those that stand there.

    Args:
        text: JSON or YAML, {"PROVIDER:MODEL": [dollars for a million tokens read, for a million written]}, or the path
            of a file that holds it; empty for the table as it is.

    Raises:
        InputError: it is neither.
    """
    if not text.strip():
        return PRICES
    told = _mapping(text)
    return {**PRICES, **{str(name): _price(str(name), value) for name, value in told.items()}}


_EXAMPLE = 'write {"groq:openai/gpt-oss-20b": [0.075, 0.3]}, dollars for a million tokens read and written'


def _mapping(text: str) -> Mapping[Any, Any]:
    import yaml  # 20 ms, spared where nobody has prices of their own

    is_path = not text.lstrip().startswith("{") and "\n" not in text and ": " not in text
    try:
        told = yaml.safe_load(Path(text.strip()).read_text("utf-8") if is_path else text)
    except OSError as error:
        raise InputError(
            f"prices: the file {text.strip()!r} cannot be read ({error.strerror}): check LOOKAHEAD_PRICES"
        ) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"prices: {text[:60]!r} is neither JSON nor YAML: {_EXAMPLE}") from error
    if not isinstance(told, Mapping):
        raise InputError(f"prices: {text[:60]!r} holds no models with their prices: {_EXAMPLE}")
    return told


def _price(name: str, value: Any) -> Price:
    if (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(one, int | float) and not isinstance(one, bool) and 0 <= one < float("inf") for one in value)
    ):
        return Price(float(value[0]), float(value[1]))
    raise InputError(f"prices: {name!r} has {value!r} for a price: {_EXAMPLE}")
