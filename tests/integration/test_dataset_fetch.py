"""Fetching from a real server on this machine: resumed, refused, broken off, and without any server."""

import contextlib
import hashlib
import re
import socket
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evaluation.datasets import catalogue
from evaluation.datasets.catalogue import Download, File, Source
from evaluation.datasets.fetching import FetchError, fetch
from graph.cli import app, main
from stores.errors import InputError

CONTENT = bytes(range(256)) * 20_000
"""5 MB."""


class Server(ThreadingHTTPServer):
    """Serves CONTENT at any path, as it is told."""

    daemon_threads = True
    ranges = True
    """Whether it can go on in the middle."""
    breaks_after = 0
    """Bytes after which it hangs up; 0: never."""
    status = 200
    kind = "application/json"

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.content = CONTENT
        self.asked: list[str] = []
        """The Range of each request."""

    def source(self, name: str = "toy.json", *members: File) -> Source:
        """A set that lies here."""
        wanted = File(name, len(self.content), hashlib.sha256(self.content).hexdigest())
        url = f"http://127.0.0.1:{self.server_port}/{name}"
        return Source("toy", "A toy", "1", "MIT", "http://toy.invalid", (Download(url, wanted, members),))


class Handler(BaseHTTPRequestHandler):
    """Answers GET, with a Range or without."""

    server: Server

    def do_GET(self) -> None:
        asked = self.headers.get("Range", "")
        self.server.asked.append(asked)
        found = re.fullmatch(r"bytes=(\d+)-", asked) if self.server.ranges else None
        body = self.server.content[int(found[1]) if found else 0 :]
        self.send_response(206 if found else self.server.status)
        self.send_header("Content-Type", self.server.kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):  # who has seen enough hangs up
            self.wfile.write(body[: self.server.breaks_after or None])

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def test_a_file_comes_once(server: Server) -> None:
    told: list[tuple[str, int, int]] = []
    path = Path("sets/toy.json")
    assert fetch(server.source(), Path("sets"), lambda s, _, done, total: told.append((s, done, total))) == (
        [path],
        len(CONTENT),
    )
    assert path.read_bytes() == CONTENT
    assert ("fetching", len(CONTENT), len(CONTENT)) in told
    assert fetch(server.source(), Path("sets")) == ([path], 0)
    assert server.asked == [""]
    assert [found.name for found in Path("sets").iterdir()] == ["toy.json"]


def test_what_broke_off_goes_on(server: Server) -> None:
    server.breaks_after = 2_000_000
    with pytest.raises(FetchError, match=r"'toy.json' broke off after 2.0 MB .*: run the command again, it goes on"):
        fetch(server.source(), Path())
    assert not Path("toy.json").exists()
    server.breaks_after = 0
    assert fetch(server.source(), Path())[1] == len(CONTENT) - 2_000_000
    assert server.asked == ["", "bytes=2000000-"]
    assert Path("toy.json").read_bytes() == CONTENT


def test_a_server_that_cannot_go_on_sends_all_of_it(server: Server) -> None:
    Path("toy.json.part").write_bytes(CONTENT[:1000])
    server.ranges = False
    assert fetch(server.source(), Path())[1] == len(CONTENT)
    assert Path("toy.json").read_bytes() == CONTENT


def test_what_came_before_may_be_whole_or_too_long(server: Server) -> None:
    Path("toy.json.part").write_bytes(CONTENT)
    assert fetch(server.source(), Path())[1] == 0
    assert server.asked == []
    Path("toy.json").unlink()
    Path("toy.json.part").write_bytes(CONTENT + b"more")
    assert fetch(server.source(), Path())[1] == len(CONTENT)


@pytest.mark.parametrize("wrong", [CONTENT[::-1], CONTENT[:1000], CONTENT * 3])
def test_another_content_is_refused_and_not_kept(server: Server, wrong: bytes) -> None:
    wanted = server.source()
    server.content = wrong
    with pytest.raises(FetchError, match=r"sent is not the official 'toy.json' \(it"):
        fetch(wanted, Path())
    assert list(Path().iterdir()) == []


def test_a_page_is_not_taken_for_the_file(server: Server) -> None:
    server.kind = "text/html; charset=utf-8"
    with pytest.raises(FetchError, match=r"sent a web page instead of the file.*put it at 'toy.json'"):
        fetch(server.source(), Path())
    assert list(Path().iterdir()) == []


def test_a_file_that_is_gone(server: Server) -> None:
    server.status = 404
    with pytest.raises(FetchError, match="answered 404: try again later, or fetch it by hand"):
        fetch(server.source(), Path())


def test_an_archive_is_unpacked(server: Server) -> None:
    with zipfile.ZipFile("made.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("data/dev.json", CONTENT)
    server.content = Path("made.zip").read_bytes()
    member = File("dev.json", 0, hashlib.sha256(CONTENT).hexdigest())
    assert fetch(server.source("toy.zip", member), Path("sets"))[0] == [Path("sets/dev.json")]
    assert [path.name for path in Path("sets").iterdir()] == ["dev.json"]
    assert Path("sets/dev.json").read_bytes() == CONTENT


def test_nothing_is_fetched_when_another_file_is_in_the_way(server: Server) -> None:
    Path("toy.json").write_text("mine")
    with pytest.raises(InputError, match="is there and is not the official file"):
        fetch(server.source(), Path())
    assert server.asked == []


def test_the_command_fetches_into_the_data_folder(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "SOURCES", (server.source(),))
    result = CliRunner().invoke(app, ["datasets", "fetch", "toy"])
    assert "5 MB fetched and checked" in result.stdout
    assert result.stderr == "", "no bar without a terminal"
    (path,) = (line.strip() for line in result.stdout.splitlines() if line.endswith("toy.json"))
    assert Path(path).read_bytes() == CONTENT
    assert path.endswith("lookahead-rag/datasets/toy/toy.json")


def test_without_a_network_it_is_one_sentence(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = server.source()
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/toy.json"
    offline = Source("toy", "", "1", "MIT", "", (Download(url, wanted.downloads[0].file),))
    monkeypatch.setattr(catalogue, "SOURCES", (offline,))
    monkeypatch.setattr("sys.argv", ["lookahead", "datasets", "fetch", "toy", "--to", "sets"])
    with pytest.raises(SystemExit) as ended:
        main()
    captured = capsys.readouterr()
    assert ended.value.code == 1
    assert captured.err.startswith("error: datasets: '127.0.0.1' cannot be reached (")
    assert f"fetch {url} elsewhere and put it at 'sets/toy.json'" in captured.err
    assert len(captured.err.splitlines()) == 1
    assert captured.out == ""
