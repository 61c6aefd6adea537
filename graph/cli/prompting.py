"""Questions from a prompt, or line by line from a pipe."""

import contextlib
import sys
from collections.abc import Iterator

from graph.cli.output import err


def questions() -> Iterator[str]:
    """Questions until Ctrl-D or the end of the input; empty lines are passed over."""
    if not sys.stdin.isatty():
        yield from (line.strip() for line in sys.stdin if line.strip())
        return
    err().print("Ask a question; Ctrl-D ends.", style="dim")
    with _history():
        while True:
            try:
                line = input("\n> ").strip()
            except EOFError:
                err().print()
                return
            if line:
                yield line


@contextlib.contextmanager
def _history() -> Iterator[None]:
    """Lines of earlier prompts under the arrow keys, where Python has readline."""
    try:
        import readline
    except ImportError:
        yield
        return
    from models.user_cache import cache_folder

    path = cache_folder() / "questions"
    with contextlib.suppress(OSError):
        readline.read_history_file(path)
    readline.set_history_length(1000)
    try:
        yield
    finally:
        # A folder that cannot be written costs the history, not the answers.
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            readline.write_history_file(path)
