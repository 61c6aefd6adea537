"""Answers that cannot be: a year for a city, a verb at the end of a person's name, no number for "how many".

Only what is plain is refused. It looks at the text of an answer and at the kind asked for; it knows nothing about
passages, and judges nothing that fits.
"""

import re

from models.values import number_value
from models.words import NATIONALITIES

_MONTH = (
    r"january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter"
)
_COUNTED = (
    r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|hundred|thousand|first|second)"
)
_BARE = re.compile(
    rf"(?:(?:{_MONTH}|{_COUNTED}|between|from|to|and|of|in|on|until|early|mid|late|the|years?|ad|bce?|ce|centur(?:y|ies)"
    r"|\d[\d,.:]*+(?:st|nd|rd|th|s)?)(?!\w)|[\s,.–—-])++",
    re.IGNORECASE,
)
"""Dates, numbers and what joins them; possessive, so that long digits take linear time."""
_NO_DATE = frozenset({"person", "place", "city", "country", "state", "nation", "organization"})
_NO_PERSON = re.compile(
    r"[A-Z]\S*(?: .*)? [a-z]+|"
    r"(?!(?:the|de|da|di|du|van|von|der|den|el|al|bin|ibn|la|le|d['’]|y)\b)[a-z]\S* (?:.* )?[A-Z].*"
)
"""A name with a small word after it ("Ann Bo wrote") or before it ("beyond Neptune")."""
_AMOUNT = re.compile(r"\d|\b(?:dozens?|half|none|no|single|twice|once|hundreds?|thousands?|millions?)\b")


def refused(text: str, wanted: str) -> bool:
    """Whether the text cannot answer what is wanted.

    Args:
        text: A possible answer.
        wanted: An `AnswerType`, or finer (city, country, state, nation) as in `models.question_view`.

    >>> refused("October 1973", "city"), refused("Mary Ann Evans wrote", "person"), refused("Bergen", "city")
    (True, True, False)
    """
    if wanted in _NO_DATE and _BARE.fullmatch(text):
        return True
    if wanted == "person":
        return _NO_PERSON.fullmatch(text) is not None or text.lower() in NATIONALITIES
    return wanted == "number" and number_value(text) is None and _AMOUNT.search(text.lower()) is None
