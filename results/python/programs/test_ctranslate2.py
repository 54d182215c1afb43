"""A translator with random weights: what it says is nonsense, and the same nonsense for any number of threads."""
import ctranslate2
import numpy
import pytest


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    random = numpy.random.default_rng(1)
    spec = ctranslate2.specs.TransformerSpec.from_config(2, 4)

    def fill(layer, inputs, outputs):
        layer.weight = random.normal(size=(outputs, inputs)).astype(numpy.float32) * 0.1
        layer.bias = numpy.zeros(outputs, dtype=numpy.float32)

    def norm(layer):
        layer.gamma, layer.beta = numpy.ones(64, dtype=numpy.float32), numpy.zeros(64, dtype=numpy.float32)

    def attention(part, projections):
        norm(part.layer_norm)
        for layer, (inputs, outputs) in zip(part.linear, projections):
            fill(layer, inputs, outputs)

    for side in (spec.encoder, spec.decoder):
        embeddings = side.embeddings if isinstance(side.embeddings, list) else [side.embeddings]
        for table in embeddings:
            table.weight = random.normal(size=(50, 64)).astype(numpy.float32)
        if getattr(side, "layer_norm", None) is not None:
            norm(side.layer_norm)
        for layer in side.layer:
            attention(layer.self_attention, [(64, 192), (64, 64)])
            if hasattr(layer, "attention"):
                attention(layer.attention, [(64, 64), (64, 128), (64, 64)])
            norm(layer.ffn.layer_norm)
            fill(layer.ffn.linear_0, 64, 128)
            fill(layer.ffn.linear_1, 128, 64)
    fill(spec.decoder.projection, 64, 50)
    words = ["<unk>", "<s>", "</s>"] + [f"w{i}" for i in range(47)]
    spec.register_source_vocabulary(words)
    spec.register_target_vocabulary(words)
    spec.validate()
    path = tmp_path_factory.mktemp("model")
    spec.save(str(path))
    return str(path)


def test_any_number_of_threads_says_the_same(folder):
    given = [[f"w{(i * k) % 47}" for k in range(1, 20)] for i in range(64)]
    said = []
    for threads in (1, 2, 4):
        model = ctranslate2.Translator(folder, device="cpu", intra_threads=threads)
        results = model.translate_batch(given, beam_size=2, max_decoding_length=20)
        said.append([result.hypotheses[0] for result in results])
    assert said[0] == said[1] == said[2]
