#!/usr/bin/env python3
"""Digests of what runs wrote, all bits of it but the time and memory that they took.

    bits.py DIRECTORY ...   a line for each: weights and all that --resume needs, then the figures

Numbers are little-endian in the weights on every machine; NumPy's files say what they are.
"""
import csv
import hashlib
import json
import pathlib
import struct
import sys

COLUMNS = 10  # of a saved history; the last is the seconds
LEFT_OUT = ("seconds", "memory_bytes", "command", "options")  # threads have tapes of their own


def weights(path):
    raw = path.read_bytes()
    (n,) = struct.unpack("<Q", raw[:8])
    header, data = json.loads(raw[8:8 + n]), raw[8 + n:]
    header["__metadata__"].pop("command")  # it names the threads and the directory
    digest = hashlib.sha256(json.dumps(header).encode())
    for name, x in header.items():
        if name in ("__metadata__", "training.seconds"):
            continue
        begin, end = x["data_offsets"]
        piece = data[begin:end]
        if x["shape"][-1:] == [COLUMNS] and x["dtype"] == "F64":
            piece = b"".join(piece[i:i + 8 * COLUMNS - 8] for i in range(0, len(piece), 8 * COLUMNS))
        digest.update(name.encode() + piece)
    return digest.digest()


def without_seconds(x):
    if isinstance(x, dict):
        return {k: without_seconds(v) for k, v in x.items() if k not in LEFT_OUT}
    return [without_seconds(v) for v in x] if isinstance(x, list) else x


def figures(path):
    if path.suffix == ".csv":
        with path.open(newline="") as f:
            rows = list(csv.reader(f))
        return repr([row[:-1] if rows[0][-1] == "seconds" else row for row in rows]).encode()
    if path.suffix == ".json":
        return json.dumps(without_seconds(json.loads(path.read_text("utf-8")))).encode()
    raw = path.read_bytes()
    start = 10 + raw[8] + 256 * raw[9]
    order = ">" if b"'>f4'" in raw[:start] else "<"
    return struct.pack(f"<{(len(raw) - start) // 4}I",
                       *struct.unpack(f"{order}{(len(raw) - start) // 4}I", raw[start:]))


def digest_of(directory, pattern, read):
    total = hashlib.sha256()
    for path in sorted(p for x in pattern for p in directory.glob(x)):
        total.update(path.name.encode() + read(path))
    return total.hexdigest()[:16]


for given in sys.argv[1:]:
    directory = pathlib.Path(given)
    files = ["metrics.csv", "symmetry.csv", "summary.json", "*.npy"]
    assert any(directory.glob("*.safetensors")), f"{given}: no weights"
    print(digest_of(directory, ["*.safetensors"], weights), digest_of(directory, files, figures))
