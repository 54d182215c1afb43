import casadi
import numpy
import pytest


def problem(solver, options):
    x, y = casadi.SX.sym("x"), casadi.SX.sym("y")
    given = {"x": casadi.vertcat(x, y), "f": (1 - x) ** 2 + 100 * (y - x**2) ** 2, "g": x + y}
    solve = casadi.nlpsol("solve", solver, given, options)
    return numpy.asarray(solve(x0=[0, 0], lbg=-10, ubg=10)["x"]).ravel()


def test_solver():
    assert numpy.allclose(problem("ipopt", {"ipopt.print_level": 0, "print_time": False}), [1, 1], atol=1e-5)


def test_solver_with_openmp():
    if not casadi.has_nlpsol("uno"):
        pytest.skip("this build has no uno")
    assert numpy.allclose(problem("uno", {}), [1, 1], atol=1e-3)


def test_map_over_threads():
    x = casadi.MX.sym("x")
    square = casadi.Function("square", [x], [casadi.sin(x) ** 2])
    points = numpy.linspace(0, 1, 1000)
    for how in ("openmp", "thread", "serial"):
        assert numpy.allclose(numpy.asarray(square.map(1000, how)(points)).ravel(), numpy.sin(points) ** 2)
