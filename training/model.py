"""The encoder (MiniLM's shape) with a head for each question, in plain matrix products so that it exports cleanly."""
import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

HIDDEN, HEADS, INNER, LONGEST = 384, 12, 1536, 256


def attend(q, k, v, mask, dropped):
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(q, k, v, None if mask is None else mask[:, None, None, :], dropped)
    scores = q @ k.transpose(-1, -2) / math.sqrt(HIDDEN // HEADS)
    if mask is not None:
        scores = scores.masked_fill(~mask[:, None, None, :], -1e9)
    return F.dropout(scores.softmax(-1), dropped) @ v


class Layer(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(HIDDEN, HIDDEN) for _ in range(4))
        self.up, self.down = nn.Linear(HIDDEN, INNER), nn.Linear(INNER, HIDDEN)
        self.norm1, self.norm2 = nn.LayerNorm(HIDDEN, eps=1e-12), nn.LayerNorm(HIDDEN, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask):
        def split(y):
            return y.view(y.shape[0], y.shape[1], HEADS, HIDDEN // HEADS).transpose(1, 2)

        q, k, v = split(self.query(x)), split(self.key(x)), split(self.value(x))
        dropped = self.dropout.p if self.training else 0.0
        mixed = attend(q, k, v, mask, dropped).transpose(1, 2).reshape(x.shape[0], x.shape[1], HIDDEN)
        x = self.norm1(x + self.dropout(self.out(mixed)))
        return self.norm2(x + self.dropout(self.down(F.gelu(self.up(x)))))


class Judge(nn.Module):
    """`tasks` maps the name of each question to its number of classes."""

    def __init__(self, tasks, dropout=0.1, depth=6):
        super().__init__()
        self.position = nn.Parameter(torch.zeros(LONGEST, HIDDEN))
        self.segment = nn.Embedding(2, HIDDEN)
        self.norm = nn.LayerNorm(HIDDEN, eps=1e-12)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(depth))
        self.mix = nn.ModuleDict({name: nn.Linear(2 * HIDDEN, HIDDEN) for name in tasks})
        self.classes = nn.ModuleDict({name: nn.Linear(HIDDEN, count) for name, count in tasks.items()})
        self.dropout = nn.Dropout(dropout)

    def encode(self, vectors, segments, mask=None):
        x = vectors + self.position[: vectors.shape[1]] + self.segment(segments)
        x = self.dropout(self.norm(x))
        for layer in self.layers:
            x = layer(x, mask)
        if mask is None:
            mean = x.mean(1)
        else:
            weight = mask.unsqueeze(-1).to(x.dtype)
            mean = (x * weight).sum(1) / weight.sum(1)
        return torch.cat([mean, x[:, 0]], -1)

    def head(self, name, pooled):
        return self.classes[name](self.dropout(torch.tanh(self.mix[name](pooled))))

    def forward(self, vectors, segments):
        pooled = self.encode(vectors, segments)
        return tuple(self.head(name, pooled) for name in self.classes)


def depth_of(path):
    return 1 + max(int(name.split(".")[2]) for name in np.load(path).files if name.startswith("encoder.layer."))


def load_start(judge, path):
    """Starts from the embedder's own weights; returns its word table as the int8 embedder has it."""
    stored = np.load(path)

    def get(name):
        scale = stored[f"{name}.scale"] if f"{name}.scale" in stored.files else 1.0
        return torch.from_numpy(stored[name].astype(np.float32) * np.float32(scale))

    with torch.no_grad():
        judge.position.copy_(get("embeddings.position_embeddings.weight")[:LONGEST])
        judge.segment.weight.copy_(get("embeddings.token_type_embeddings.weight"))
        judge.norm.weight.copy_(get("embeddings.LayerNorm.weight"))
        judge.norm.bias.copy_(get("embeddings.LayerNorm.bias"))
        for index, layer in enumerate(judge.layers):
            names = {
                "query": "attention.self.query",
                "key": "attention.self.key",
                "value": "attention.self.value",
                "out": "attention.output.dense",
                "norm1": "attention.output.LayerNorm",
                "up": "intermediate.dense",
                "down": "output.dense",
                "norm2": "output.LayerNorm",
            }
            for ours, theirs in names.items():
                part = getattr(layer, ours)
                part.weight.copy_(get(f"encoder.layer.{index}.{theirs}.weight"))
                part.bias.copy_(get(f"encoder.layer.{index}.{theirs}.bias"))
    table = (stored["table"].astype(np.float32) - int(stored["table_zero"])) * float(stored["table_scale"])
    return torch.from_numpy(table)


def save_small(state, file):
    """Stores trained weights with the large matrices as int8, each row on its own scale, as the exported model has them."""
    small = {}
    for name, value in state.items():
        if value.ndim == 2 and name.endswith(".weight") and "segment" not in name:
            scale = np.maximum(np.abs(value).max(1, keepdims=True), 1e-12) / 127
            small[name] = np.clip(np.round(value / scale), -127, 127).astype(np.int8)
            small[f"{name}.scale"] = scale.astype(np.float32)
        else:
            small[name] = value.astype(np.float32)
    np.savez(file, **small)


def load_small(file):
    stored = np.load(file)
    return {
        name: stored[name].astype(np.float32) * (stored[f"{name}.scale"] if f"{name}.scale" in stored.files else 1)
        for name in stored.files
        if not name.endswith(".scale")
    }
