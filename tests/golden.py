#!/usr/bin/env python3
"""Writes what PyTorch, in double precision, makes of every op and every optimiser: tests/golden/.

    /usr/bin/python3 tests/golden.py            writes the files
    /usr/bin/python3 tests/golden.py --check    compares them with what it would write

A file is a list of tensors: a line `name shape...`, then the numbers, a row a line. Inputs are rounded
to float first, so that the C program computes with the same numbers. They are drawn by Python's own
generator from the file's name: neither PyTorch's version nor the processor matters.
"""
import argparse
import pathlib
import random
import sys

import torch

DIRECTORY = pathlib.Path(__file__).parent / "golden"


class File:
    """One golden file: named tensors in order, and a generator of inputs."""

    def __init__(self, name):
        self.name = name
        self.rng = random.Random(name)
        self.tensors = {}

    def put(self, name, x):
        self.tensors[name] = torch.as_tensor(x, dtype=torch.double).detach().clone()

    def normal(self, name, *shape, mean=0.0, std=1.0):
        """A float input, kept under `name`, that wants a gradient."""
        size = 1
        for n in shape:
            size *= n
        numbers = [self.rng.gauss(mean, std) for _ in range(size)]
        x = torch.tensor(numbers, dtype=torch.float).double().reshape(shape)
        self.put(name, x)
        return x.requires_grad_()

    def integers(self, name, numbers):
        self.put(name, numbers)
        return torch.tensor(numbers, dtype=torch.long)

    def gradients(self, out, **inputs):
        """Keeps `out`, a random weight of its shape, and d sum(out weight) / d input as d<input>."""
        weight = self.normal("weight", *out.shape)
        out.backward(weight.detach())
        self.put("out", out)
        for name, x in inputs.items():
            self.put("d" + name, x.grad)

    def text(self):
        lines = []
        for name, x in self.tensors.items():
            lines.append(" ".join([name, *map(str, x.shape)]))
            for row in x.reshape(-1, x.shape[-1] if x.dim() else 1).tolist():
                lines.append(" ".join("%.9g" % number for number in row))
        return "\n".join(lines) + "\n"


def unary(name, op, *shape, std=1.0):
    f = File(name)
    a = f.normal("a", *shape, std=std)
    f.gradients(op(a), a=a)
    return f


def binary(name, op, a_shape, b_shape):
    f = File(name)
    a, b = f.normal("a", *a_shape), f.normal("b", *b_shape)
    f.gradients(op(a, b), a=a, b=b)
    return f


def gelu(a):
    """The tanh form by hand: functional.gelu(approximate="tanh") came with PyTorch 1.12."""
    return 0.5 * a * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (a + 0.044715 * a**3)))


def split_heads(a, H):
    B, L, width = a.shape
    return a.reshape(B, L, H, width // H).transpose(1, 2)


def merge_heads(a):
    B, H, L, d = a.shape
    return a.transpose(1, 2).reshape(B, L, H * d)


def embedding():
    f = File("embedding")
    table = f.normal("a", 7, 5)
    ids = f.integers("ids", [[0, 3, 3, 6], [1, 3, 0, 5]])
    f.gradients(torch.nn.functional.embedding(ids, table), a=table)
    return f


def masked(name, shape, sentences, after):
    f = File(name)
    B, L, M = sentences, shape[-2], shape[-1]
    x = f.normal("a", *shape, std=2.0)
    allowed = [[[int(f.rng.random() < 0.6 or j == i % M) for j in range(M)] for i in range(L)]
               for _ in range(B)]
    may = f.integers("allowed", allowed).bool()
    if len(shape) == 4:
        may = may.unsqueeze(1)
    f.gradients(after(x.masked_fill(~may, -torch.inf)), a=x)
    return f


def layer_norm(name, *shape):
    f = File(name)
    D = shape[-1]
    x, gain, bias = f.normal("a", *shape, std=3.0), f.normal("b", D), f.normal("c", D)
    f.gradients(torch.nn.functional.layer_norm(x, (D,), gain, bias, eps=1e-5), a=x, b=gain, c=bias)
    return f


def cross_entropy():
    f = File("cross_entropy")
    logits = f.normal("a", 2, 4, 9, std=3.0)
    targets = f.integers("targets", [[0, 8, -1, 3], [-1, 3, 2, 7]])
    loss = torch.nn.functional.cross_entropy(logits.reshape(-1, 9), targets.reshape(-1), ignore_index=-1)
    f.gradients(loss, a=logits)
    return f


def relative(name, clip, *shape):
    f = File(name)
    r = f.normal("a", *shape, 2 * clip + 1)
    L = shape[-1]
    i = torch.arange(L)
    distance = clip + (i[None, :] - i[:, None]).clamp(-clip, clip)
    f.gradients(r.gather(-1, distance.expand(*shape, L)), a=r)
    return f


def optimiser(name, make, rate, **constants):
    """Three steps of a matrix W and a vector b on given gradients."""
    f = File(name)
    W, b = f.normal("W0", 3, 4), f.normal("b0", 5)
    f.put("rate", rate)
    for constant, value in constants.items():
        f.put(constant, value)
    optim = make(W, b)
    for step in (1, 2, 3):
        W.grad, b.grad = f.normal(f"dW{step}", 3, 4).detach(), f.normal(f"db{step}", 5).detach()
        optim.step()
        f.put(f"W{step}", W)
        f.put(f"b{step}", b)
    return f


def adam(W, b):
    return torch.optim.Adam([W, b], lr=0.02, betas=(0.9, 0.999), eps=1e-8)


def adamw(W, b):
    groups = [{"params": [W], "weight_decay": 0.3}, {"params": [b], "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=0.02, betas=(0.9, 0.999), eps=1e-8)


def sgd(W, b):
    return torch.optim.SGD([W, b], lr=0.05, momentum=0.9)


def files():
    functional = torch.nn.functional
    yield binary("add", torch.add, (3, 5), (3, 5))
    yield binary("add_repeated", torch.add, (2, 3, 5), (5,))
    yield binary("sub", torch.sub, (2, 3, 5), (3, 5))
    yield binary("mul", torch.mul, (3, 5), (3, 5))
    yield binary("mul_repeated", torch.mul, (2, 3, 5), (5,))
    yield unary("scale", lambda a: 0.37 * a, 3, 5)
    yield unary("relu", torch.relu, 5, 7)
    yield unary("gelu", gelu, 9, 11, std=2.0)
    yield unary("sum", torch.sum, 2, 3, 5)
    yield unary("mean", torch.mean, 2, 3, 7)
    yield unary("reshape", lambda a: a.reshape(5, 6), 2, 3, 5)
    yield unary("transpose", lambda a: a.transpose(-1, -2), 2, 3, 5)
    yield unary("split_heads", lambda a: split_heads(a, 3), 2, 5, 6)
    yield unary("split_heads_one", lambda a: split_heads(a, 1), 2, 3, 4)
    yield unary("merge_heads", merge_heads, 2, 3, 5, 2)
    yield unary("merge_heads_one", merge_heads, 2, 1, 3, 4)
    yield embedding()
    yield binary("matmul", torch.matmul, (3, 5), (5, 17))
    yield binary("matmul_shared", torch.matmul, (2, 3, 5), (5, 7))
    yield binary("matmul_batched", torch.matmul, (2, 2, 3, 4), (2, 2, 4, 5))
    yield binary("matmul_deep", torch.matmul, (1, 260), (260, 1))
    yield binary("matmul_t", lambda a, b: a @ b.transpose(-1, -2), (3, 5), (17, 5))
    yield binary("matmul_t_shared", lambda a, b: a @ b.transpose(-1, -2), (2, 3, 5), (7, 5))
    yield binary("matmul_t_batched", lambda a, b: a @ b.transpose(-1, -2), (2, 2, 3, 4), (2, 2, 5, 4))
    yield masked("mask", (2, 3, 5), 2, lambda x: x)
    yield masked("mask_softmax", (2, 4, 5), 2, lambda x: functional.softmax(x, -1))
    yield masked("mask_softmax_heads", (2, 3, 4, 4), 2, lambda x: functional.softmax(x, -1))
    yield masked("mask_softmax_one", (2, 3, 4, 4), 1, lambda x: functional.softmax(x, -1))
    yield unary("softmax", lambda a: functional.softmax(a, -1), 5, 19, std=4.0)
    yield layer_norm("layer_norm", 2, 3, 16)
    yield layer_norm("layer_norm_flat", 5, 7)
    yield cross_entropy()
    yield relative("relative", 2, 2, 3, 6)
    yield relative("relative_short", 4, 2, 3)
    yield optimiser("adam", adam, 0.02, decay=0.0)
    yield optimiser("adamw", adamw, 0.02, decay=0.3)
    yield optimiser("sgd", sgd, 0.05, momentum=0.9)


def same(old, new):
    """The same names and shapes, and numbers that differ by rounding alone."""
    old, new = old.split("\n"), new.split("\n")
    if len(old) != len(new):
        return False
    for a, b in zip(old, new):
        if a == b:
            continue
        try:
            a, b = [float(x) for x in a.split()], [float(x) for x in b.split()]
        except ValueError:  # names that differ
            return False
        near = [x == y or abs(x - y) <= 1e-7 * max(1, abs(y)) for x, y in zip(a, b)]
        if len(a) != len(b) or not all(near):
            return False
    return True


# How the files of golden_model.py and golden_block.py begin.
ELSEWHERE = ("model_", "attention_", "block_", "blocks_")


def main(made, owned=lambda name: not name.startswith(ELSEWHERE)):
    """Writes the files `made`; with --check, compares them and looks for others that are `owned`."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--check", action="store_true", help="compare, write nothing")
    check = arguments.parse_args().check
    made = {f"{f.name}.txt": f.text() for f in made}
    there = {path.name for path in DIRECTORY.glob("*.txt") if owned(path.name)}
    faults = [f"{name}: nothing makes it" for name in sorted(there - set(made))]
    for name, text in made.items():
        path = DIRECTORY / name
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        elif name not in there:
            faults.append(f"{name}: missing")
        elif not same(path.read_text(), text):
            faults.append(f"{name}: differs")
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(made)} files {'compared' if check else 'written'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(files()))
