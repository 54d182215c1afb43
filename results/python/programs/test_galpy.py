import numpy
from galpy.orbit import Orbit
from galpy.potential import MWPotential2014


def test_many_orbits_keep_their_energy(random):
    start = numpy.array([1.0, 0.1, 1.1, 0.0, 0.05, 0.3]) + 0.01 * random.normal(size=(200, 6))
    orbits = Orbit(start)
    times = numpy.linspace(0, 50, 500)
    orbits.integrate(times, MWPotential2014, method="dop853_c")
    energy = orbits.E(times)
    assert numpy.allclose(energy, energy[:, :1], rtol=1e-6)
