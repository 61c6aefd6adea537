"""The prompt for query variants: other ways to search for what a question asks; and reading what the model wrote."""

import json
import re

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from prompts.fencing import line
from prompts.plan import MAX_QUERY, clean_text
from prompts.thoughts import without_thoughts

SYSTEM = """You help a search in a collection of documents. You do not answer the question.

Write other queries for the question, so that what one of them misses another finds:
- use other words for the same thing, as a document may have it;
- where the question takes several facts, ask for one of them in each query;
- each query stands for itself, with full names: the search sees no other query and not the question.
Reply with a JSON list of strings and nothing else."""
"""The same for every question, so that a provider can cache it."""

_MARK = re.compile(r"^\s*(?:[-*•–]|\(?\d{1,2}[.):]|Q(?:uery)?\s*\d*:)\s*", re.IGNORECASE)
_QUOTED = re.compile(r'"([^"\n]{3,})"')
"""In a list that breaks off."""
_WORDS = re.compile(r"\w+.*\s\w+|\w{3,}")


def variant_messages(question: str, count: int) -> list[BaseMessage]:
    """Build the messages that ask for `count` other queries."""
    return [SystemMessage(SYSTEM), HumanMessage(f"Write {count} queries.\nQuestion: {line(question)}")]


def read_variants(text: str, question: str, count: int) -> list[str]:
    r"""Read the queries that a model wrote, at most `count`, none of them twice and none the question itself.

    Args:
        text: ideally a JSON list of strings; also with a fence or prose around it, an object that holds the list, or
            lines with bullets or numbers.
        question: as asked.
        count: most queries.

    >>> read_variants('1. Who made Jaws?\n2. "director of Jaws"', "Who directed Jaws?", 3)
    ['Who made Jaws?', 'director of Jaws']
    """
    text = without_thoughts(text)
    found = _json_strings(text) or _QUOTED.findall(text[text.find("[") :] if "[" in text else "") or _lines(text)
    clean = (clean_text(one).strip("\"'`,“”").strip()[:MAX_QUERY] for one in found)
    known, queries = {_key(question)}, list[str]()
    for query in clean:
        if _WORDS.search(query) and _key(query) not in known:
            known.add(_key(query))
            queries.append(query)
    return queries[:count]


def _key(query: str) -> str:
    return " ".join(re.findall(r"\w+", query.lower()))


def _json_strings(text: str) -> list[str]:
    """Strings of the first JSON list in the text, or of objects in it ({"query": "..."})."""
    for start in re.finditer(r"\[", text):
        try:
            value, _ = json.JSONDecoder().raw_decode(text, start.start())
        except (ValueError, RecursionError):
            continue
        strings = [one for item in value for one in (item.values() if isinstance(item, dict) else [item])]
        if found := [one for one in strings if isinstance(one, str)]:
            return found
    return []


def _lines(text: str) -> list[str]:
    """Lines with a bullet or a number; where none has one all lines, if there are several."""
    lines = [one for one in text.splitlines() if one.strip("[]{}`, ")]
    marked = [one for one in lines if _MARK.match(one)]
    plain = [one for one in lines if not one.lstrip().startswith(("[", "{", "```"))]
    return [_MARK.sub("", one) for one in marked] or (plain if len(plain) > 1 else [])
