import numpy
import pytest
from pyscf import ao2mo, cc, dft, fci, gto, lib, mcscf, mp, scf

WATER = "O 0 0 0; H 0 -0.757 0.587; H 0 0.757 0.587"


def molecule(basis="6-31g"):
    return gto.M(atom=WATER, basis=basis, verbose=0)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_hartree_fock(threads):
    lib.num_threads(threads)
    assert numpy.isclose(scf.RHF(molecule("cc-pvdz")).kernel(), -76.02676567, atol=1e-6)


def test_density_functional():
    model = dft.RKS(molecule(), xc="b3lyp")
    assert numpy.isclose(model.kernel(), -76.3771, atol=0.05)


def test_perturbation_and_coupled_clusters():
    field = scf.RHF(molecule()).run()
    second = mp.MP2(field).run()
    clusters = cc.CCSD(field).run()
    assert clusters.e_corr < second.e_corr < -0.1
    assert -0.01 < clusters.ccsd_t() < 0


def test_full_interaction():
    field = scf.RHF(gto.M(atom="H 0 0 0; H 0 0 0.74; H 0 0 2; H 0 0 2.74", basis="sto-3g", verbose=0)).run()
    energy = fci.FCI(field).kernel()[0]
    assert energy < field.e_tot
    assert numpy.isclose(mcscf.CASCI(field, 4, 4).kernel()[0], energy, atol=1e-6)


def test_integrals():
    mol = molecule()
    orbitals = numpy.eye(mol.nao)
    whole = ao2mo.restore(1, ao2mo.kernel(mol, orbitals), mol.nao)
    assert numpy.allclose(whole, mol.intor("int2e"), atol=1e-10)


def test_gradient():
    gradient = scf.RHF(molecule()).run().nuc_grad_method().kernel()
    assert numpy.allclose(gradient.sum(axis=0), 0, atol=1e-6)
