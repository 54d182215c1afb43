import finufft
import numpy
import pytest


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_nonuniform_transform(random, threads):
    x = random.uniform(-numpy.pi, numpy.pi, 2000)
    c = random.normal(size=2000) + 1j * random.normal(size=2000)
    got = finufft.nufft1d1(x, c, 64, eps=1e-10, nthreads=threads)
    exact = numpy.exp(1j * numpy.outer(numpy.arange(-32, 32), x)) @ c
    assert numpy.allclose(got, exact, atol=1e-5)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_two_dimensions(random, threads):
    x, y = random.uniform(-3, 3, 50000), random.uniform(-3, 3, 50000)
    values = finufft.nufft2d2(x, y, numpy.ones((100, 100), dtype=complex), nthreads=threads)
    one = finufft.nufft2d2(x, y, numpy.ones((100, 100), dtype=complex), nthreads=1)
    assert numpy.allclose(values, one)
