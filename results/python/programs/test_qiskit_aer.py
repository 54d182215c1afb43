import numpy
import pytest
from qiskit import QuantumCircuit
from qiskit_aer import AerSimulator


@pytest.mark.parametrize("method", ["statevector", "density_matrix", "matrix_product_state", "stabilizer"])
@pytest.mark.parametrize("threads", [1, 2, 0])
def test_entangled_bits_agree(method, threads):
    circuit = QuantumCircuit(10)
    circuit.h(0)
    for i in range(9):
        circuit.cx(i, i + 1)
    circuit.measure_all()
    simulator = AerSimulator(method=method, max_parallel_threads=threads, statevector_parallel_threshold=4, seed_simulator=1)
    counts = simulator.run(circuit, shots=2000).result().get_counts()
    assert set(counts) == {"0" * 10, "1" * 10}


def test_large_state():
    circuit = QuantumCircuit(18)
    for _ in range(5):
        for i in range(18):
            circuit.rx(0.3, i)
        for i in range(17):
            circuit.cx(i, i + 1)
    circuit.save_statevector()
    state = AerSimulator(method="statevector", statevector_parallel_threshold=4).run(circuit).result().get_statevector()
    assert numpy.isclose(numpy.linalg.norm(numpy.asarray(state)), 1)
