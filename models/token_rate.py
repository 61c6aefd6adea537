"""How many tokens a text will be for a model, learnt from what its server reports.

No tokenizer is loaded: those of Groq's and Ollama's models are not at hand. Counted are bytes of UTF-8, since byte-pair
encodings never need more tokens than that, in whatever script: about four bytes a token in English prose.
"""

import threading
from collections.abc import Sequence

from langchain_core.messages import BaseMessage

FIRST = 3.0
"""Bytes for each token before anything is known: low for prose, fair for JSON and other scripts."""
MARGIN = 0.9
"""One text differs from another: so much of the learnt rate is counted on."""
LOWEST = 1.0
PLAUSIBLE = 8.0
"""Bytes for each token: a server that reports fewer tokens than this makes did not count the whole prompt."""
PROSE = 4.0
"""Bytes for each token of English prose. Tables and other scripts have less; a low rate learnt of them says nothing
of the next prompt, which may be prose again."""
TRUST = 0.2
"""Share of a new rate that goes into the old one when it is higher; a lower one counts at once."""


class TokenRate:
    """Bytes for each token of one model."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rate = FIRST
        self._learnt = False

    def tokens(self, size: int) -> int:
        """Tokens that a text of this many bytes will hardly exceed.

        >>> TokenRate().tokens(2700)
        1000
        """
        return round(size / (self._rate * MARGIN))

    def bytes(self, tokens: int) -> int:
        """Bytes that fit into so many tokens.

        >>> TokenRate().bytes(1000)
        2700
        """
        return int(tokens * self._rate * MARGIN)

    def learn(self, size: int, tokens: int) -> None:
        """Take in that a prompt of this many bytes was reported to be so many tokens."""
        if size <= 0 or tokens <= 0 or size / tokens > PLAUSIBLE:
            return
        with self._lock:
            rate = max(size / tokens, LOWEST)
            first = not self._learnt
            self._rate = rate if first or rate < self._rate else self._rate + TRUST * (rate - self._rate)
            self._learnt = True

    def learn_bound(self, size: int, tokens: int) -> None:
        """Take in that a prompt of this many bytes was more than so many tokens: the server cut the rest off.

        By how much is not known, so half the rate is assumed; what the next prompt is reported to be corrects it.
        """
        with self._lock:
            self._rate = min(self._rate, max(size / max(tokens, 1) / 2, LOWEST))

    def is_cut(self, size: int, tokens: int) -> bool:
        """Whether a server that reports so few tokens cannot have read a prompt of this many bytes in full."""
        return self._learnt and tokens > 0 and size / tokens > 1.5 * max(self._rate, PROSE)


def prompt_size(messages: Sequence[BaseMessage]) -> int:
    """Bytes of UTF-8 in the messages' texts."""
    return sum(len(str(message.text).encode("utf-8", "replace")) for message in messages)
