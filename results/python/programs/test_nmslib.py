import nmslib
import numpy
import pytest


@pytest.mark.parametrize("method", ["hnsw", "sw-graph", "napp"])
def test_index(random, method):
    x = random.random((3000, 20), dtype=numpy.float32)
    index = nmslib.init(method=method, space="l2")
    index.addDataPointBatch(x)
    index.createIndex(print_progress=False)
    found = index.knnQueryBatch(x[:300], k=3, num_threads=2)
    assert numpy.mean([ids[0] == i for i, (ids, _) in enumerate(found)]) > 0.9
