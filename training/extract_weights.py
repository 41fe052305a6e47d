"""Takes the weights that training starts from out of the ONNX file of a model, at full precision or int8:
`python3 training/extract_weights.py model.onnx OUT.npz [--keep kept.json]` (needs numpy and onnx). The large matrices and the
word table are stored as int8, which is good enough to start from; of the table only the rows that kept.json names."""
import json
import sys

import numpy as np
import onnx
from onnx import numpy_helper


def weights_of(model):
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}

    def full(name):
        """A tensor as numbers, wherever it is stored as int8 with a scale."""
        if name in tensors:
            return tensors[name].astype(np.float32)
        codes, zero, scale = (tensors[f"{name}_{part}"] for part in ("quantized", "zero_point", "scale"))
        return (codes.astype(np.float32) - zero.astype(np.float32)) * scale

    names = {name.removesuffix("_quantized") for name in tensors if not name.endswith(("_scale", "_zero_point"))}
    found = {
        name: full(name).astype(np.float16)
        for name in names
        if name.startswith(("embeddings.", "encoder.")) and "position_ids" not in name and "word_embeddings" not in name
    }
    # The matrices of linear layers lost their names in the export; the products they are in have kept theirs.
    for node in model.graph.node:
        name = node.name.strip("/").replace("/", ".").removesuffix("_quant").removesuffix(".MatMul")
        given = [one.removesuffix("_quantized") for one in node.input if one.removesuffix("_quantized") in names]
        if node.op_type in ("MatMul", "MatMulInteger") and name.startswith("encoder.layer.") and given:
            found[f"{name}.weight"] = full(given[0]).T
    return found, next(tensors[name] for name in tensors if is_table(name)), tensors


def is_table(name):
    return name in ("embeddings.word_embeddings.weight", "embeddings.word_embeddings.weight_quantized")


def table_of(table, tensors):
    """The word table as int8, with its scale."""
    name = "embeddings.word_embeddings.weight"
    if table.dtype == np.float32:
        scale = (table.max() - table.min()) / 255
        zero = np.round(-table.min() / scale)
        table = np.clip(np.round(table / scale) + zero, 0, 255).astype(np.uint8)
    else:
        scale, zero = tensors[f"{name}_scale"], tensors[f"{name}_zero_point"]
    return {"table": table, "table_scale": np.float32(scale), "table_zero": np.int32(zero)}


def shrink(weights):
    small = {}
    for name, value in weights.items():
        if value.ndim == 2 and name.startswith("encoder.layer."):
            scale = np.abs(value.astype(np.float32)).max(1, keepdims=True) / 127 + 1e-12
            small[name], small[f"{name}.scale"] = np.round(value / scale).astype(np.int8), scale
        else:
            small[name] = value
    return small


if __name__ == "__main__":
    source, out, *rest = sys.argv[1:]
    weights, table, tensors = weights_of(onnx.load(source))
    stored = table_of(table, tensors)
    if rest[:1] == ["--keep"]:
        stored["table"] = stored["table"][json.load(open(rest[1]))]
    np.savez_compressed(out, **shrink(weights), **stored)
