"""Fetches a question set from its official address: resumed where it broke off, checked, and only then given its name.

What comes is written to `NAME.part`; it becomes NAME when size and SHA-256 are right, and a file that is there is never
overwritten. An archive is unpacked the same way and then deleted. It prints nothing: `progress` is told how far it is.
"""

import os
import zipfile
from pathlib import Path
from typing import IO, Protocol
from urllib.parse import urlsplit

from evaluation.datasets.catalogue import Download, File, Source
from evaluation.datasets.files import sha256
from stores.errors import InputError, LookaheadError

BLOCK = 1 << 20
CONNECT_SECONDS = 15.0
SILENT_SECONDS = 60.0
"""How long the server may send nothing."""
AGENT = "lookahead-rag (question sets for benchmarks)"


class FetchError(LookaheadError):
    """A question set did not come, or not as it should be."""


class Progress(Protocol):
    """Is told how far a file is."""

    def __call__(self, stage: str, name: str, done: int, total: int) -> None:
        """`stage` is fetching, checking or unpacking; `done` and `total` are bytes, a total of 0 is not known."""


def silent(stage: str, name: str, done: int, total: int) -> None:
    """Progress that nobody sees."""


def fetch(wanted: Source, folder: Path, progress: Progress = silent) -> tuple[list[Path], int]:
    """Bring the files of a set into a folder; those that are there already are only checked.

    Returns:
        Their paths, and how many bytes came over the network.

    Raises:
        InputError: another file of that name is in the way.
        FetchError: no network, an answer that is not the file, or a folder that cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        came = sum(_bring(download, folder, progress) for download in wanted.downloads)
    except OSError as error:
        place = error.filename or str(folder)
        raise FetchError(f"datasets: {str(place)!r} cannot be written ({error.strerror or error})") from None
    return [folder / file.name for download in wanted.downloads for file in download.wanted], came


def _bring(download: Download, folder: Path, progress: Progress) -> int:
    """One file or archive; how many bytes came."""
    missing = [file for file in download.wanted if not _there(folder / file.name, file, progress)]
    if not missing:
        return 0
    path, came = folder / download.file.name, 0
    if not (download.members and _there(path, download.file, progress)):
        came = _transfer(download, folder, progress)
    if download.members:
        _unpack(path, missing, progress)
        path.unlink()
    return came


def _there(path: Path, file: File, progress: Progress) -> bool:
    """Whether the right file is there already.

    Raises:
        InputError: another one is.
    """
    if not path.exists():
        return False
    progress("checking", file.name, 0, file.size)
    if path.is_file() and not _wrong(path, file):
        return True
    raise InputError(
        f"datasets: {str(path)!r} is there and is not the official file: move it away, or name another folder with --to"
    )


def _wrong(path: Path, file: File) -> str:
    """What is wrong with a file, or nothing."""
    size = path.stat().st_size
    if file.size and size != file.size:
        return f"it has {size:,} bytes and not {file.size:,}"
    found = sha256(path)
    return "" if found == file.sha256 else f"its SHA-256 is {found[:12]}… and not {file.sha256[:12]}…"


def _transfer(download: Download, folder: Path, progress: Progress) -> int:
    """Fetch into NAME.part, check it, name it; how many bytes came."""
    path, file = folder / download.file.name, download.file
    part = path.with_name(f"{file.name}.part")
    before = part.stat().st_size if part.exists() else 0
    if file.size and before > file.size:
        part.unlink()
        before = 0
    came = 0
    if not file.size or before < file.size:
        came = _receive(download, part, path, progress)
    progress("checking", file.name, 0, file.size)
    if wrong := _wrong(part, file):
        part.unlink()
        raise FetchError(
            f"datasets: what {download.url!r} sent is not the official {file.name!r} ({wrong}): run the command again; "
            "if that does not help, the file has changed since this program was written"
        )
    os.replace(part, path)
    return came


def _receive(download: Download, part: Path, path: Path, progress: Progress) -> int:
    """Append what is missing of a file; how many bytes came."""
    import httpx

    before = part.stat().st_size if part.exists() else 0
    headers = {"User-Agent": AGENT, "Accept-Encoding": "identity"}
    headers |= {"Range": f"bytes={before}-"} if before else {}
    timeout = httpx.Timeout(SILENT_SECONDS, connect=CONNECT_SECONDS)
    start = before
    try:
        with httpx.stream("GET", download.url, headers=headers, timeout=timeout, follow_redirects=True) as answer:
            _refuse(answer.status_code, answer.headers.get("content-type", ""), download, path)
            resumed = answer.status_code == 206
            start = before if resumed else 0
            total = download.file.size or start + int(answer.headers.get("content-length", 0))
            with open(part, "ab" if resumed else "wb") as out:
                for block in answer.iter_bytes():
                    out.write(block)
                    progress("fetching", download.file.name, out.tell(), total)
                    if out.tell() > total > 0:
                        break  # not the file; no need for the rest of it
    except httpx.HTTPError as error:
        raise _broken_off(download, part, path, str(error) or type(error).__name__) from None
    return part.stat().st_size - start


def _refuse(status: int, kind: str, download: Download, path: Path) -> None:
    """Raise when the answer is not the file."""
    by_hand = f"fetch it by hand and put it at {str(path)!r}"
    if status >= 400:
        raise FetchError(f"datasets: {download.url!r} answered {status}: try again later, or {by_hand}")
    if kind.startswith("text/html"):
        raise FetchError(
            f"datasets: {download.url!r} sent a web page instead of the file, as Google Drive does when it was fetched "
            f"too often in one day: try again later, or {by_hand}"
        )


def _broken_off(download: Download, part: Path, path: Path, why: str) -> FetchError:
    host = urlsplit(download.url).hostname
    done = part.stat().st_size if part.exists() else 0
    if not done:
        return FetchError(
            f"datasets: {host!r} cannot be reached ({why}): without a network, fetch {download.url} elsewhere and put "
            f"it at {str(path)!r}"
        )
    return FetchError(
        f"datasets: {download.file.name!r} broke off after {done / 1e6:,.1f} MB ({why}): run the command again, it "
        "goes on from there"
    )


def _unpack(archive: Path, wanted: list[File], progress: Progress) -> None:
    """Take files out of an archive, wherever in it they lie."""
    try:
        with zipfile.ZipFile(archive) as opened:
            names = {Path(name).name: name for name in opened.namelist() if "__MACOSX" not in name}
            for file in wanted:
                with opened.open(names[file.name]) as member:
                    _extract(member, archive.with_name(file.name), file, progress)
    except (KeyError, zipfile.BadZipFile) as error:
        raise FetchError(f"datasets: {str(archive)!r} is not the archive that it should be ({error})") from None


def _extract(member: IO[bytes], path: Path, file: File, progress: Progress) -> None:
    part = path.with_name(f"{path.name}.part")
    with open(part, "wb") as out:
        while block := member.read(BLOCK):
            out.write(block)
            progress("unpacking", file.name, out.tell(), file.size)
    if wrong := _wrong(part, file):
        part.unlink()
        raise FetchError(f"datasets: {file.name!r} of the archive is not the official file ({wrong})")
    os.replace(part, path)
