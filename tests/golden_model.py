#!/usr/bin/env python3
"""Writes what PyTorch, in double precision, makes of whole small models: tests/golden/model_*.txt.

    /usr/bin/python3 tests/golden_model.py            writes the files
    /usr/bin/python3 tests/golden_model.py --check    compares them with what it would write

One file for each arm of `pronoun` (E and P are given, the answer is read by E) and of `heads` (E, T and
P are learned, the answer is pointed at): weights, a batch with padding and with tokens that ask nothing,
then S, A, Y, the loss, every gradient, and every parameter after one step of Adam. The formulas are
those of the design, written anew; nothing is taken from the C code.
"""
import sys

import torch

import golden

B, L, V, TAGS, LONGEST, RATE = 2, 6, 11, 5, 7, 0.01
LENGTHS = [6, 4]


class Model:
    """Weights under the names that the C program gives them, and the forward pass of an arm."""

    def __init__(self, f, score, value, points, D=8, H=1, d_k=4, d_v=8, relative=0, mask_self=False,
                 scaled=True):
        self.f, self.score, self.value, self.points = f, score, value, points
        self.D, self.H, self.d_k, self.d_v, self.relative = D, H, d_k, d_v, relative
        self.mask_self, self.scaled = mask_self, scaled
        f.integers("config", [D, H, d_k, d_v, relative, mask_self, scaled])
        self.weights, self.trained = {}, []
        learn = points and score != "X"
        self.add("E", V, D, trained=learn)
        if points:
            self.add("T", TAGS, D, trained=learn)
        self.add("P", LONGEST, D, trained=learn)
        for name, shape in self.head():
            self.add(name, *shape, trained=True)

    def add(self, name, *shape, trained):
        self.weights[name] = self.f.normal(name, *shape, std=0.6)
        if trained:
            self.trained.append(name)

    def head(self):
        """The weights of the arm's attention: (name, shape)."""
        D, H, d_k = self.D, self.H, self.d_k
        yield from {
            "X": [], "tied": [("W", (D, H * d_k))], "sym": [("B", (D, H * D))],
            "qk": [("W_Q", (D, H * d_k)), ("W_K", (D, H * d_k))],
        }[self.score]
        if self.relative and self.score != "X":
            yield "R", (2 * self.relative + 1, D // H if self.score == "sym" else d_k)
        if self.points:
            return
        width = {"X": D, "key": H * d_k, "V": H * self.d_v}[self.value]
        if self.value == "V":
            yield "W_V", (D, width)
        if width != D:
            yield "W_O", (width, D)

    def scores(self, X):
        """(B, H, L, L)"""
        D, H, w = self.D, self.H, self.weights
        heads = lambda x: golden.split_heads(x, H)
        width = self.d_k
        if self.score == "X":
            Q, width = heads(X), D // H
            S = torch.einsum("bhid,bhjd->bhij", Q, Q)
        elif self.score == "sym":
            Q, M = heads(X), w["B"].reshape(D, H, D).transpose(0, 1)
            S = torch.einsum("bid,hde,bje->bhij", X, (M + M.transpose(1, 2)) / 2, X)
        else:
            Q = heads(X @ w["W" if self.score == "tied" else "W_Q"])
            K = Q if self.score == "tied" else heads(X @ w["W_K"])
            S = torch.einsum("bhid,bhjd->bhij", Q, K)
        if "R" in w:
            i = torch.arange(L)
            far = self.relative + (i[None, :] - i[:, None]).clamp(-self.relative, self.relative)
            S = S + torch.einsum("bhid,ijd->bhij", Q, w["R"][far])
        return S / width**0.5 if self.scaled else S

    def values(self, X):
        """(B, L, H d_v)"""
        return X if self.value == "X" else X @ self.weights["W_K" if self.value == "key" else "W_V"]


def allowed(model):
    """(B, 1, L, L): tokens before the padding, perhaps not the token itself."""
    may = torch.zeros(B, 1, L, L, dtype=torch.bool)
    for b, n in enumerate(LENGTHS):
        may[b, :, :, :n] = True
    if model.mask_self:
        may &= ~torch.eye(L, dtype=torch.bool)
    return may


def loss_of(model, X, words, target):
    f, S = model.f, model.scores(X)
    f.put("S", S)
    masked = S.masked_fill(~allowed(model), -torch.inf)
    A = torch.softmax(masked, -1)
    asks = [(b, i) for b in range(B) for i in range(L) if target[b][i] >= 0]
    if model.points:
        return torch.stack([-torch.log(A[b, 0, i, target[b][i]]) for b, i in asks]).mean()
    Y = golden.merge_heads(A @ golden.split_heads(model.values(X), model.H))
    if "W_O" in model.weights:
        Y = Y @ model.weights["W_O"]
    f.put("A", A)
    f.put("Y", Y)
    logits = Y @ model.weights["E"].T / 2
    nll = -torch.log_softmax(logits, -1)
    return torch.stack([nll[b, i, words[b][target[b][i]]] for b, i in asks]).mean()


def model_file(name, **arm):
    f = golden.File("model_" + name)
    model = Model(f, **arm)
    words = [[f.rng.randrange(V) if i < n else 0 for i in range(L)] for n in LENGTHS]
    tags = [[f.rng.randrange(TAGS) if i < n else 0 for i in range(L)] for n in LENGTHS]
    target = [[(i + 1 + f.rng.randrange(n - 1)) % n if i < n and i != 1 else -1 for i in range(L)]
              for n in LENGTHS]
    f.integers("words", words)
    f.integers("tags", tags)
    f.integers("target", target)
    X = model.weights["E"][torch.tensor(words)] + model.weights["P"][:L]
    if arm["points"]:
        X = X + model.weights["T"][torch.tensor(tags)]
    loss = loss_of(model, X, words, target)
    f.put("loss", loss)
    if model.trained:
        loss.backward()
        step_adam(f, model)
    return f


def step_adam(f, model):
    trained = [model.weights[name] for name in model.trained]
    for name in model.trained:
        f.put("d" + name, model.weights[name].grad)
    torch.optim.Adam(trained, lr=RATE, betas=(0.9, 0.999), eps=1e-8).step()
    for name in model.trained:
        f.put("after." + name, model.weights[name])


def files():
    pronoun = {"points": False}
    yield model_file("pronoun_xxt", score="X", value="X", mask_self=True, **pronoun)
    yield model_file("pronoun_xxt-v", score="X", value="V", d_v=5, **pronoun)
    yield model_file("pronoun_tied", score="tied", value="V", **pronoun)
    yield model_file("pronoun_sym", score="sym", value="V", scaled=False, **pronoun)
    yield model_file("pronoun_qk", score="qk", value="X", mask_self=True, **pronoun)
    yield model_file("pronoun_kv", score="qk", value="key", d_k=3, **pronoun)
    yield model_file("pronoun_qkv", score="qk", value="V", H=2, d_v=4, relative=2, **pronoun)
    heads = {"points": True, "value": None, "mask_self": True}
    yield model_file("heads_xxt", score="X", **heads)
    yield model_file("heads_tied", score="tied", **heads)
    yield model_file("heads_sym", score="sym", relative=1, **heads)
    yield model_file("heads_qk", score="qk", relative=2, **heads)


if __name__ == "__main__":
    sys.exit(golden.main(files(), owned=lambda name: name.startswith("model_")))
