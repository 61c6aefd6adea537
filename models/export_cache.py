"""Exported sentence-transformers models in the user's cache: made at the first use of a name, found there afterwards.

Knows where exports are and when one is missing; how one is made is `models/exporting.py`, which needs the extra.
"""

import hashlib
import importlib.util
import re
import shutil
import tempfile
from pathlib import Path

from models.user_cache import cache_folder
from stores.errors import ModelError

FORMAT = "1"
"""Grows when exports must be made anew; part of the folder's name."""


def exported_folder(name: str, prefixes: tuple[str, str]) -> Path:
    """The folder with the export of `name`, made now if it is missing.

    Args:
        name: on the model hub, or the folder of a sentence-transformers model.
        prefixes: query and passage prefix, where the model's own files name none.

    Raises:
        ModelError: the extra is missing, the model is unknown or cannot be reached, or cannot be exported or written.
    """
    source, identity = _identity(name)
    folder = cache_folder() / "models" / _slug(identity)
    if (folder / "embedder.json").is_file():
        return folder
    if not all(importlib.util.find_spec(package) for package in ("sentence_transformers", "onnx")):
        raise ModelError(
            f"embedder: {name!r} is not shipped; install the extra: pip install 'lookahead-rag[sentence-transformers]'"
        )
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise ModelError(
            f"embedder: the export of {name!r} cannot be written ({error}); set LOOKAHEAD_CACHE to a folder that can"
        ) from error
    try:
        _export(source, identity, unfinished, prefixes)
        _publish(unfinished, folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def _identity(name: str) -> tuple[str, str]:
    """Where the model is, and the name its vectors are recorded under.

    A folder is recorded with a hash of its files' sizes and times: a model trained anew in the same place makes other
    vectors. The recorded name, with the hash, is accepted for the folder as well.
    """
    folder = Path(re.sub(r"@[0-9a-f]{12}$", "", name)).expanduser()
    if not folder.is_dir():
        return name, name
    folder = folder.resolve()
    files = sorted(file for file in folder.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
    stats = [(str(file.relative_to(folder)), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    return str(folder), f"{folder}@{_hash(str(stats))}"


def _slug(identity: str) -> str:
    """A folder's name: readable, and different for different models."""
    readable = re.sub(r"[^A-Za-z0-9._-]+", "--", identity.partition("@")[0])[-60:].strip(".-")
    return f"{readable}-{_hash(identity)}-v{FORMAT}"


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


def _export(source: str, identity: str, folder: Path, prefixes: tuple[str, str]) -> None:
    from models.exporting import export

    try:
        export(source, folder, name=identity, prefixes=prefixes)
    except OSError as error:  # what the hub's client raises, for a wrong name and for no network alike
        raise ModelError(
            f"embedder: {source!r} is neither a folder nor to be had from the model hub ({_first_line(error)}); "
            "check the name and the network"
        ) from error
    except (ValueError, RuntimeError, ImportError) as error:
        raise ModelError(f"embedder: {source!r} cannot be used ({_first_line(error)}); choose another model") from error


def _publish(unfinished: Path, folder: Path) -> None:
    """Give the finished export its name, unless another process was faster."""
    try:
        unfinished.rename(folder)
    except OSError:
        if not (folder / "embedder.json").is_file():
            raise


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(".")
