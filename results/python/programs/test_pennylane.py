import numpy
import pennylane


def circuit_on(name):
    device = pennylane.device(name, wires=12)

    @pennylane.qnode(device)
    def circuit(angles):
        for i in range(12):
            pennylane.RX(angles[i], wires=i)
        for i in range(11):
            pennylane.CNOT(wires=[i, i + 1])
        return [pennylane.expval(pennylane.PauliZ(i)) for i in range(12)]

    return circuit


def test_lightning_agrees_with_the_reference(random):
    angles = random.normal(size=12)
    assert numpy.allclose(circuit_on("lightning.qubit")(angles), circuit_on("default.qubit")(angles))
