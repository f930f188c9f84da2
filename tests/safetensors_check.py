#!/usr/bin/env python3
"""Reads and writes safetensors files with nothing but struct and json, independent of model/save/safetensors.c.

    safetensors_check.py FILE ...       checks each against the format, and prints what is in it
    safetensors_check.py --write FILE   writes one for the C reader: odd order of fields, escapes, all types
"""
import json
import math
import struct
import sys

BYTES = {"F64": 8, "F32": 4, "I64": 8}


def once(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), f"a key twice among {keys}"
    return dict(pairs)


def check(path):
    with open(path, "rb") as f:
        raw = f.read()
    assert len(raw) >= 8, "no header length"
    (n,) = struct.unpack("<Q", raw[:8])
    assert 2 <= n <= 100_000_000 and 8 + n <= len(raw), f"header length {n}"
    assert n % 8 == 0, f"header length {n} is no multiple of 8"
    text = raw[8:8 + n].decode("utf-8")
    assert text[0] == "{", "the header doesn't begin with {"
    assert text.rstrip(" ")[-1] == "}", "the header is padded with something else than spaces"
    header = json.loads(text, object_pairs_hook=once)
    for key, value in header.pop("__metadata__", {}).items():
        assert isinstance(value, str), f"metadata {key} is no string"
        print(f"  {key}: {value if len(value) < 60 else value[:57] + '...'!r}")
    data, at = raw[8 + n:], 0
    for name, x in header.items():
        assert sorted(x) == ["data_offsets", "dtype", "shape"], f"{name}: {sorted(x)}"
        begin, end = x["data_offsets"]
        assert begin == at, f"{name}: begins at {begin}, expected {at}"
        size = math.prod(x["shape"]) * BYTES[x["dtype"]]
        assert end - begin == size, f"{name}: {end - begin} bytes, expected {size}"
        assert begin % BYTES[x["dtype"]] == 0, f"{name}: not aligned"
        kind = {"F32": "f", "I64": "q", "F64": "d"}[x["dtype"]]
        values = struct.unpack(f"<{size // BYTES[x['dtype']]}{kind}", data[begin:end])
        numbers = " ".join(f"{value:.9g}" for value in values[:4])
        print(f"  {name}: {x['dtype']} {x['shape']} {numbers}")
        at = end
    assert at == len(data), f"{len(data) - at} bytes after the last tensor"


def write(path):
    sizes = [("é猫\n", "F64", [2]), ("scalar", "I64", []), ("none", "F32", [0, 4]), ("a.weight", "F32", [2, 3])]
    header, at = {}, 0
    for name, dtype, shape in sizes:
        size = math.prod(shape) * BYTES[dtype]
        header[name] = {"shape": shape, "data_offsets": [at, at + size], "dtype": dtype}
        at += size
    header["__metadata__"] = {"écrit": "par Python: 猫\n"}
    text = json.dumps(header).encode("ascii")  # every other character as \uXXXX
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + bytes(i % 256 for i in range(at)))


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--write":
        write(sys.argv[2])
    elif len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        for argument in sys.argv[1:]:
            print(argument)
            check(argument)
    else:
        sys.exit(__doc__)
