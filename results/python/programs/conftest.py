"""Programs for wheels that ship no tests. Each computes something in parallel and checks the result."""
import numpy
import pytest


@pytest.fixture
def random():
    return numpy.random.default_rng(1)
