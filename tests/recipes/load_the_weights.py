#!/usr/bin/env python3
"""Reads what a run of `pronoun` left and recomputes its attention, with nothing but Python.

    python3 tests/recipes/load_the_weights.py [DIRECTORY [ARM]]        (out, qkv)

softmax(Q K^T / sqrt(d_k)) of the sentence that the run showed, from ARM.safetensors, must be what the
program wrote to ARM.attention.npy. Ends with status 1 if it isn't.
"""
import json
import math
import struct
import sys


def load_safetensors(path):
    """name -> (shape, numbers) of the float32 tensors, and the metadata, name -> text.

    A file is the length n of its header (8 bytes, little-endian), n bytes of JSON, then the numbers,
    row after row: {"W_Q": {"dtype": "F32", "shape": [64, 16], "data_offsets": [begin, end]}, ...}
    """
    with open(path, "rb") as f:
        (n,) = struct.unpack("<Q", f.read(8))
        header, data = json.loads(f.read(n)), f.read()
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, x in header.items():
        begin, end = x["data_offsets"]
        if x["dtype"] == "F32":
            tensors[name] = x["shape"], struct.unpack(f"<{(end - begin) // 4}f", data[begin:end])
    return tensors, metadata


def load_npy(path):
    """The numbers of a .npy file of version 1.0: magic and version (8 bytes), header length (2), header."""
    with open(path, "rb") as f:
        raw = f.read()
    (n,) = struct.unpack("<H", raw[8:10])
    assert raw[:6] == b"\x93NUMPY" and b"<f4" in raw[10:10 + n], f"{path}: expected little-endian floats"
    return struct.unpack(f"<{(len(raw) - 10 - n) // 4}f", raw[10 + n:])


def matrix(tensor):
    (rows, columns), numbers = tensor
    return [numbers[i * columns:(i + 1) * columns] for i in range(rows)]


def matmul(A, B):
    return [[sum(a * b for a, b in zip(row, column)) for column in zip(*B)] for row in A]


def softmax(row):
    exps = [math.exp(x - max(row)) for x in row]
    return [e / sum(exps) for e in exps]


def attention(tensors, metadata, words):
    """(words, words) of a bare head with W_Q and W_K, whose token i is E[word] + P[i]."""
    vocabulary = metadata["vocabulary.word"].split("\n")
    E, P = matrix(tensors["E"]), matrix(tensors["P"])
    X = [[e + p for e, p in zip(E[vocabulary.index(word)], P[i])] for i, word in enumerate(words)]
    Q, K = matmul(X, matrix(tensors["W_Q"])), matmul(X, matrix(tensors["W_K"]))
    S = matmul(Q, list(zip(*K)))
    return [softmax([s / math.sqrt(len(Q[0])) for s in row]) for row in S]


def main(directory="out", arm="qkv"):
    tensors, metadata = load_safetensors(f"{directory}/{arm}.safetensors")
    if metadata["task"] != "pronoun" or metadata["--layers"] != "0" or "W_K" not in tensors:
        sys.exit(f"{directory}: expected a bare head of pronoun with W_Q and W_K, as in --arms qk,qkv")
    with open(f"{directory}/snapshots.json", encoding="utf-8") as f:
        words = json.load(f)["columns"]
    A = attention(tensors, metadata, words)
    written = load_npy(f"{directory}/{arm}.attention.npy")
    for word, row in zip(words, A):
        print(f"{word:>10} -> {words[row.index(max(row))]:<10} {max(row):.2f}")
    assert len(written) == len(words) ** 2
    apart = max(abs(a - b) for a, b in zip((a for row in A for a in row), written))
    print(f"{len(written)} weights, at most {apart:.1g} from what the program wrote")
    try:
        import numpy
        assert tuple(numpy.load(f"{directory}/{arm}.attention.npy").ravel()) == written
        print("NumPy reads the same")
    except ModuleNotFoundError:
        print("NumPy isn't installed, and not needed")
    return not apart < 1e-4  # so that a NaN fails


if __name__ == "__main__":
    if any(argument.startswith("-") for argument in sys.argv[1:]) or len(sys.argv) > 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
