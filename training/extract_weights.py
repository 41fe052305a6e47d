"""Takes the weights that training starts from out of two ONNX files of one model: all but the word table from the one at
full precision, the word table from the int8 one, which the program shares.
`python3 training/extract_weights.py model.onnx model_quantized.onnx OUT.npz [--small]` (needs numpy and onnx); --small
stores the large matrices as int8, which is good enough to start from. Where the second file is the first, its word table is
made int8 too."""
import sys

import numpy as np
import onnx
from onnx import numpy_helper


def tensors_of(model):
    return {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}


def weights_of(file):
    model = onnx.load(file)
    tensors = tensors_of(model)
    found = {
        name: value.astype(np.float16)
        for name, value in tensors.items()
        if name.startswith(("embeddings.", "encoder.")) and "position_ids" not in name and "word_embeddings" not in name
    }
    # The matrices of linear layers lost their names in the export; the products they are in have kept theirs.
    for node in model.graph.node:
        if node.op_type != "MatMul":
            continue
        name = node.name.strip("/").replace("/MatMul", "").replace("/", ".")
        for given in node.input:
            if given in tensors:
                found[f"{name}.weight"] = tensors[given].T.astype(np.float16)
    return found


def table_of(file):
    parts = {name: value for name, value in tensors_of(onnx.load(file)).items() if "word_embeddings" in name}
    full = next((value for value in parts.values() if value.size > 1e6 and value.dtype == np.float32), None)
    if full is not None:
        scale = (full.max() - full.min()) / 255
        zero = np.round(-full.min() / scale)
        table = np.clip(np.round(full / scale) + zero, 0, 255).astype(np.uint8)
        return {"table": table, "table_scale": np.float32(scale), "table_zero": np.int32(zero)}
    return {
        "table": next(value for value in parts.values() if value.size > 1e6),
        "table_scale": np.float32(next(value for name, value in parts.items() if "scale" in name)),
        "table_zero": np.int32(next(value for name, value in parts.items() if "zero" in name)),
    }


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
    full, quantized, out = sys.argv[1:4]
    weights = weights_of(full)
    if "--small" in sys.argv:
        weights = shrink(weights)
    np.savez_compressed(out, **weights, **table_of(quantized))
