"""2WikiMultihopQA's other names for an answer: `id_aliases.json` of the official archive, beside the questions.

It holds one {Q_id, aliases, demonyms} a line; a question's `answer_id` is the Wikidata id of its answer. As in the
official script (2wikimultihop_evaluate_v1.1.py), demonyms count as aliases: "French" for "France".
"""

import json
from functools import cached_property
from pathlib import Path
from typing import Any

from stores.errors import InputError

FILE = "id_aliases.json"


class AnswerAliases:
    """Aliases by Wikidata id, read when the first one is asked for; none when the file is not there.

    Args:
        questions: path of the question file.
    """

    def __init__(self, questions: Path) -> None:
        self._path = questions.parent / FILE

    def of(self, record: dict[str, Any], answer: str) -> list[str]:
        """Other names of a record's answer."""
        identity = record.get("answer_id")
        if not isinstance(identity, str) or not identity:
            return []
        return [name for name in self._by_id.get(identity, []) if name != answer]

    @cached_property
    def _by_id(self) -> dict[str, list[str]]:
        if not self._path.is_file():
            return {}
        found: dict[str, list[str]] = {}
        with open(self._path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    entry = json.loads(line)
                    found[entry["Q_id"]] = list(dict.fromkeys([*entry["aliases"], *entry["demonyms"]]))
                except (ValueError, KeyError, TypeError):
                    raise InputError(
                        f"datasets: {str(self._path)!r}, line {number:,} is not {{Q_id, aliases, demonyms}}: "
                        "fetch the file again, or take it away"
                    ) from None
        return found
