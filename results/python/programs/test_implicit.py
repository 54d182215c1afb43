import implicit
import implicit.evaluation
import numpy
import pytest
import scipy.sparse


def ratings():
    return scipy.sparse.random(2000, 500, 0.02, format="csr", random_state=1, dtype=numpy.float32)


@pytest.mark.parametrize("kind", ["als", "bpr", "lmf"])
def test_model(kind):
    model = {
        "als": implicit.als.AlternatingLeastSquares,
        "bpr": implicit.bpr.BayesianPersonalizedRanking,
        "lmf": implicit.lmf.LogisticMatrixFactorization,
    }[kind](factors=16, iterations=5, random_state=1)
    items = ratings()
    model.fit(items, show_progress=False)
    found, _ = model.recommend(numpy.arange(50), items[:50], N=5)
    assert found.shape == (50, 5)


def test_neighbours():
    model = implicit.nearest_neighbours.CosineRecommender(K=10)
    items = ratings()
    model.fit(items, show_progress=False)
    assert len(model.similar_items(0)[0]) > 0


def test_evaluation():
    items = ratings()
    train, test = implicit.evaluation.train_test_split(items, random_state=1)
    model = implicit.als.AlternatingLeastSquares(factors=16, iterations=3, random_state=1)
    model.fit(train, show_progress=False)
    assert 0 <= implicit.evaluation.precision_at_k(model, train, test, K=5, show_progress=False) <= 1
