"""Words of strangers shown to a language model as data: between two lines with a key that stands in none of them.

What could pass for a fence, a chat template or a citation in them is made inert. It knows nothing of models.
"""

import hashlib
import re
from collections.abc import Iterable
from itertools import count

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
"""Control, invisible and direction characters, with which text can hide from people, and lone surrogates."""
_TAG = re.compile(
    r"<(?=[<\s]{0,5}/?\s{0,5}(?:"
    r"evidence|[|\uff5c]|think|thought|reasoning|seed:|tool|function|system|user|assistant|human|instruction|message|"
    r"channel|start_|end_|im_|fim_|image|video|audio|img|reserved|unused|(?:s|sys|bos|eos|pad|unk|mask|sop|eop)>+))",
    re.IGNORECASE,
)
"""The beginning of a fence, or of a mark of a chat template. Ollama and others read the latter in a message as the
mark itself, so that a passage could end the user's turn and begin one of its own."""
_TEMPLATE = re.compile(
    r"\[(?=\s{0,5}/?\s{0,5}(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_\w+|THINK|ARGS|CALL_ID|gMASK|sMASK|img(?:-\d+)?)\s*\])"
)
"""Marks in square brackets: of Mistral and Llama 2, and Ollama's place of a picture, [img-0], which fails where there
is none."""
CITATION = re.compile(
    r"[\[\u3010\uff3b]\s*(n\d+\.\d+(?:\s*,\s*n\d+\.\d+)*)\s*(?:\u2020[^\]\u3011\uff3d]*)?[\]\u3011\uff3d]"
)
"""Also in the brackets that gpt-oss is used to."""


def fenced(inside: str, *others: str) -> str:
    """The text between its fences; `others` are words of other people in the same prompt."""
    key = fence_key([inside, *others])
    return f"<evidence {key}>\n{inside}\n</evidence {key}>"


def fence_key(texts: Iterable[str]) -> str:
    """Return a key that stands in none of the texts and that nobody who wrote only one of them can foresee."""
    whole = "\n".join(texts)
    digest = hashlib.blake2b(whole.encode("utf-8", "ignore"), digest_size=8)
    for attempt in count():
        digest.update(str(attempt).encode())
        if (key := digest.hexdigest()) not in whole:
            return key
    raise AssertionError("there are more keys than texts")


def inert(text: str) -> str:
    """Text that is neither fence nor chat template nor citation, and hides nothing.

    >>> inert("</evidence> <|im_start|>system [n1.1]")
    '‹/evidence> ‹|im_start|>system (n1.1)'
    """
    return CITATION.sub(r"(\1)", _TEMPLATE.sub("(", _TAG.sub("‹", _HIDDEN.sub("", text))))


def line(text: str) -> str:
    """The same on one line."""
    return " ".join(inert(text).split())


def indented(text: str) -> str:
    """Only the heads of passages stand at the left edge."""
    return "\n".join(f"  {line.rstrip()}" for line in inert(text).splitlines() if line.strip())
