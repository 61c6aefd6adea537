"""Writes a language model of 0.9 MB that Ollama can serve: a llama with random weights, the same in every run.

It speaks word salad. A bias on each token makes the salad end: texts after a dozen words, JSON under a schema after
some hundred tokens, at temperature 0 too (where `MODELFILE` keeps it from going round in circles). It knows no schema.
"""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from string import ascii_lowercase

import numpy as np
from gguf import GGUFWriter, TokenType

WINDOW = 8192
"""Tokens it is said to be trained on: Ollama allows no larger `num_ctx`."""
MODELFILE = """FROM ./tiny.gguf
TEMPLATE "{{ range .Messages }}{{ .Role }}: {{ .Content }}
{{ end }}assistant:"
PARAMETER num_thread 1
PARAMETER frequency_penalty 0.2
PARAMETER repeat_penalty 1
"""
_SALAD = """
the of in is was and to for which what who where when how many one fact about node nodes search query question answer
born city country river capital film author book year name first older same both that it be on not with from by two them
evidence documents passage title nothing id needs depends plan write words only
"""
WORDS = _SALAD.split()

_WIDTH, _LAYERS, _HEAD, _INNER = 64, 2, 16, 128
_SEED = 3
"""Of a few, the one whose plans end: 28 of 28 under our schema, with one to four nodes, within 473 tokens."""
_CONSTANT = 8.0
"""What dimension 0 holds for every token: the output weights on it are the bias."""
_NEVER = -30.0
_BIAS = {"</s>": 1.0, '"': 5.5, "]": 1.0, ",": 1.0, **dict.fromkeys("0123456789", -1.0)}
_WORD_BIAS, _OTHER_BIAS = 1.0, -3.0
_PAIRS = (("[,▁", "{", 6.0), ("0123456789", "}", 6.0), ("}", ",", 1.2), (":", "1", 5.0))
"""After one of these tokens, this one is likelier: lists hold objects, numbers are short and mostly 1."""


def write_tiny_model(folder: Path) -> None:
    """Write `tiny.gguf` and `Modelfile` into a folder."""
    (folder / "Modelfile").write_text(MODELFILE)
    vocabulary = _vocabulary()
    writer = GGUFWriter(folder / "tiny.gguf", "llama")
    _describe(writer, vocabulary)
    for name, tensor in _tensors(vocabulary).items():
        writer.add_tensor(f"{name}.weight", tensor.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _vocabulary() -> dict[str, TokenType]:
    """Special tokens, bytes, printable ASCII, and what makes prompts short: words and pairs of letters.

    The tokenizer joins two tokens to a third, so each beginning of a word is a token too.
    """
    tokens = {"<unk>": TokenType.UNKNOWN, "<s>": TokenType.CONTROL, "</s>": TokenType.CONTROL}
    tokens |= {f"<0x{byte:02X}>": TokenType.BYTE for byte in range(256)}
    tokens |= {chr(code).replace(" ", "▁"): TokenType.NORMAL for code in range(32, 127)}
    tokens |= {f"▁{word}"[:end]: TokenType.NORMAL for word in WORDS for end in range(2, len(word) + 2)}
    return tokens | {f"{a}{b}": TokenType.NORMAL for a, b in product(ascii_lowercase, repeat=2)}


def _describe(writer: GGUFWriter, vocabulary: dict[str, TokenType]) -> None:
    writer.add_context_length(WINDOW)
    writer.add_embedding_length(_WIDTH)
    writer.add_block_count(_LAYERS)
    writer.add_feed_forward_length(_INNER)
    writer.add_head_count(1)
    writer.add_head_count_kv(1)
    writer.add_key_length(_HEAD)
    writer.add_value_length(_HEAD)
    writer.add_rope_dimension_count(_HEAD)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(vocabulary))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(list(vocabulary))
    writer.add_token_scores([float(len(token)) for token in vocabulary])
    writer.add_token_types(list(vocabulary.values()))
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(True)
    writer.add_add_space_prefix(False)


def _tensors(vocabulary: dict[str, TokenType]) -> dict[str, np.ndarray]:
    random = np.random.default_rng(_SEED)

    def noise(*shape: int, scale: float = 1.0) -> np.ndarray:
        return random.normal(0, scale / np.sqrt(shape[-1]), shape)

    tokens = list(vocabulary)
    speakable = tokens.index("aa")
    embedding, output = noise(speakable, _WIDTH, scale=np.sqrt(_WIDTH)), noise(speakable, _WIDTH)
    layers = {f"blk.{n}.{name}": tensor for n in range(_LAYERS) for name, tensor in _layer(noise).items()}
    # Pairs of letters, which are only read, are drawn last: however many there are, it speaks alike.
    embedding = np.vstack([embedding, noise(len(tokens) - speakable, _WIDTH, scale=np.sqrt(_WIDTH))])
    output = np.vstack([output, np.zeros((len(tokens) - speakable, _WIDTH))])
    embedding[:, 0] = _CONSTANT
    # The norm before the output divides by about √2: the constant and 63 ones, averaged over 64 dimensions.
    output[:, 0] = [_bias(token, kind) * np.sqrt(2) / _CONSTANT for token, kind in vocabulary.items()]
    for dimension, (before, then, much) in enumerate(_PAIRS, 1):
        embedding[:, dimension] = [_CONSTANT * (token in before) for token in tokens]
        output[:, dimension] = [much / 4 * (token == then) for token in tokens]
    return {"token_embd": embedding, "output": output, "output_norm": np.ones(_WIDTH), **layers}


def _layer(noise: Callable[..., np.ndarray]) -> dict[str, np.ndarray]:
    into, down = noise(_WIDTH, _HEAD), noise(_WIDTH, _INNER)
    into[0] = down[0] = 0  # the constant stays constant
    return {
        "attn_norm": np.ones(_WIDTH),
        "attn_q": noise(_HEAD, _WIDTH, scale=4),
        "attn_k": noise(_HEAD, _WIDTH, scale=4),
        "attn_v": noise(_HEAD, _WIDTH),
        "attn_output": into,
        "ffn_norm": np.ones(_WIDTH),
        "ffn_gate": noise(_INNER, _WIDTH),
        "ffn_up": noise(_INNER, _WIDTH),
        "ffn_down": down,
    }


def _bias(token: str, kind: TokenType) -> float:
    if token in _BIAS:
        return _BIAS[token]
    if token[0] == "▁" and token[1:] in WORDS:
        return _WORD_BIAS
    return _OTHER_BIAS if kind == TokenType.NORMAL and len(token) == 1 else _NEVER
