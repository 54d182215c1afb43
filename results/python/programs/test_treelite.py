import numpy
import pytest
import treelite
from sklearn.ensemble import RandomForestRegressor


@pytest.mark.parametrize("threads", [1, 2, -1])
def test_forest_predicts_as_its_origin(random, threads):
    x = random.normal(size=(3000, 10))
    forest = RandomForestRegressor(20, random_state=1).fit(x, x[:, 0] + x[:, 1] ** 2)
    model = treelite.sklearn.import_model(forest)
    got = treelite.gtil.predict(model, x, nthread=threads)
    assert numpy.allclose(got.ravel(), forest.predict(x), atol=1e-3)
