"""What threadpoolctl and joblib see: one OpenMP pool, whose limits work."""
import os
import subprocess
import sys

import joblib
import numpy
import pytest
import threadpoolctl
from sklearn.cluster import KMeans
from sklearn.utils._openmp_helpers import _openmp_effective_n_threads


def pools():
    return [pool for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "openmp"]


def test_one_pool():
    import lightgbm
    import xgboost

    found = pools()
    on_vicinity = "libvicinity" in os.environ.get("LD_AUDIT", "")
    assert len(found) == 1 or not on_vicinity, found
    assert all(pool["num_threads"] == _openmp_effective_n_threads() for pool in found)


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_limits_work(limit):
    before = [pool["num_threads"] for pool in pools()]
    with threadpoolctl.threadpool_limits(limit, user_api="openmp"):
        assert {pool["num_threads"] for pool in pools()} == {limit}
        if limit < os.cpu_count():
            assert _openmp_effective_n_threads() == limit
    assert [pool["num_threads"] for pool in pools()] == before


def fit(seed):
    x = numpy.random.default_rng(seed).normal(size=(2000, 8))
    return KMeans(4, n_init=2, random_state=0).fit(x).inertia_, _openmp_effective_n_threads()


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing", "sequential"])
def test_joblib(backend):
    expected = [fit(seed)[0] for seed in range(6)]
    found = joblib.Parallel(2, backend=backend)(joblib.delayed(fit)(seed) for seed in range(6))
    assert numpy.allclose([inertia for inertia, _ in found], expected)


def test_workers_of_loky_share_the_processors():
    with joblib.parallel_config("loky", inner_max_num_threads=1):
        found = joblib.Parallel(2)(joblib.delayed(fit)(seed) for seed in range(4))
    assert {threads for _, threads in found} == {1}


def test_command_of_threadpoolctl():
    done = subprocess.run([sys.executable, "-m", "threadpoolctl", "-i", "sklearn.cluster"], capture_output=True, text=True)
    assert done.returncode == 0 and '"user_api": "openmp"' in done.stdout
