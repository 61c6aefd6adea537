"""Files that a user names on the command line: YAML, or JSON, which is nearly the same."""

from pathlib import Path
from typing import Any

from stores.errors import InputError


def read_yaml(path: Path, option: str, otherwise: str = "neither YAML nor JSON") -> Any:
    """Value of a YAML file, which JSON is too but for tabs.

    Args:
        path: of the file.
        option: that names it; begins the sentence of an error.
        otherwise: what is said of a file that is no YAML.

    Raises:
        InputError: it cannot be read, or is no YAML.
    """
    import yaml  # where it is needed: the command line must start quickly

    try:
        return yaml.safe_load(path.read_text(encoding="utf-8-sig").replace("\t", "  "))
    except OSError as error:
        raise InputError(f"{option}: {str(path)!r} cannot be read: {error.strerror}") from None
    except (yaml.YAMLError, ValueError) as error:
        place = getattr(error, "problem_mark", None)
        where = f" (line {place.line + 1}: {getattr(error, 'problem', '')})" if place else ""
        raise InputError(f"{option}: {str(path)!r} is {otherwise}{where}") from None
