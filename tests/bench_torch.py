#!/usr/bin/env python3
"""Training steps of the same models here and in PyTorch, in turn, on this machine, now.

    make build/tests/bench && python3 tests/bench_torch.py [--runs 7] [--csv FILE] [MODEL ...]

MODEL: pronoun, pronoun-64, small, baby, larger, heads (all). QKV_TREEBANK names a CoNLL-U file for
`heads`. PyTorch is tried with 1 and 2 threads. Each run is one process of ours and as long a run of
PyTorch's, so that what else the machine does meets both; medians of those, and of the ratio of each
pair: of steps a second to PyTorch's best, and of the processor's time to PyTorch's on one thread.
At the end comes the table of tests/speed.md.
"""
import argparse
import csv
import ctypes
import datetime
import os
import re
import statistics
import subprocess
import time

# An OpenBLAS older than the processor would take its slowest kernels.
with open("/proc/cpuinfo") as cpu:
    text = cpu.read()
    os.environ.setdefault("OPENBLAS_CORETYPE", "SKYLAKEX" if "avx512f" in text else "HASWELL")

import torch

functional = torch.nn.functional
BENCH = "build/tests/bench"
LINE = "{:<11} {:>7} {:>9} {:>9} {:>9} {:>7} {:>9} {:>9} {:>7}"


class Block(torch.nn.Module):
    """x + MHA(LN(x)), then x + MLP(LN(x)); queries, keys and values in one product."""

    def __init__(self, D, H):
        super().__init__()
        self.H = H
        self.norm_1, self.norm_2 = torch.nn.LayerNorm(D), torch.nn.LayerNorm(D)
        self.qkv = torch.nn.Linear(D, 3 * D, bias=False)
        self.out = torch.nn.Linear(D, D, bias=False)
        self.up, self.down = torch.nn.Linear(D, 4 * D), torch.nn.Linear(4 * D, D)

    def forward(self, x, forbidden):
        B, L, D = x.shape
        q, k, v = self.qkv(self.norm_1(x)).view(B, L, 3, self.H, D // self.H).permute(2, 0, 3, 1, 4)
        scores = (q @ k.transpose(-2, -1)) * (D // self.H) ** -0.5
        A = torch.softmax(scores.masked_fill(forbidden, -torch.inf), -1)
        x = x + self.out((A @ v).transpose(1, 2).reshape(B, L, D))
        return x + self.down(functional.gelu(self.up(self.norm_2(x)), approximate="tanh"))


class Text(torch.nn.Module):
    """A GPT. A step reads B windows of L characters."""

    def __init__(self, s):
        super().__init__()
        self.s = s
        self.E, self.P = torch.nn.Embedding(s["words"], s["D"]), torch.nn.Embedding(s["L"], s["D"])
        self.blocks = torch.nn.ModuleList(Block(s["D"], s["H"]) for _ in range(s["layers"]))
        self.norm = torch.nn.LayerNorm(s["D"])
        self.forbidden = torch.ones(s["L"], s["L"], dtype=torch.bool).triu(1)
        for table in (self.E, self.P):
            torch.nn.init.normal_(table.weight, std=0.02)
        self.optimizer = torch.optim.AdamW(self.parameters(), 1e-3, weight_decay=0.1, foreach=True)

    def loss(self):
        x = torch.randint(self.s["words"], (self.s["B"], self.s["L"] + 1))
        h = self.E(x[:, :-1]) + self.P.weight
        for block in self.blocks:
            h = block(h, self.forbidden)
        logits = self.norm(h) @ self.E.weight.T
        return functional.cross_entropy(logits.flatten(0, 1), x[:, 1:].flatten())

    def limit(self):
        torch.nn.utils.clip_grad_norm_(self.parameters(), 1.0)


class Head(torch.nn.Module):
    """One head: `pronoun` (frozen embeddings, answers are read) or `heads` (pointing)."""

    def __init__(self, s):
        super().__init__()
        self.s, self.points = s, s["tags"] > 0
        D, d_k = s["D"], s["d_k"]
        rows = [s["words"], s["longest"]] + [s["tags"]] * self.points
        tables = (torch.randn(n, D) / D**0.5 * 4 for n in rows)
        self.tables = torch.nn.ParameterList(
            torch.nn.Parameter(t, requires_grad=self.points) for t in tables)
        self.QK = torch.nn.Parameter(torch.randn(D, 2 * d_k) / D**0.5)
        if not self.points:
            self.V = torch.nn.Parameter(torch.eye(D))
        trained = [p for p in self.parameters() if p.requires_grad]
        self.optimizer = torch.optim.Adam(trained, 1e-3, foreach=True)

    def batch(self):
        """Ids, lengths; which rows ask, and their answers."""
        B, L, words = self.s["B"], self.s["L"], self.s["words"]
        length = torch.randint(max(1, L * 2 // 3), L + 1, (B,))
        return torch.randint(words, (B, L)), length, torch.arange(L) < length[:, None]

    def loss(self):
        x, length, real = self.batch()
        B, L = x.shape
        X = functional.embedding(x, self.tables[0]) + self.tables[1][:L]
        if self.points:
            X = X + functional.embedding(x % self.s["tags"], self.tables[2])
        Q, K = (X @ self.QK).split(self.s["d_k"], -1)
        S = (Q @ K.transpose(-2, -1)) * self.s["d_k"] ** -0.5
        S = S.masked_fill(~real[:, None], -torch.inf)
        target = (torch.rand(B, L) * length[:, None]).long()
        if self.points:
            return functional.cross_entropy(S[real], target[real])
        asks = real & (torch.rand(B, L) < self.s["asking"])
        Y = torch.softmax(S, -1) @ (X @ self.V)
        return functional.cross_entropy(Y[asks] @ self.tables[0].T * 0.5, x[asks])

    def limit(self):
        pass


def set_threads(threads):
    """PyTorch's, and those that OpenBLAS keeps for itself."""
    torch.set_num_threads(threads)
    with open("/proc/self/maps") as maps:
        for path in {line.split()[-1] for line in maps if "openblas" in line}:
            ctypes.CDLL(path).openblas_set_num_threads(threads)


def train(model, seconds, threads):
    """Steps a second and CPU seconds a step."""
    set_threads(threads)
    began, spent, steps = time.perf_counter(), time.process_time(), 0
    while time.perf_counter() - began < seconds or steps == 0:
        model.optimizer.zero_grad(set_to_none=True)
        model.loss().backward()
        model.limit()
        model.optimizer.step()
        steps += 1
    return steps / (time.perf_counter() - began), (time.process_time() - spent) / steps


def ours(name, seconds, threads):
    line = subprocess.run(
        [BENCH, "step", name, str(seconds)], check=True, text=True, stdout=subprocess.PIPE,
        env=dict(os.environ, OMP_NUM_THREADS=str(threads))).stdout.split(",")
    return float(line[1]), float(line[3]) / 1e3


def about():
    """The processor, the date and what compiled ours."""
    processor = re.search(r"model name\s*: (.*)", text)
    said = subprocess.run([BENCH, "about"], check=True, text=True, stdout=subprocess.PIPE).stdout
    return (f"{processor[1] if processor else os.uname().machine}, {os.cpu_count()} cores, "
            f"{datetime.date.today()}, {said.strip()}, PyTorch {torch.__version__.split('+')[0]}")


def table(rows, runs):
    """Markdown: steps a second of each model, and over PyTorch's best."""
    models = list(dict.fromkeys(row[0] for row in rows))
    print(f"\n{about()}; medians of {runs} runs:\n")
    print("| steps a second (over PyTorch's best) |", " | ".join(f"`{m}`" for m in models), "|")
    print("|---" * (len(models) + 1) + "|")
    for threads in (1, 2):
        cells = [f"{row[2]:,.0f} ({row[5]:.2f})" for row in rows if row[1] == threads]
        print(f"| {('one thread', 'two threads')[threads - 1]} |", " | ".join(cells), "|")


def sizes(name):
    line = subprocess.run([BENCH, "sizes", name], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    return {key: float(value) if "." in value else int(value)
            for key, value in (part.split("=") for part in line.split())}


def compare(name, runs, seconds, rows):
    s = sizes(name)
    model = (Text if s["layers"] else Head)(s)
    for threads in (1, 2):
        train(model, 0.3 * seconds, threads)
    out = {key: [] for key in ("ours1", "ours2", "torch1", "torch2")}
    for _ in range(runs):
        for threads in (1, 2):
            out[f"ours{threads}"].append(ours(name, seconds, threads))
            out[f"torch{threads}"].append(train(model, seconds, threads))
    def median(key, i):
        return statistics.median(run[i] for run in out[key])
    best = "torch1" if median("torch1", 0) > median("torch2", 0) else "torch2"
    for threads in (1, 2):
        key = f"ours{threads}"
        ratio = statistics.median(a[0] / b[0] for a, b in zip(out[key], out[best]))
        cpu = statistics.median(b[1] / a[1] for a, b in zip(out[key], out["torch1"]))
        rows.append((name, threads, round(median(key, 0), 1), round(median("torch1", 0), 1),
                     round(median("torch2", 0), 1), round(ratio, 2), round(1e3 * median(key, 1), 3),
                     round(1e3 * median("torch1", 1), 3), round(cpu, 2)))
        print(LINE.format(*rows[-1]), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--csv")
    parser.add_argument("model", nargs="*", default=[])
    options = parser.parse_args()
    names = ("model", "threads", "steps/s", "torch 1", "torch 2", "ratio", "cpu ms", "torch cpu",
             "ratio")
    print(LINE.format(*names))
    rows = []
    for name in options.model or ["pronoun", "pronoun-64", "small", "baby", "larger", "heads"]:
        compare(name, options.runs, options.seconds, rows)
    table(rows, options.runs)
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            csv.writer(file).writerows([names, *rows])


if __name__ == "__main__":
    main()
