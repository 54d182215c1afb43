import numpy
import ot
import pytest


@pytest.mark.parametrize("threads", [1, 2, "max"])
def test_earth_movers_distance(random, threads):
    a, b = random.normal(size=(300, 2)), random.normal(size=(300, 2)) + 1
    costs = ot.dist(a, b)
    weights = ot.unif(300)
    plan = ot.emd(weights, weights, costs, numThreads=threads)
    assert numpy.allclose(plan.sum(axis=0), weights)
    assert numpy.isclose((plan * costs).sum(), ot.emd2(weights, weights, costs))


def test_sinkhorn(random):
    a, b = random.normal(size=(200, 2)), random.normal(size=(200, 2))
    plan = ot.sinkhorn(ot.unif(200), ot.unif(200), ot.dist(a, b), 1.0)
    assert numpy.isclose(plan.sum(), 1)
