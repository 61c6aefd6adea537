"""A real Neo4j server of a test's own. Knows how to start and end it, not where its jars came from.

    python -m tests.integration.neo4j_server --version 5.26.0 --port 7687

starts one, prints its address and password, and keeps it until Ctrl-C. A server listens on loopback alone, has a home
folder of its own, calls nobody, and dies with the process that started it.
"""

import argparse
import os
import secrets
import signal
import tempfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from neo4j import Auth, GraphDatabase
from neo4j.exceptions import DriverError, Neo4jError

from tests.integration.java_runtime import Java
from tests.integration.neo4j_build import VERSIONS, neo4j_jars, neo4j_java
from tests.integration.server_process import ServerProcess, free_port

START_SECONDS = 600
"""Ten are enough on a machine that has nothing else to do."""
STOP_SECONDS = 120
_ENTRY_POINT = "META-INF/services/org.neo4j.server.startup.EntryPoint"
"""Where the server's jar names its main class: another one in each version."""
_OPENED = tuple(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in ("java.nio", "java.io", "sun.nio.ch"))
# Two thirds of the work of a start is compiling; a test ends before the slow compiler's better code pays.
_FOR_TESTS = ("-Xmx768m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", *_OPENED)
_AS_OWNED = ("-Xmx2g", "-XX:+UseG1GC", "--add-modules=jdk.incubator.vector", *_OPENED)
"""As its owner would start it, and the server's own script does: for measurements."""
_SETTINGS = """server.bolt.listen_address=127.0.0.1:{port}
server.http.enabled=false
server.https.enabled=false
dbms.security.auth_enabled=true
dbms.security.auth_max_failed_attempts=0
dbms.usage_report.enabled=false
server.memory.pagecache.size={cache}
db.tx_log.preallocate=false
internal.server.bolt.connection_shutdown_wait_time=100ms
internal.server.bolt.thread_pool_shutdown_wait_time=100ms
"""
"""However many wrong passwords tests try, the next right one is taken at once. The last two are waited for after the
databases are closed, five seconds each by default."""
_MORE_SETTINGS = {"2026.09.0": "dbms.fleet_manager.enabled=false\n"}
"""What this version alone knows: it would gather figures for a console in the cloud."""


class Neo4jServer:
    """A server that can be killed and started again, on the same port, with the same password and data."""

    username = "neo4j"
    database = "neo4j"

    def __init__(
        self, version: str, jars: Path, java: Java, home: Path, port: int | None = None, *, as_owned: bool = False
    ) -> None:
        """Take the jars, a Java, and an empty folder for data, settings and logs; without a port a free one is used.

        With `as_owned` it gets the memory and the compiler of a server that stays up: it is slower to start.
        """
        self.version = version
        self._cache = "512m" if as_owned else "128m"
        self.home = home
        self.log = home / "output.log"
        """What the server wrote, of all its starts; its own logs are in `home/logs`."""
        self.port = port or free_port()
        self.uri = f"bolt://127.0.0.1:{self.port}"
        self.password = secrets.token_urlsafe(16)
        self._has_password = False
        environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(home), "TMPDIR": str(home)}
        command = _command(jars, java, home, _AS_OWNED if as_owned else _FOR_TESTS)
        self._process = ServerProcess(command, home, environment, self.log)

    @property
    def running(self) -> bool:
        return self._process.running

    @property
    def pid(self) -> int:
        return self._process.pid

    def start(self) -> None:
        """Start it and wait until it answers; the first time, set the password.

        Raises:
            RuntimeError: it did not come up; the message holds its log.
        """
        if self.running:
            return
        (self.home / "conf").mkdir(exist_ok=True)
        settings = _SETTINGS.format(port=self.port, cache=self._cache) + _MORE_SETTINGS.get(self.version, "")
        (self.home / "conf/neo4j.conf").write_text(settings)
        self._process.start()
        try:
            self._wait_until_up()
        except BaseException:
            self.kill()
            raise

    def stop(self) -> None:
        """End it as its owner would."""
        self._process.stop(STOP_SECONDS)

    def kill(self) -> None:
        """End it at once, in the middle of whatever it does."""
        self._process.kill()

    def restart(self) -> None:
        """Start it again; where it still runs, end it first, as its owner would."""
        self.stop()
        self.start()

    def _wait_until_up(self) -> None:
        end, last = time.monotonic() + START_SECONDS, "it ended"
        while self.running and time.monotonic() < end:
            try:
                self._log_in()
                return
            except (OSError, DriverError, Neo4jError) as error:
                last = str(error)
                time.sleep(0.1)
        logs = [log for log in (self.log, self.home / "logs/neo4j.log") if log.exists()]
        told = "\n".join(log.read_text(errors="replace")[-3000:] for log in logs)
        raise RuntimeError(f"Neo4j {self.version} did not come up on {self.uri} ({last}):\n{told}")

    def _log_in(self) -> None:
        if not self._has_password:
            self._run("neo4j", "system", "ALTER CURRENT USER SET PASSWORD FROM 'neo4j' TO $new", new=self.password)
            self._has_password = True
        self._run(self.password, self.database, "RETURN 1")

    def _run(self, password: str, database: str, query: str, **values: str) -> None:
        auth = Auth("basic", self.username, password)
        with GraphDatabase.driver(self.uri, auth=auth) as driver, driver.session(database=database) as session:
            session.run(query, values).consume()


def _command(jars: Path, java: Java, home: Path, options: Sequence[str]) -> list[str | Path]:
    """What the server's own start script runs."""
    with zipfile.ZipFile(next(jars.glob("neo4j-[0-9]*.jar"))) as archive:
        entry = archive.read(_ENTRY_POINT).decode().strip()
    return [java.program, *options, "-cp", f"{jars}/*", entry, f"--home-dir={home}", f"--config-dir={home}/conf"]


@dataclass(frozen=True)
class OwnNeo4j:
    """A server that somebody else runs: tests neither end it nor remove what is not theirs."""

    uri: str
    username: str
    password: str = field(repr=False)
    database: str
    version: str


def own_neo4j() -> OwnNeo4j | None:
    """Return the server that TEST_NEO4J_URI, _USERNAME, _PASSWORD and _DATABASE name, if the first is set.

    Raises:
        neo4j.exceptions.DriverError, neo4j.exceptions.Neo4jError: it does not answer, or refuses the password.
    """
    settings = {"URI": "", "USERNAME": "neo4j", "PASSWORD": "", "DATABASE": "neo4j"}
    uri, *rest = (os.environ.get(f"TEST_NEO4J_{name}", "").strip() or value for name, value in settings.items())
    if not uri:
        return None
    username, password, database = rest
    query = "CALL dbms.components() YIELD name, versions WHERE name = 'Neo4j Kernel' RETURN versions[0] AS version"
    with GraphDatabase.driver(uri, auth=Auth("basic", username, password)) as driver:
        [record] = driver.execute_query(query, database_=database).records
    return OwnNeo4j(uri, username, password, database, record["version"])


@contextmanager
def serving(version: str, port: int | None = None, *, as_owned: bool = False) -> Iterator[Neo4jServer]:
    """A running server with an empty database, in a temporary home folder; `as_owned` as in `Neo4jServer`.

    Raises:
        BuildError: it could not be fetched, or there is no Java for it.
        RuntimeError: it did not come up.
    """
    jars, java = neo4j_jars(version), neo4j_java(version)
    with tempfile.TemporaryDirectory(prefix="neo4j-", ignore_cleanup_errors=True) as home:
        server = Neo4jServer(version, jars, java, Path(home), port, as_owned=as_owned)
        try:
            server.start()
            yield server
        finally:
            server.kill()  # its data goes with the folder


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.integration.neo4j_server")
    parser.add_argument("--version", metavar="VERSION", default=VERSIONS[0], help=f"by default {VERSIONS[0]}")
    parser.add_argument("--port", type=int, help="without it, a free one")
    arguments = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    with suppress(KeyboardInterrupt), serving(arguments.version, arguments.port) as started:
        print(
            f"NEO4J_URI={started.uri}\nNEO4J_USERNAME={started.username}\nNEO4J_PASSWORD={started.password}", flush=True
        )
        signal.pause()
