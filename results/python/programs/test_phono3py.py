import numpy
from phono3py import Phono3py
from phonopy.structure.atoms import PhonopyAtoms


def test_interaction_strengths(random):
    cell = PhonopyAtoms(symbols=["Si"], scaled_positions=[[0, 0, 0]], cell=numpy.eye(3) * 3.0)
    model = Phono3py(cell, supercell_matrix=numpy.diag([2, 2, 2]), primitive_matrix="P")
    count = len(model.supercell)
    second = -numpy.ones((count, count, 3, 3)) * numpy.eye(3) / count
    second[numpy.arange(count), numpy.arange(count)] += numpy.eye(3)
    model.fc2 = second
    model.fc3 = random.normal(size=(count, count, count, 3, 3, 3)) * 0.01
    model.mesh_numbers = [4, 4, 4]
    model.init_phph_interaction()
    model.run_thermal_conductivity(temperatures=[300])
    assert numpy.isfinite(model.thermal_conductivity.gamma).all()
