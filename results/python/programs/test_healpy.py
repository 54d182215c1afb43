import healpy
import numpy


def test_maps_of_a_power_spectrum(random):
    spectrum = 1 / (numpy.arange(1, 129) ** 2)
    numpy.random.seed(1)
    sky = healpy.synfast(spectrum, nside=64, lmax=127)
    coefficients = healpy.map2alm(sky, lmax=127, iter=3)
    again = healpy.alm2map(coefficients, nside=64, lmax=127)
    assert numpy.abs(again - sky).max() < 1e-2 * numpy.abs(sky).max()


def test_spin(random):
    maps = random.normal(size=(3, healpy.nside2npix(16)))
    assert all(numpy.isfinite(part).all() for part in healpy.map2alm(maps, lmax=20, pol=True))
