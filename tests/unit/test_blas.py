"""Products of matrices take one thread once a store is open, unless the environment wishes otherwise."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from stores.blas import one_blas_thread


def threads() -> set[int]:
    np.ones((2, 2)) @ np.ones((2, 2))
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.mark.parametrize(("wish", "wanted"), [("", {1}), ("2", {2})])
def test_one_thread_unless_the_environment_says_how_many(
    monkeypatch: pytest.MonkeyPatch, wish: str, wanted: set[int]
) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", wish)
    one_blas_thread.cache_clear()
    with threadpool_limits(limits=2, user_api="blas"):
        one_blas_thread()
        assert threads() in (wanted, set())  # a numpy without a library that can be told has none
