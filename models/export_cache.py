"""Exported sentence-transformers models in the user's cache: made at the first use of a name, found there afterwards.

Knows where exports are and who may make them; how one is made is `models/exporting.py`, loaded only when one is missing.
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
    folder = cache_folder() / "models" / slug(name)
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
        _export(name, unfinished, prefixes)
        _publish(unfinished, folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def slug(name: str) -> str:
    """Folder name for a model: readable, and different for different models.

    A local model's name has a hash of its path and of its files' sizes and times, so that retraining it is seen.
    """
    local = Path(name).expanduser()
    readable = re.sub(r"[^A-Za-z0-9._-]+", "--", name.strip("/\\"))[-80:].strip(".-")
    identity = name
    if local.is_dir():
        files = sorted(file for file in local.rglob("*") if file.is_file())
        stats = [(str(file.relative_to(local)), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
        readable = local.resolve().name
        identity = f"{local.resolve()} {stats}"
    return f"{readable}-{hashlib.blake2b(identity.encode(), digest_size=6).hexdigest()}-v{FORMAT}"


def _export(name: str, folder: Path, prefixes: tuple[str, str]) -> None:
    from models.exporting import export

    try:
        export(name, folder, prefixes=prefixes)
    except OSError as error:  # what the hub's client raises, for a wrong name and for no network alike
        raise ModelError(
            f"embedder: {name!r} is neither a folder nor to be had from the model hub ({_first_line(error)}); "
            "check the name and the network"
        ) from error
    except (ValueError, RuntimeError, ImportError) as error:
        raise ModelError(
            f"embedder: {name!r} cannot be exported ({_first_line(error)}); choose another model"
        ) from error


def _publish(unfinished: Path, folder: Path) -> None:
    """Give the finished export its name, unless another process was faster."""
    try:
        unfinished.rename(folder)
    except OSError:
        if not (folder / "embedder.json").is_file():
            raise


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(".")
