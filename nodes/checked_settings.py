"""Settings checked: fields a user wrote, as a model, or one sentence on the first that is wrong.

Knows any pydantic model; not where the fields come from.
"""

import difflib
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from stores.errors import InputError

MOST_QUOTED = 80
"""Characters of a value that a sentence repeats."""
Model = TypeVar("Model", bound=BaseModel)


def checked(model: type[Model], fields: Mapping[str, Any], stage: str = "settings") -> Model:
    """The model with these fields.

    Args:
        model: what is to be made.
        fields: as the user wrote them.
        stage: begins the sentence.

    Raises:
        InputError: an unknown field, or a value that cannot be used.
    """
    try:
        return model.model_validate(dict(fields))
    except ValidationError as error:
        raise InputError(f"{stage}: {_complaint(error.errors()[0], list(model.model_fields))}") from error


def _complaint(first: Mapping[str, Any], known: list[str]) -> str:
    name, said = ".".join(map(str, first["loc"])), first["msg"]
    if first["type"] in ("extra_forbidden", "invalid_key"):  # the latter: a YAML key that is no string
        near = difflib.get_close_matches(name, known, 1)
        guess = f", did you mean {near[0]!r}? Take" if near else "; take"
        return f"there is no {_quoted(name)}{guess} one of {', '.join(known)}"
    if first["type"] == "value_error":
        said = str(first["ctx"]["error"])  # without pydantic's "Value error, "
    return f"{name}={_quoted(first['input'])} cannot be used: {said}" if name else said


def _quoted(value: object) -> str:
    """A value as it was written, cut where it is long."""
    shown = repr(value)
    return shown if len(shown) <= MOST_QUOTED else f"{shown[:MOST_QUOTED]}…"
