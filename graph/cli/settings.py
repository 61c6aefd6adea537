"""Settings of a question from the command line: a YAML file, `--set key=value`, and the page that lists them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graph.yaml_file import read_yaml
from stores.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table

    from nodes.context import Context


def read_settings(config: Path | None, assignments: Sequence[str], namespace: str | None) -> "Context":
    """The context of a run: the file's fields, then those of `--set`, then `--namespace`.

    Raises:
        InputError: an unreadable file, an unknown field or a value out of range.
    """
    from nodes.checked_settings import checked
    from nodes.context import Context

    fields = read_mapping(config, "--config") if config else {}
    fields |= read_assignments(assignments)
    if namespace is not None:
        fields["namespace"] = namespace
    return checked(Context, fields)


def read_plan(path: Path) -> dict[str, Any]:
    """A ready plan from a JSON or YAML file: {"nodes": [...]} or the list alone.

    Raises:
        InputError: there is no such file, or it is neither.
    """
    value = read_yaml(path, "--plan")
    if isinstance(value, list):
        return {"nodes": value}
    if not isinstance(value, dict) or not isinstance(value.get("nodes"), list):
        raise InputError(f'--plan: {str(path)!r} holds no plan: it must be {{"nodes": [{{"id", "op", "query", …}}]}}')
    return value


def read_mapping(path: Path, option: str) -> dict[str, Any]:
    """Fields of a YAML file; an empty one has none."""
    value = read_yaml(path, option)
    if not isinstance(value, dict | None):
        raise InputError(f"{option}: {str(path)!r} must hold lines of `field: value`, not {type(value).__name__}")
    return dict(value or {})


def read_assignments(assignments: Sequence[str]) -> dict[str, Any]:
    """Fields of `--set key=value`, values read as YAML.

    Raises:
        InputError: one that is not of this form.
    """
    return dict(_assignment(text) for text in assignments)


def _assignment(text: str) -> tuple[str, Any]:
    import yaml

    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise InputError(f"--set: {text!r} is not of the form key=value, as in --set top_k=8")
    try:
        return name.strip(), yaml.safe_load(value) if value.strip() else ""
    except yaml.YAMLError:
        raise InputError(f"--set: the value of {text!r} cannot be read as YAML: put it in quotes") from None


def settings_page() -> "Table":
    """Every field of Context with its default, for `ask --help`."""
    from rich.table import Table
    from rich.text import Text

    from nodes.context import Context

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, field in Context.model_fields.items():
        default = json.dumps(field.default) if not isinstance(field.default, str) else field.default
        said = Text(str(field.description)).append(f" [{default}]", style="dim")
        table.add_row(Text(f" {name}", style="cyan"), said)
    return table
