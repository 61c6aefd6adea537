"""Records out of a file: JSON, JSON lines or parquet, plain or gzipped, recognised by their first bytes.

It knows nothing about layouts. One record is in memory at a time (of parquet, a batch of rows).
"""

import gzip
import hashlib
import io
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from evaluation.datasets.fields import kind
from evaluation.datasets.json_stream import json_values
from stores.errors import InputError
from tools.formats import Unreadable

GZIP = b"\x1f\x8b"
PARQUET = b"PAR1"
ROWS = 500
"""Rows of a parquet file read at once: about 4 MB of HotpotQA."""


def read_records(path: Path) -> Generator[dict[str, Any], None, None]:
    """The records of one file, in its order.

    Raises:
        InputError: the file cannot be read at all.
        Unreadable: the record that comes next is broken.
    """
    try:
        with open(path, "rb") as raw:
            start = raw.read(4)
            raw.seek(0)
            values = _parquet(path) if start == PARQUET else _json(raw, packed=start.startswith(GZIP))
            for value in values:
                if not isinstance(value, dict):
                    raise Unreadable(f"is {kind(value)}, not an object")
                yield value
    except UnicodeDecodeError as error:
        raise InputError(f"datasets: {str(path)!r} is not UTF-8 ({error.reason}): convert it") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"datasets: {str(path)!r} is a broken gzip file ({error}): fetch it again") from None
    except OSError as error:
        raise InputError(f"datasets: {str(path)!r} cannot be read ({error.strerror or error})") from None


def sha256(path: Path) -> str:
    """Hash of a file as it lies on disk, in hex."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _json(raw: BinaryIO, packed: bool) -> Iterator[Any]:
    stream = cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if packed else raw
    with io.TextIOWrapper(stream, encoding="utf-8-sig") as text:
        yield from json_values(text)


def _parquet(path: Path) -> Iterator[dict[str, Any]]:
    try:
        import pyarrow.parquet
    except ImportError:
        raise InputError(
            f"datasets: {str(path)!r} is a parquet file, which needs an extra (pyarrow, 170 MB): "
            "pip install 'lookahead-rag[parquet]', or take the same set as JSON"
        ) from None
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=ROWS):
                yield from batch.to_pylist()
    except pyarrow.ArrowInvalid as error:
        raise InputError(f"datasets: {str(path)!r} is a broken parquet file ({error}): fetch it again") from None
