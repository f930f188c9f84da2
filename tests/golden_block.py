#!/usr/bin/env python3
"""Writes what PyTorch, in double precision, makes of cross-attention, of transformer blocks and of whole
models built of them: tests/golden/attention_*.txt, block_*.txt and blocks_*.txt.

    /usr/bin/python3 tests/golden_block.py            writes the files
    /usr/bin/python3 tests/golden_block.py --check    compares them with what it would write

Weights, inputs, a mask with holes, then the output and every gradient, those of the inputs too. Two of
the files are PyTorch's own layers: attention_multihead is its MultiheadAttention, block_encoder its
TransformerEncoderLayer. It has no layer for the others (d_k isn't d_v, the key is the value, ...):
their formulas are those of the design, written anew; nothing is taken from the C code.
"""
import sys

import torch

import golden

functional = torch.nn.functional

ARMS = {  # score, value
    "xxt": ("X", "X"), "xxt-v": ("X", "V"), "tied": ("tied", "V"), "sym": ("sym", "V"),
    "qk": ("qk", "X"), "kv": ("qk", "key"), "qkv": ("qk", "V"),
}
V, TAGS, TERMS, LONGEST = 7, 3, 5, 6


class Weights:
    """Weights under the names that the C program gives them.

    Gains are about 1/2, as the program starts them: with 1 the softmax of `tied` sticks to the diagonal,
    and what is left of its gradient is rounding.
    """

    def __init__(self, f):
        self.f, self.trained = f, {}

    def add(self, name, *shape, trained=True):
        x = self.f.normal(name, *shape, mean=0.5 * ("gain" in name), std=0.5)
        if trained:
            self.trained[name] = x
        return x

    def keep_gradients(self):
        for name, x in self.trained.items():
            self.f.put("d" + name, x.grad)


class Attention:
    """X asks Z. `add` makes a weight of a name and a shape."""

    def __init__(self, add, arm, D, H, d_k, d_v, output=False, points=False):
        self.score, self.value = ARMS[arm]
        self.D, self.H, self.d_k = D, H, d_k
        width = {"X": D, "key": H * d_k, "V": H * d_v}[self.value]
        self.W_Q = self.W_K = self.W_V = self.W_O = self.M = None
        if self.score == "tied":
            self.W_Q = self.W_K = add("W", D, H * d_k)
        if self.score == "qk":
            self.W_Q, self.W_K = add("W_Q", D, H * d_k), add("W_K", D, H * d_k)
        if self.score == "sym":
            B = add("B", D, H * D).reshape(D, H, D).transpose(0, 1)
            self.M = (B + B.transpose(1, 2)) / 2
        if self.value == "V" and not points:
            self.W_V = add("W_V", D, width)
        if (width != D or output) and not points:
            self.W_O = add("W_O", width, D)

    def scores(self, X, Z):
        """(B, H, L, M)"""
        if self.score == "sym":
            return torch.einsum("bid,hde,bje->bhij", X, self.M, Z) / self.d_k**0.5
        Q, K = (X, Z) if self.score == "X" else (X @ self.W_Q, Z @ self.W_K)
        Q, K = golden.split_heads(Q, self.H), golden.split_heads(K, self.H)
        return torch.einsum("bhid,bhjd->bhij", Q, K) / Q.shape[-1] ** 0.5

    def __call__(self, X, Z, may):
        """(B, L, D)"""
        A = torch.softmax(self.scores(X, Z).masked_fill(~may[:, None], -torch.inf), -1)
        values = {"X": lambda: Z, "key": lambda: Z @ self.W_K, "V": lambda: Z @ self.W_V}[self.value]()
        Y = golden.merge_heads(torch.einsum("bhij,bhjd->bhid", A, golden.split_heads(values, self.H)))
        return Y if self.W_O is None else Y @ self.W_O


class Block:
    """x + MHA(LN(x)), then x + MLP(LN(x))."""

    def __init__(self, weights, n, arm, D, **sizes):
        def add(name, *shape):
            return weights.add(f"block.{n}.{name}", *shape)
        self.D = D
        self.gain_1, self.bias_1 = add("gain_1", D), add("bias_1", D)
        self.attention = Attention(add, arm, D, output=True, **sizes)
        self.gain_2, self.bias_2 = add("gain_2", D), add("bias_2", D)
        self.W_1, self.c_1 = add("W_1", D, 4 * D), add("c_1", 4 * D)
        self.W_2, self.c_2 = add("W_2", 4 * D, D), add("c_2", D)

    def __call__(self, X, Z, may):
        def norm(x, gain, bias):
            return functional.layer_norm(x, (self.D,), gain, bias, eps=1e-5)
        asking = norm(X, self.gain_1, self.bias_1)
        X = X + self.attention(asking, norm(X if Z is None else Z, self.gain_1, self.bias_1), may)
        hidden = golden.gelu(norm(X, self.gain_2, self.bias_2) @ self.W_1 + self.c_1)
        return X + hidden @ self.W_2 + self.c_2


def multihead(a, X, Z, may):
    """What Attention computes, by PyTorch's own layer."""
    layer = torch.nn.MultiheadAttention(a.D, a.H, bias=False, batch_first=True).double()
    weights = {"in_proj_weight": torch.cat([a.W_Q, a.W_K, a.W_V], 1).T, "out_proj.weight": a.W_O.T}
    mask = (~may).repeat_interleave(a.H, 0)  # (B H, L, M), True where it may not
    return torch.nn.utils.stateless.functional_call(
        layer, weights, (X, Z, Z), {"attn_mask": mask, "need_weights": False})[0]


def encoder(block, X, Z, may):
    """What Block computes, by PyTorch's own layer."""
    a, D = block.attention, block.D
    layer = torch.nn.TransformerEncoderLayer(
        D, a.H, 4 * D, dropout=0, activation=golden.gelu, layer_norm_eps=1e-5, batch_first=True,
        norm_first=True).double()
    weights = {
        "self_attn.in_proj_weight": torch.cat([a.W_Q, a.W_K, a.W_V], 1).T,
        "self_attn.in_proj_bias": torch.zeros(3 * D, dtype=torch.double),
        "self_attn.out_proj.weight": a.W_O.T,
        "self_attn.out_proj.bias": torch.zeros(D, dtype=torch.double),
        "norm1.weight": block.gain_1, "norm1.bias": block.bias_1,
        "norm2.weight": block.gain_2, "norm2.bias": block.bias_2,
        "linear1.weight": block.W_1.T, "linear1.bias": block.c_1,
        "linear2.weight": block.W_2.T, "linear2.bias": block.c_2,
    }
    assert Z is None and set(weights) == set(dict(layer.named_parameters()))
    return torch.nn.utils.stateless.functional_call(
        layer, weights, (X,), {"src_mask": (~may).repeat_interleave(a.H, 0)})


def allow(f, B, L, M):
    """A mask that leaves each query something."""
    rows = [[[int(f.rng.random() < 0.7 or j == i % M) for j in range(M)] for i in range(L)]
            for _ in range(B)]
    return f.integers("allowed", rows).bool()


def sizes_of(f, arm, D, H, d_k, d_v, output):
    """As the C program reads them, and as Attention takes them."""
    f.integers("config", [D, H, d_k, d_v, output])
    return {"arm": arm, "D": D, "H": H, "d_k": d_k, "d_v": d_v}


def attention_file(name, arm, D=6, H=2, d_k=4, d_v=3, output=False, run=Attention.__call__):
    f = golden.File("attention_" + name)
    weights = Weights(f)
    a = Attention(weights.add, output=output, **sizes_of(f, arm, D, H, d_k, d_v, output))
    X, Z = f.normal("X", 2, 3, D), f.normal("Z", 2, 5, D)
    out = run(a, X, Z, allow(f, 2, 3, 5))
    f.gradients(out, X=X, Z=Z)
    weights.keep_gradients()
    return f


def block_file(name, arm, D=4, H=2, d_k=3, d_v=5, cross=False, run=Block.__call__):
    f = golden.File("block_" + name)
    weights = Weights(f)
    block = Block(weights, 0, **sizes_of(f, arm, D, H, d_k, d_v, True))
    inputs = {"X": f.normal("X", 2, 4, D)}
    if cross:
        inputs["Z"] = f.normal("Z", 2, 3, D)
    out = run(block, inputs["X"], inputs.get("Z"), allow(f, 2, 4, 3 if cross else 4))
    f.gradients(out, **inputs)
    weights.keep_gradients()
    return f


class Model:
    """A whole model on one batch. `keys` > 0: the first `keys` tokens are what the others ask. `text`: each
    token asks for the next and sees none after itself, and what reads the answer, U, isn't E."""

    def __init__(self, f, arm, layers, D=4, H=2, d_k=3, d_v=2, points=False, keys=0, text=False):
        self.f, self.D, self.keys, self.points, self.text = f, D, keys, points, text
        f.integers("config", [D, H, d_k, d_v, layers, points, keys, text])
        self.weights = Weights(f)
        tables = {"E": V, "T": TAGS, "term": TERMS} if keys else {"E": V, "T": TAGS, "P": LONGEST}
        self.table = {name: self.weights.add(name, count, D, trained=points or text)
                      for name, count in tables.items()}
        self.blocks = [Block(self.weights, n, arm, D=D, H=H, d_k=d_k, d_v=d_v) for n in range(layers)]
        self.gain, self.bias = self.weights.add("gain", D), self.weights.add("bias", D)
        if text:
            self.U = self.weights.add("U", V, D)
        if points:
            self.head = Attention(self.weights.add, arm, D, 1, d_k, d_v, points=True)
        self.draw_batch()

    def draw_batch(self):
        rng, asking = self.f.rng, range(self.keys, 6)
        self.length = [6, 6] if self.keys else [6, 4]

        def draw(n):
            return [[rng.randrange(n) if i < length else 0 for i in range(6)] for length in self.length]
        self.words, self.tags, self.terms = draw(V), draw(TAGS), draw(TERMS)

        def target(i, length):  # not itself, and token 1 asks nothing
            if i >= length or i == 1 or i not in asking:
                return -1
            return rng.randrange(self.keys) if self.keys else (i + 1 + rng.randrange(length - 1)) % length
        self.target = [[target(i, length) for i in range(6)] for length in self.length]
        for name in ("length", "words", "tags", "terms", "target"):
            self.f.integers(name, getattr(self, name))

    def forward(self):
        """logits, or None where the answer is pointed at; loss"""
        table, keys = self.table, self.keys
        words, tags, terms = (torch.tensor(x) for x in (self.words, self.tags, self.terms))
        X, Z = table["E"][words] + table["T"][tags], None
        if keys:
            X, Z = table["term"][terms[:, keys:]], X[:, :keys]
        else:
            X = X + table["P"]
        may = (torch.arange(keys or 6) < torch.tensor(self.length)[:, None])[:, None]
        may = may.expand(2, X.shape[1], -1)
        if self.points:
            may = may & ~torch.eye(6, dtype=torch.bool)
        if self.text:
            may = may & torch.ones(6, 6, dtype=torch.bool).tril()
        for block in self.blocks:
            X = block(X, Z, may)
        X = functional.layer_norm(X, (self.D,), self.gain, self.bias, eps=1e-5)
        if self.text:
            asks = [(b, i) for b in range(2) for i in range(self.length[b] - 1)]
            logits = torch.stack([X[b, i] for b, i in asks]) @ self.U.T
            return logits, functional.cross_entropy(logits, torch.tensor([self.words[b][i + 1] for b, i in asks]))
        asks = [(b, i) for b in range(2) for i in range(6) if self.target[b][i] >= 0]
        if self.points:
            A = torch.softmax(self.head.scores(X, X).masked_fill(~may[:, None], -torch.inf), -1)
            return None, torch.stack([-torch.log(A[b, 0, i, self.target[b][i]]) for b, i in asks]).mean()
        logits = torch.stack([X[b, i - keys] for b, i in asks]) @ table["E"].T / 2
        answer = torch.tensor([self.words[b][self.target[b][i]] for b, i in asks])
        return logits, functional.cross_entropy(logits, answer)


def model_file(name, **sizes):
    """The file, and the model for more of it."""
    f = golden.File("blocks_" + name)
    model = Model(f, **sizes)
    logits, loss = model.forward()
    if logits is not None:
        f.put("logits", logits)
    f.put("loss", loss)
    loss.backward()
    model.weights.keep_gradients()
    return f, model


def adamw_file(model):
    """Three steps from where the model's file left it: the loss before each, the weights at the end."""
    f = golden.File("blocks_adamw")
    rate, decay = 0.015625, 0.25  # floats, exactly
    f.put("rate", rate)
    f.put("decay", decay)
    trained = model.weights.trained
    groups = [{"params": [x for x in trained.values() if x.dim() >= 2], "weight_decay": decay},
              {"params": [x for x in trained.values() if x.dim() < 2], "weight_decay": 0.0}]
    optim = torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.999), eps=1e-8)
    for step in (1, 2, 3):
        optim.zero_grad()
        loss = model.forward()[1]
        f.put(f"loss{step}", loss)
        loss.backward()
        optim.step()
    for name, x in trained.items():
        f.put("after." + name, x)
    return f


def files():
    yield attention_file("xxt", "xxt")
    yield attention_file("tied", "tied", H=3, d_k=2, d_v=4)
    yield attention_file("sym", "sym")
    yield attention_file("kv", "kv")
    yield attention_file("qkv", "qkv")
    yield attention_file("multihead", "qkv", d_k=3, output=True, run=multihead)
    yield block_file("qkv", "qkv")
    yield block_file("kv", "kv")
    yield block_file("tied", "tied", H=1)
    yield block_file("sym", "sym")
    yield block_file("cross", "qkv", cross=True)
    yield block_file("encoder", "qkv", d_k=2, d_v=2, run=encoder)
    f, model = model_file("pronoun", arm="qkv", layers=2)
    yield f
    yield adamw_file(model)
    yield model_file("heads", arm="tied", layers=1, points=True)[0]
    yield model_file("search", arm="kv", layers=1, keys=4)[0]
    yield model_file("text", arm="qkv", layers=2, text=True)[0]


if __name__ == "__main__":
    sys.exit(golden.main(files(), owned=lambda name: name.startswith(("attention_", "block_", "blocks_"))))
