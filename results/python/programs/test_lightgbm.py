import lightgbm
import numpy


def data(random):
    x = random.normal(size=(5000, 20))
    return x, x[:, 0] * x[:, 1] + numpy.sin(x[:, 2])


def test_regression(random):
    x, y = data(random)
    model = lightgbm.LGBMRegressor(n_estimators=20, verbose=-1).fit(x, y)
    assert model.score(x, y) > 0.5


def test_one_thread_and_all_agree(random):
    x, y = data(random)
    results = [
        lightgbm.LGBMRegressor(n_estimators=8, n_jobs=n, deterministic=True, force_row_wise=True, verbose=-1).fit(x, y).predict(x)
        for n in (1, 2)
    ]
    assert numpy.allclose(*results)


def test_cross_validation(random):
    x, y = data(random)
    scores = lightgbm.cv({"verbose": -1, "num_leaves": 15}, lightgbm.Dataset(x, y), num_boost_round=10, nfold=3, stratified=False)
    assert len(scores["valid l2-mean"]) == 10


def test_after_fork(random):
    import multiprocessing

    x, y = data(random)
    lightgbm.LGBMRegressor(n_estimators=5, verbose=-1).fit(x, y)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        # libgomp hangs in a forked child that asks for more than one thread.
        assert all(pool.map(fit_alone, [(x[:2000], y[:2000])] * 4))


def fit_alone(given):
    return lightgbm.LGBMRegressor(n_estimators=5, n_jobs=1, verbose=-1).fit(*given).score(*given) > 0.1
