"""Where this program keeps what it can make again: exported models and vectors. Knows nothing about either."""

import os
from pathlib import Path

import platformdirs


def cache_folder() -> Path:
    """LOOKAHEAD_CACHE, else the user's cache folder of the system; it need not exist yet."""
    wanted = os.environ.get("LOOKAHEAD_CACHE", "").strip()
    return Path(wanted).expanduser() if wanted else Path(platformdirs.user_cache_dir("lookahead-rag"))
