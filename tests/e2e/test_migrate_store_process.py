"""`lookahead migrate-store` as a process of its own: stopped, killed, gone on with; and a copy that answers alike."""

import asyncio
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.sample import questions
from stores.chunking import chunk_document
from stores.embedded import EmbeddedStore
from stores.records import Document, EmbedderSpec, IngestSpec, PreparedDocument
from tests.e2e.test_cli import COMMAND, EMBEDDED, ROOT, run

NUMBER = 6000


@pytest.fixture
def environment() -> dict[str, str]:
    """What `own_folders` of tests/conftest.py left of it."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of six batches, each of whose documents names the one before."""
    folder = tmp_path_factory.mktemp("many") / "from"

    def prepared(n: int) -> PreparedDocument:
        document = Document(f"{n:05}", f"Item {n}", f"It follows Item {n - 1 if n else NUMBER - 1}.")
        return PreparedDocument(document, chunk_document(document, "default"), np.full((1, 8), n + 1, np.float32))

    async def make() -> None:
        async with EmbeddedStore(folder) as store:
            await store.create("default", IngestSpec(EmbedderSpec("toy", 8)))
            await store.upsert("default", [prepared(n) for n in range(NUMBER)])

    asyncio.run(make())
    return folder


def stopped_by(
    number: signal.Signals, command: list[str], target: Path, environment: dict[str, str]
) -> tuple[int, str]:
    """Run the command, send the signal as soon as something is copied; exit code and what was said."""
    process = subprocess.Popen([*COMMAND, *command], env=environment, stderr=subprocess.PIPE, text=True)
    try:
        while asyncio.run(documents(target)) == 0:
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    return process.returncode, said


async def documents(folder: Path) -> int:
    async with EmbeddedStore(folder, read_only=True) as store:
        info = await store.info("default")
        return info.documents if info else 0


async def links(folder: Path) -> Any:
    async with EmbeddedStore(folder, read_only=True) as store:
        return await store.links("default", await store.passage_ids("default"))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_stopped_anywhere_the_same_command_goes_on(
    environment: dict[str, str],
    many: Path,
    tmp_path: Path,
    number: signal.Signals,
) -> None:
    command = ["migrate-store", str(many), str(tmp_path / "to")]
    code, said = stopped_by(number, command, tmp_path / "to", environment)
    if number == signal.SIGINT:
        assert code == 130
        assert re.fullmatch(
            r"stopped: [\d,]+ documents copied; run the same command again to go on", said.splitlines()[-1]
        )
    assert 0 < (held := asyncio.run(documents(tmp_path / "to"))) < NUMBER
    (namespace,) = json.loads(run(environment, *command, "--json").stdout)["namespaces"]
    assert (namespace["unchanged"], namespace["added"]) == (held, NUMBER - held)
    assert namespace["source"] == namespace["target"]
    assert namespace["source"]["links"] == NUMBER
    assert asyncio.run(links(tmp_path / "to")) == asyncio.run(links(many))
    assert run(environment, "verify", "--store", str(tmp_path / "to")).stdout.startswith("sound")


def test_a_copy_answers_as_the_original(environment: dict[str, str], sample_store: str, tmp_path: Path) -> None:
    copy = str(tmp_path / "to")
    assert run(environment, "migrate-store", sample_store, copy).stderr == ""
    asked = questions()[0]["question"]
    one, two = (
        json.loads(run(environment, "ask", asked, *EMBEDDED, "--store", store, "--json").stdout)
        for store in (sample_store, copy)
    )
    assert one["answer"] == two["answer"]
    assert one["citations"] == two["citations"]
    assert one["citations"]
