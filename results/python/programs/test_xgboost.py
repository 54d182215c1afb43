import numpy
import xgboost


def data(random):
    x = random.normal(size=(3000, 20))
    return x, (x[:, 0] * x[:, 1] + x[:, 2] > 0).astype(int)


def test_histogram_trees(random):
    x, y = data(random)
    model = xgboost.XGBClassifier(n_estimators=8, tree_method="hist").fit(x, y)
    assert model.score(x, y) > 0.8


def test_one_thread_and_all_agree(random):
    x, y = data(random)
    one, all_ = (xgboost.XGBClassifier(n_estimators=5, n_jobs=n).fit(x, y).predict_proba(x) for n in (1, 0))
    assert numpy.allclose(one, all_, atol=1e-4)


def test_exact_and_approx(random):
    x, y = data(random)
    for method in ("exact", "approx"):
        assert xgboost.XGBClassifier(n_estimators=5, tree_method=method).fit(x[:5000], y[:5000]).score(x, y) > 0.7


def test_sparse_input_and_ranking(random):
    import scipy.sparse

    x = scipy.sparse.random(5000, 50, 0.1, format="csr", random_state=1)
    y = numpy.asarray(x.sum(axis=1)).ravel() > 2.5
    matrix = xgboost.DMatrix(x, y)
    trained = xgboost.train({"objective": "binary:logistic", "booster": "gblinear", "updater": "shotgun"}, matrix, 5)
    assert trained.predict(matrix).shape == (5000,)
