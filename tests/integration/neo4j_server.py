"""A real Neo4j server of a test's own. Knows how to start and end it, not where its jars came from.

    python -m tests.integration.neo4j_server --version 5.26.0 --port 7687

starts one, prints its address and password, and keeps it until Ctrl-C. A server listens on loopback alone, has a home
folder of its own, calls nobody, and dies with the process that started it.
"""

import argparse
import os
import random
import secrets
import signal
import socket
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from neo4j import Auth, GraphDatabase
from neo4j.exceptions import DriverError, Neo4jError

from tests.integration.neo4j_build import VERSIONS, Java, neo4j_jars, neo4j_java

START_SECONDS = 180
"""Five on a machine that is idle."""
STOP_SECONDS = 60
_PORTS = range(20_000, 32_000)
"""Below the ports that systems give to outgoing calls: none of those takes the port of a server that is down."""
_WITH_ITS_PARENT = 'exec 3<&0; { cat <&3 >/dev/null; kill -KILL 0; } & exec "$@" 3<&- </dev/null'
"""Runs a command whose process group is killed when standard input closes: however the parent ends, it closes then."""
_MAIN = "META-INF/services/org.neo4j.server.startup.EntryPoint"
_VECTORS = "jdk.incubator.vector"
_SETTINGS = """server.bolt.listen_address=127.0.0.1:{port}
server.http.enabled=false
server.https.enabled=false
dbms.security.auth_enabled=true
dbms.usage_report.enabled=false
server.memory.pagecache.size=128m
db.tx_log.preallocate=false
"""


class Neo4jServer:
    """A server that can be killed and started again, on the same port, with the same password and data."""

    def __init__(self, version: str, jars: Path, java: Java, home: Path, port: int | None = None) -> None:
        """Take the jars, a Java, and an empty folder for data, settings and logs; without a port a free one is used."""
        self.version = version
        self.home = home
        self.log = home / "output.log"
        """What the server wrote, of all its starts; its own logs are in `home/logs`."""
        self.port = port or _free_port()
        self.uri = f"bolt://127.0.0.1:{self.port}"
        self.username = "neo4j"
        self.password = secrets.token_urlsafe(16)
        self.database = "neo4j"
        self._command = _command(jars, java, home)
        self._password_set = False
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start it and wait until it answers; the first time, set the password.

        Raises:
            RuntimeError: it did not come up; the message holds its log.
        """
        if self.running:
            return
        self.kill()
        (self.home / "conf").mkdir(exist_ok=True)
        (self.home / "conf/neo4j.conf").write_text(_SETTINGS.format(port=self.port))
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                ["sh", "-c", _WITH_ITS_PARENT, "sh", *self._command],
                cwd=self.home,
                env={"PATH": os.environ.get("PATH", os.defpath), "HOME": str(self.home), "TMPDIR": str(self.home)},
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            self._wait_until_up()
        except BaseException:
            self.kill()
            raise

    def stop(self) -> None:
        """End it as its owner would."""
        if self._process is not None and self.running:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(STOP_SECONDS)
        self.kill()

    def kill(self) -> None:
        """End it at once, in the middle of whatever it does."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert process.stdin is not None
        process.stdin.close()

    def restart(self) -> None:
        """Start it again, where it still runs after ending it as its owner would."""
        self.stop()
        self.start()

    def _wait_until_up(self) -> None:
        assert self._process is not None
        end = time.monotonic() + START_SECONDS
        while self._process.poll() is None and time.monotonic() < end:
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=5):
                    pass
                self._log_in()
                return
            except (OSError, DriverError, Neo4jError):
                time.sleep(0.1)
        raise RuntimeError(f"Neo4j {self.version} did not come up on {self.uri}:\n{self._last_words()}")

    def _log_in(self) -> None:
        if not self._password_set:
            self._run("neo4j", "system", "ALTER CURRENT USER SET PASSWORD FROM 'neo4j' TO $new", new=self.password)
            self._password_set = True
        self._run(self.password, self.database, "RETURN 1")

    def _run(self, password: str, database: str, query: str, **values: str) -> None:
        auth = Auth("basic", self.username, password)
        with GraphDatabase.driver(self.uri, auth=auth) as driver, driver.session(database=database) as session:
            session.run(query, values).consume()

    def _last_words(self) -> str:
        logs = [self.log, self.home / "logs/neo4j.log"]
        return "\n".join(log.read_text(errors="replace")[-3000:] for log in logs if log.exists())


@contextmanager
def serving(version: str, port: int | None = None) -> Iterator[Neo4jServer]:
    """A running server with an empty database, in a temporary home folder.

    Raises:
        BuildError: it could not be fetched, or there is no Java for it.
        RuntimeError: it did not come up.
    """
    jars, java = neo4j_jars(version), neo4j_java(version)
    with tempfile.TemporaryDirectory(prefix="neo4j-", ignore_cleanup_errors=True) as home:
        server = Neo4jServer(version, jars, java, Path(home), port)
        try:
            server.start()
            yield server
        finally:
            server.stop()


def _command(jars: Path, java: Java, home: Path) -> list[str]:
    """The server's own entry point, as its start script calls it."""
    main = next(jars.glob("neo4j-[0-9]*.jar"))
    with zipfile.ZipFile(main) as archive:
        entry = archive.read(_MAIN).decode().strip()
    opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in ("java.nio", "java.io", "sun.nio.ch")]
    vectors = [f"--add-modules={_VECTORS}"] if _VECTORS in java.modules else []
    options = ["-Xmx768m", "-XX:+UseSerialGC", *opened, *vectors, "-cp", f"{jars}/*"]
    return [f"{java.home}/bin/java", *options, entry, f"--home-dir={home}", f"--config-dir={home}/conf"]


def _free_port() -> int:
    for port in random.sample(_PORTS, 100):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError(f"no free port in {_PORTS}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.integration.neo4j_server")
    parser.add_argument("--version", choices=VERSIONS, default=VERSIONS[0])
    parser.add_argument("--port", type=int, help="without it, a free one")
    arguments = parser.parse_args()
    with suppress(KeyboardInterrupt), serving(arguments.version, arguments.port) as started:
        print(
            f"NEO4J_URI={started.uri}\nNEO4J_USERNAME={started.username}\nNEO4J_PASSWORD={started.password}", flush=True
        )
        signal.pause()
