"""The public question sets that can be fetched: official address, licence, size and hash of each file.

Addresses are those that the authors' own pages name. Sizes and SHA-256 are those that public download scripts check
(ParlAI's for HotpotQA and SQuAD, several independent ones for the two archives), LMCache's were measured. A file that
has changed since is refused, so that a figure is always about the same questions.
"""

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

import platformdirs

from stores.errors import InputError

HOTPOTQA = "http://curtis.ml.cmu.edu/datasets/hotpot/"
SQUAD = "https://rajpurkar.github.io/SQuAD-explorer/dataset/"
LMCACHE = "https://raw.githubusercontent.com/vpakspace/rag-2.0/9d4d9181cd736209eba4da2870f30ccfd13dad1e/"


@dataclass(frozen=True, slots=True)
class File:
    """One file."""

    name: str
    size: int
    """Bytes; 0 where it is not known."""
    sha256: str


@dataclass(frozen=True, slots=True)
class Download:
    """One file at an address; an archive is unpacked and not kept."""

    url: str
    file: File
    members: tuple[File, ...] = ()
    """What is taken out of the archive; empty for a file that is none."""

    @property
    def wanted(self) -> tuple[File, ...]:
        """The files that are there in the end."""
        return self.members or (self.file,)


@dataclass(frozen=True, slots=True)
class Source:
    """A question set under one name."""

    name: str
    about: str
    questions: str
    """How many, in words for several files."""
    licence: str
    home: str
    downloads: tuple[Download, ...]

    @property
    def size(self) -> int:
        """Bytes to be fetched."""
        return sum(download.file.size for download in self.downloads)


def _plain(folder: str, name: str, size: int, sha256: str) -> tuple[Download]:
    return (Download(folder + name, File(name, size, sha256)),)


SOURCES = (
    Source(
        "hotpotqa",
        "HotpotQA dev, distractor setting: two hops, ten paragraphs each",
        "7,405",
        "CC BY-SA 4.0",
        "https://hotpotqa.github.io",
        _plain(
            HOTPOTQA,
            "hotpot_dev_distractor_v1.json",
            46_320_117,
            "4e9ecb5c8d3b719f624d66b60f8d56bf227f03914f5f0753d6fa1b359d7104ea",
        ),
    ),
    Source(
        "hotpotqa-fullwiki",
        "HotpotQA dev with retrieved paragraphs, gold not always among them",
        "7,405",
        "CC BY-SA 4.0",
        "https://hotpotqa.github.io",
        _plain(
            HOTPOTQA,
            "hotpot_dev_fullwiki_v1.json",
            47_454_698,
            "2f1f3e594a3066a3084cc57950ca2713c24712adaad03af6ccce18d1846d5618",
        ),
    ),
    Source(
        "hotpotqa-train",
        "HotpotQA train",
        "90,447",
        "CC BY-SA 4.0",
        "https://hotpotqa.github.io",
        _plain(
            HOTPOTQA,
            "hotpot_train_v1.1.json",
            566_426_227,
            "26650cf50234ef5fb2e664ed70bbecdfd87815e6bffc257e068efea5cf7cd316",
        ),
    ),
    Source(
        "2wiki",
        "2WikiMultihopQA dev and train (version of April 2021), with aliases",
        "12,576 + 167,454",
        "Apache-2.0",
        "https://github.com/Alab-NII/2wikimultihop",
        (
            Download(
                "https://www.dropbox.com/s/ms2m13252h6xubs/data_ids_april7.zip?dl=1",
                File(
                    "data_ids_april7.zip",
                    258_968_175,
                    "95df2bf56fdabe034e27aebc580e02264232203cf52552f9efe8a919e5529eef",
                ),
                (
                    File("dev.json", 57_614_142, "79f77ae104088ea8e25b1a65dbece768d45771194663bc5660ec9a98070dadf5"),
                    File("train.json", 707_810_660, "b318dbafbfed51a8029718fa59be8b616600cbff675a3b587694b28c5eedfc13"),
                    File(
                        "id_aliases.json",
                        17_501_406,
                        "f08ffcb6c2cefca9bdbe86b4248d6ad7a7743762d3f7264c14ff0bae85726fb6",
                    ),
                ),
            ),
        ),
    ),
    Source(
        "musique",
        "MuSiQue dev and train, answerable, and dev with as many unanswerable",
        "2,417 + 19,938 + 4,834",
        "CC BY 4.0",
        "https://github.com/StonyBrookNLP/musique",
        (
            Download(
                "https://drive.usercontent.google.com/download?id=1tGdADlNjWFaHLeZZGShh2IRcpO6Lv24h&export=download&confirm=t",
                File(
                    "musique_v1.0.zip",
                    272_049_578,
                    "98f839bf2fd5319f5c688aed77901a6d5c30b3b9f9f691ab9a8ecafb045ee0cd",
                ),
                (
                    File(
                        "musique_ans_v1.0_dev.jsonl",
                        30_439_728,
                        "15fa63794d18a94ce12411aca6e2327e65b6e83b0b1490efab3f1962e48abf3b",
                    ),
                    File(
                        "musique_ans_v1.0_train.jsonl",
                        241_046_755,
                        "83a75b1e11e4e9bb8f8308e72ac40ca617ae4431b3a0d955b61cab259248490a",
                    ),
                    File(
                        "musique_full_v1.0_dev.jsonl",
                        0,
                        "8cab31d56a3a1c4ef491b205a8dab3f1ac9c66e472098c6cf1de4e20294f7a4a",
                    ),
                ),
            ),
        ),
    ),
    Source(
        "squad",
        "SQuAD 1.1 dev: one hop",
        "10,570",
        "CC BY-SA 4.0",
        "https://rajpurkar.github.io/SQuAD-explorer",
        _plain(SQUAD, "dev-v1.1.json", 4_854_279, "95aa6a52d5d6a735563366753ca50492a658031da74f301ac5238b03966972c9"),
    ),
    Source(
        "squad-train",
        "SQuAD 1.1 train",
        "87,599",
        "CC BY-SA 4.0",
        "https://rajpurkar.github.io/SQuAD-explorer",
        _plain(
            SQUAD, "train-v1.1.json", 30_288_272, "3527663986b8295af4f7fcdff1ba1ff3f72d07d61a20f487cb238a6ef92fd955"
        ),
    ),
    Source(
        "squad2",
        "SQuAD 2.0 dev: half of it unanswerable",
        "11,873",
        "CC BY-SA 4.0",
        "https://rajpurkar.github.io/SQuAD-explorer",
        _plain(SQUAD, "dev-v2.0.json", 4_370_528, "80a5225e94905956a6446d296ca1093975c4d3b3260f1d6c8f68bc2ab77182d8"),
    ),
    Source(
        "squad2-train",
        "SQuAD 2.0 train",
        "130,319",
        "CC BY-SA 4.0",
        "https://rajpurkar.github.io/SQuAD-explorer",
        _plain(
            SQUAD, "train-v2.0.json", 42_123_633, "68dcfbb971bd3e96d5b46c7177b16c1a4e7d4bdef19fb204502738552dede002"
        ),
    ),
    Source(
        "lmcache",
        "LMCache: ten questions with key facts, and the article they are about",
        "10",
        "MIT",
        "https://github.com/vpakspace/rag-2.0",
        (
            Download(
                LMCACHE + "evaluation/questions.json",
                File("questions.json", 4_024, "90c3545839187ca344962f93299bfccd298cc380f2daaf6e8ca8d087f88566c8"),
            ),
            Download(
                LMCACHE + "data/lmcache_article.txt",
                File("lmcache_article.txt", 8_632, "6cbca9de72876ab4ab0580ca8e0cea0eb4b70275c79d02653f46632f24085813"),
            ),
        ),
    ),
)


def source(name: str) -> Source:
    """The set of this name.

    Raises:
        InputError: there is none.
    """
    names = [entry.name for entry in SOURCES]
    for entry in SOURCES:
        if entry.name == name.lower():
            return entry
    close = get_close_matches(name.lower(), names, 1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise InputError(f"datasets: there is no set {name!r} to fetch: {hint}`lookahead datasets list` shows them")


def fetched_folder() -> Path:
    """Where fetched sets are kept when nothing else is said, each in a folder of its name."""
    return Path(platformdirs.user_data_dir("lookahead-rag", appauthor=False)) / "datasets"


def fetched_files(entry: Source) -> list[Path]:
    """Where the files of a set are once they are fetched."""
    return [fetched_folder() / entry.name / file.name for download in entry.downloads for file in download.wanted]
