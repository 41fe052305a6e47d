"""Writes a judge as int8 ONNX: matrices by column, what flows through them as it comes; the word table is in the file.
`python3 training/export.py WEIGHTS.npz START.npz OUT.onnx [CLASS=SHIFT …]` (needs numpy and onnx): WEIGHTS is what train.py
wrote, START what it started from. A shift is added to what the model says for a class, so that one set of thresholds fits
several models: `update=0.4 duplicate=0 nothing=-0.2`."""
import hashlib
import math
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from model import HEADS, HIDDEN, load_small
from rows import TASKS

# Where each class stands among those of its task, in the order of src/judgement/judgement.ts.
CLASSES = {"nothing": ("teaches", 0), "duplicate": ("relates", 2), "update": ("relates", 3)}

FLOAT, LONG = TensorProto.FLOAT, TensorProto.INT64


class Graph:
    def __init__(self):
        self.nodes, self.constants = [], []

    def constant(self, name, value):
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def put(self, kind, inputs, name, outputs=None, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, outputs or [name], name=name, **attributes))
        return name

    def linear(self, x, weight, bias, name):
        """x times a matrix that is stored as int8, each column on its own scale."""
        matrix = weight.T
        scale = np.maximum(np.abs(matrix).max(0), 1e-12) / 127
        codes = np.clip(np.round(matrix / scale), -127, 127).astype(np.int8)
        codes, zero = self.constant(f"{name}.codes", codes), self.constant(f"{name}.zero", np.zeros(1, np.int8).reshape(()))
        self.put("DynamicQuantizeLinear", [x], f"{name}.q", [f"{name}.x", f"{name}.xs", f"{name}.xz"])
        whole = self.put("MatMulInteger", [f"{name}.x", codes, f"{name}.xz", zero], f"{name}.whole")
        plain = self.put("Cast", [whole], f"{name}.plain", to=FLOAT)
        scales = self.put("Mul", [f"{name}.xs", self.constant(f"{name}.scale", scale.astype(np.float32))], f"{name}.scales")
        scaled = self.put("Mul", [plain, scales], f"{name}.scaled")
        return self.put("Add", [scaled, self.constant(f"{name}.bias", bias)], f"{name}.out")

    def norm(self, x, weight, bias, name):
        given = [x, self.constant(f"{name}.weight", weight), self.constant(f"{name}.bias", bias)]
        return self.put("LayerNormalization", given, f"{name}.out", axis=-1, epsilon=1e-12)

    def gelu(self, x, name):
        part = self.put("Div", [x, "sqrt2"], f"{name}.div")
        part = self.put("Add", [self.put("Erf", [part], f"{name}.erf"), "one"], f"{name}.add")
        return self.put("Mul", [self.put("Mul", [x, part], f"{name}.mul"), "half"], f"{name}.gelu")


def layer(graph, x, weights, name):
    def of(part):
        return weights[f"{part}.weight"], weights[f"{part}.bias"]

    parts = [of(part) for part in ("query", "key", "value")]
    # The scale of attention is in the queries' matrix already.
    scale = 1 / math.sqrt(HIDDEN // HEADS)
    parts[0] = (parts[0][0] * scale, parts[0][1] * scale)
    joined = graph.linear(x, np.concatenate([w for w, _ in parts]), np.concatenate([b for _, b in parts]), f"{name}.qkv")
    graph.put("Split", [joined, "thirds"], f"{name}.split", [f"{name}.{part}" for part in "qkv"], axis=1)
    heads = []
    for part, order in (("q", [1, 0, 2]), ("k", [1, 2, 0]), ("v", [1, 0, 2])):
        split = graph.put("Reshape", [f"{name}.{part}", "heads"], f"{name}.{part}.split")
        heads.append(graph.put("Transpose", [split], f"{name}.{part}.heads", perm=order))
    scores = graph.put("Softmax", [graph.put("MatMul", heads[:2], f"{name}.scores")], f"{name}.soft", axis=-1)
    mixed = graph.put("Transpose", [graph.put("MatMul", [scores, heads[2]], f"{name}.mixed")], f"{name}.back", perm=[1, 0, 2])
    mixed = graph.put("Reshape", [mixed, "flat"], f"{name}.flat")
    x = graph.put("Add", [x, graph.linear(mixed, *of("out"), f"{name}.attended")], f"{name}.sum1")
    x = graph.norm(x, *of("norm1"), f"{name}.norm1")
    inner = graph.gelu(graph.linear(x, *of("up"), f"{name}.up"), name)
    x = graph.put("Add", [x, graph.linear(inner, *of("down"), f"{name}.down")], f"{name}.sum2")
    return graph.norm(x, *of("norm2"), f"{name}.norm2")


def export(state, tasks, start, out):
    """`state` is the trained judge's, by name; `start` the file it started from, which holds the word table."""
    stored, state = np.load(start), {name: np.asarray(value, np.float32) for name, value in state.items()}
    graph = Graph()
    graph.constant("table", stored["table"])
    graph.constant("table.scale", np.float32(stored["table_scale"]))
    graph.constant("table.zero", stored["table"].dtype.type(stored["table_zero"]))
    graph.constant("position", state["position"])
    graph.constant("segment", state["segment.weight"])
    for name, value in (("sqrt2", math.sqrt(2)), ("one", 1), ("half", 0.5)):
        graph.constant(name, np.float32(value))
    for name, value in (("start", [0]), ("thirds", [HIDDEN] * 3), ("heads", [-1, HEADS, HIDDEN // HEADS]), ("flat", [-1, HIDDEN])):
        graph.constant(name, np.array(value, np.int64))
    graph.constant("first", np.array([0], np.int64))
    words = graph.put("DequantizeLinear", [graph.put("Gather", ["table", "ids"], "rows"), "table.scale", "table.zero"], "words")
    places = graph.put("Slice", ["position", "start", graph.put("Shape", ["ids"], "count")], "places")
    x = graph.put("Add", [graph.put("Add", [words, places], "placed"), graph.put("Gather", ["segment", "segments"], "sides")], "input")
    x = graph.norm(x, state["norm.weight"], state["norm.bias"], "norm")
    depth = 1 + max(int(name.split(".")[1]) for name in state if name.startswith("layers."))
    for index in range(depth):
        begin = f"layers.{index}."
        x = layer(graph, x, {name[len(begin):]: value for name, value in state.items() if name.startswith(begin)}, f"layer{index}")
    mean = graph.put("ReduceMean", [x], "mean", axes=[0], keepdims=1)
    pooled = graph.put("Concat", [mean, graph.put("Gather", [x, "first"], "cls")], "pooled", axis=1)
    for task in tasks:
        mixed = graph.linear(pooled, state[f"mix.{task}.weight"], state[f"mix.{task}.bias"], f"{task}.mix")
        said = graph.linear(graph.put("Tanh", [mixed], f"{task}.tanh"), state[f"classes.{task}.weight"], state[f"classes.{task}.bias"], f"{task}.class")
        graph.put("Identity", [said], task)
    made = helper.make_graph(
        graph.nodes, "judge",
        [helper.make_tensor_value_info(name, LONG, ["n"]) for name in ("ids", "segments")],
        [helper.make_tensor_value_info(task, FLOAT, [1, count]) for task, count in tasks.items()],
        graph.constants,
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, str(out))
    print(out.name, out.stat().st_size, hashlib.sha256(out.read_bytes()).hexdigest(), flush=True)


if __name__ == "__main__":
    weights, start, out, *shifts = sys.argv[1:]
    state = load_small(weights)
    for shift in shifts:
        name, value = shift.split("=")
        task, place = CLASSES[name]
        state[f"classes.{task}.bias"][place] += float(value)
    export(state, TASKS, start, Path(out))
