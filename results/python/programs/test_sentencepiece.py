import io

import sentencepiece


def test_train_and_encode():
    words = ["parallel", "region", "thread", "barrier", "loop", "task", "place", "cache", "memory", "node"]
    lines = [" ".join(words[(i * k) % 10] for k in range(1, 9)) for i in range(2000)]
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=60, num_threads=4, hard_vocab_limit=False, minloglevel=2
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    pieces = processor.encode(lines, num_threads=4)
    assert processor.decode(pieces) == lines
