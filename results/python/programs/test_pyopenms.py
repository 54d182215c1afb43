import numpy
import pyopenms


def experiment(random):
    run = pyopenms.MSExperiment()
    for i in range(50):
        spectrum = pyopenms.MSSpectrum()
        spectrum.setRT(float(i))
        spectrum.setMSLevel(1)
        masses = numpy.linspace(300, 310, 1000)
        height = 1000 * numpy.exp(-((i - 25) ** 2) / 20) * numpy.exp(-((masses - 305) ** 2) / 0.01)
        spectrum.set_peaks((masses, height + random.random(1000)))
        run.addSpectrum(spectrum)
    return run


def test_smooth_and_pick(random):
    run = experiment(random)
    pyopenms.GaussFilter().filterExperiment(run)
    picked = pyopenms.PeakPickerHiRes().pickExperiment(run, True)
    masses, heights = picked[25].get_peaks()
    assert abs(masses[heights.argmax()] - 305) < 0.1


def test_digest():
    peptides = []
    pyopenms.ProteaseDigestion().digest(pyopenms.AASequence.fromString("MKWVTFISLLFLFSSAYSRGVFRR"), peptides)
    assert len(peptides) > 2
