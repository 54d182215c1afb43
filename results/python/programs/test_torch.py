import multiprocessing

import pytest
import torch


class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, i):
        # Work that asks for a parallel region in the worker, too.
        return torch.full((64, 64), float(i)).matmul(torch.eye(64)).sum()


@pytest.mark.parametrize("context", ["fork", "spawn", "forkserver"])
def test_data_loader(context):
    torch.ones(400, 400) @ torch.ones(400, 400)
    loader = torch.utils.data.DataLoader(Numbers(), batch_size=8, num_workers=2, multiprocessing_context=context)
    assert sum(batch.sum().item() for batch in loader) == sum(64 * 64 * i for i in range(64))


def test_threads_can_be_set():
    before = torch.get_num_threads()
    x = torch.randn(500, 500, dtype=torch.float64)
    results = []
    for threads in (1, 2, 4):
        torch.set_num_threads(threads)
        assert torch.get_num_threads() == threads
        results.append((x @ x).sum() + torch.exp(x).sum())
    torch.set_num_threads(before)
    assert torch.allclose(results[0], results[1]) and torch.allclose(results[0], results[2])


def test_training():
    torch.manual_seed(1)
    net = torch.nn.Sequential(torch.nn.Conv2d(1, 8, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8 * 26 * 26, 10))
    x, y = torch.randn(64, 1, 28, 28), torch.randint(0, 10, (64,))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]


@pytest.mark.parametrize("size", [10, 1000, 100000, 3000000])
def test_elementwise_and_reductions(size):
    x = torch.linspace(0, 1, size, dtype=torch.float64)
    assert torch.isclose((x * 2).sum(), torch.tensor(float(size), dtype=torch.float64))
    assert torch.equal(x.flip(0).sort().values, x)


def work(_):
    torch.set_num_threads(2)
    x = torch.ones(300, 300)
    return (x @ x).sum().item() == 300.0**3


def test_forked_pool():
    torch.ones(300, 300) @ torch.ones(300, 300)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(work, range(8)).get(60) == [True] * 8
