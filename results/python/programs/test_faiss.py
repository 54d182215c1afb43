import faiss
import numpy
import pytest


def vectors(random, count):
    return random.random((count, 32), dtype=numpy.float32)


def test_flat_index_finds_itself(random):
    x = vectors(random, 5000)
    index = faiss.IndexFlatL2(32)
    index.add(x)
    _, found = index.search(x[:1000], 3)
    assert (found[:, 0] == numpy.arange(1000)).all()


def test_clusters(random):
    x = vectors(random, 5000)
    kmeans = faiss.Kmeans(32, 64, niter=10, seed=1)
    kmeans.train(x)
    assert kmeans.obj[-1] < kmeans.obj[0]


@pytest.mark.parametrize("name", ["IVF64,Flat", "HNSW16", "IVF64,PQ8", "NSG16", "LSH"])
def test_index(random, name):
    x = vectors(random, 5000)
    index = faiss.index_factory(32, name)
    index.train(x)
    index.add(x)
    _, found = index.search(x[:500], 5)
    assert found.shape == (500, 5)


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_can_be_set(random, threads):
    faiss.omp_set_num_threads(threads)
    assert faiss.omp_get_max_threads() == threads
    test_flat_index_finds_itself(random)
