"""How many threads numpy's linear algebra takes. Knows nothing about stores."""

import os
from functools import cache

from threadpoolctl import threadpool_limits

_WISHES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


@cache
def one_blas_thread() -> None:
    """From now on each product of matrices takes one thread, unless the environment says how many.

    Searches run side by side already, and each product is small: threads of its own gain nothing, and those of OpenBLAS
    keep a core busy while they wait for the next one. For the whole process, once.
    """
    if not any(os.environ.get(name) for name in _WISHES):
        threadpool_limits(limits=1, user_api="blas")
