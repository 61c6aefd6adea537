"""Fetches the real Neo4j server (Community) from Maven Central, once per version; from the repository's root:

    python -m tests.integration.neo4j_build

It needs Maven, and where the machine has no fitting Java, pip. Knows nothing about running the server.
"""

import hashlib
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.integration.java_runtime import Java, fitting_java
from tests.integration.server_cache import BuildError, kept, run_step

VERSIONS = ("2026.09.0", "5.26.0")
"""The newest, which has `CYPHER 25 … SEARCH`, and the long-term one, which has `db.index.vector.queryNodes` alone."""
_JAVA = {"5": range(17, 26)}
_NEWER_JAVA = range(21, 26)
"""Java that versions are made for, by the number they begin with; and 25, on which 5.26 was seen to run too."""
_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>lookahead-rag</groupId>
  <artifactId>neo4j-server</artifactId>
  <version>1</version>
  <dependencies>
    <dependency><groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>{version}</version></dependency>
    <dependency><groupId>org.neo4j</groupId><artifactId>neo4j-bolt</artifactId><version>{version}</version></dependency>
  </dependencies>
</project>
"""

Say = Callable[[str], None]


def neo4j_jars(version: str, say: Say = print) -> Path:
    """Return the folder of the server's jars, fetched when it isn't there yet: a minute or so.

    Raises:
        BuildError: Maven is missing, or failed.
    """
    pom = _POM.format(version=version)
    name = f"neo4j-{version}-{hashlib.sha256(f'{_PLUGIN}|{pom}'.encode()).hexdigest()[:8]}"
    return kept(name, lambda folder: _fetch(folder, version, pom, say))


def neo4j_java(version: str) -> Java:
    """Return a Java that this version of the server runs on.

    Raises:
        BuildError: there is none.
    """
    return fitting_java(_JAVA.get(version.split(".")[0], _NEWER_JAVA))


def _fetch(folder: Path, version: str, pom: str, say: Say) -> None:
    start = time.monotonic()
    if shutil.which("mvn") is None:
        raise BuildError("neo4j: 'mvn' is not on PATH; install Maven 3.6.3 or newer (apt-get install maven)")
    say(f"Fetching Neo4j {version} into {folder.parent} (once, a minute) ...")
    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as temporary:
        work = Path(temporary)
        (work / "pom.xml").write_text(pom)
        maven = ["mvn", "--batch-mode", "--strict-checksums", f"-Dmaven.repo.local={work}/repository", _PLUGIN]
        run_step([*maven, f"-DoutputDirectory={folder}", "-DincludeScope=runtime", "-DexcludeTypes=pom"], work)
    say(f"Neo4j {version}: fetched in {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    for wanted in VERSIONS:
        started = time.monotonic()
        try:
            jars, java = neo4j_jars(wanted, lambda text: print(text, flush=True)), neo4j_java(wanted)
        except BuildError as error:
            sys.exit(str(error))
        megabytes = sum(jar.stat().st_size for jar in jars.glob("*.jar")) / 1e6
        took = time.monotonic() - started
        print(f"{jars}: {megabytes:.0f} MB, with Java {java.version} in {java.home}, ready after {took:.1f} s")
