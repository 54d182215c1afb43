"""Numba's threading layer `omp`: from several threads at once, nested, and in children of fork."""
import multiprocessing
import os
import threading

import numba
import numpy

numba.config.THREADING_LAYER = "omp"


@numba.njit(parallel=True)
def total(x):
    sum_ = 0.0
    for i in numba.prange(x.size):
        sum_ += x[i] * x[i]
    return sum_


def right(_=0):
    x = numpy.arange(100000.0)
    return bool(numpy.isclose(total(x), (x * x).sum()))


def test_layer():
    assert right()
    assert numba.threading_layer() == "omp"


def test_several_threads_at_once():
    results = []
    threads = [threading.Thread(target=lambda: results.extend(right() for _ in range(50))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 400 and all(results)


def test_number_of_threads():
    assert right()
    numba.set_num_threads(1)
    assert right()
    numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)
    assert right()


def test_spawned_children():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert all(pool.map(right, range(4)))


def test_forked_child():
    """Numba itself ends a child of fork that uses libgomp after its parent did; numba asks which library it is."""
    assert right()
    child = os.fork()
    if child == 0:
        os._exit(0 if right() else 3)
    assert os.waitpid(child, 0)[1] == 0
