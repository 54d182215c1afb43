import numpy
import pyfftw
import pytest


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("kind", ["complex64", "complex128", "clongdouble"])
def test_transform_and_back(random, threads, kind):
    given = pyfftw.empty_aligned((256, 256), dtype=kind)
    middle, back = pyfftw.empty_aligned((256, 256), dtype=kind), pyfftw.empty_aligned((256, 256), dtype=kind)
    forward = pyfftw.FFTW(given, middle, axes=(0, 1), threads=threads)
    backward = pyfftw.FFTW(middle, back, axes=(0, 1), direction="FFTW_BACKWARD", threads=threads)
    given[:] = random.normal(size=(256, 256))
    forward()
    assert numpy.allclose(middle, numpy.fft.fft2(given), rtol=1e-3, atol=1e-2)
    backward()
    assert numpy.allclose(back, given, atol=1e-3)
