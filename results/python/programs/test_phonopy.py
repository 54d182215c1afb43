import numpy
from phonopy import Phonopy
from phonopy.structure.atoms import PhonopyAtoms


def chain():
    cell = PhonopyAtoms(symbols=["Na", "Cl"], scaled_positions=[[0, 0, 0], [0.5, 0.5, 0.5]], cell=numpy.eye(3) * 3.5)
    model = Phonopy(cell, supercell_matrix=numpy.diag([2, 2, 2]))
    count = len(model.supercell)
    forces = -numpy.ones((count, count, 3, 3)) * numpy.eye(3) / count
    forces[numpy.arange(count), numpy.arange(count)] += numpy.eye(3)
    model.force_constants = forces
    return model


def test_mesh_and_thermal_properties():
    model = chain()
    model.run_mesh([12, 12, 12], with_eigenvectors=True, is_mesh_symmetry=False)
    frequencies = model.get_mesh_dict()["frequencies"]
    assert frequencies.shape[1] == 6 and numpy.isfinite(frequencies).all()
    model.run_thermal_properties(t_max=300)
    assert numpy.isfinite(model.get_thermal_properties_dict()["free_energy"]).all()


def test_density_of_states():
    model = chain()
    model.run_mesh([10, 10, 10])
    model.run_total_dos(use_tetrahedron_method=True)
    assert model.get_total_dos_dict()["total_dos"].max() > 0
