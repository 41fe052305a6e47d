"""Writes a judge as int8 ONNX without a word table: it takes the vectors of word pieces as the embedder's table has them."""
import hashlib

import torch
from onnxruntime.quantization import QuantType, quantize_dynamic

from model import HIDDEN


def export(judge, out):
    judge.eval()
    full, small = out / "judge-fp32.onnx", out / "judge.onnx"
    example = (torch.randn(1, 9, HIDDEN), torch.zeros(1, 9, dtype=torch.long))
    torch.onnx.export(
        judge, example, str(full), dynamo=False, opset_version=17,
        input_names=["vectors", "segments"], output_names=list(judge.classes),
        dynamic_axes={"vectors": {1: "n"}, "segments": {1: "n"}},
    )
    quantize_dynamic(str(full), str(small), weight_type=QuantType.QInt8, per_channel=True)
    full.unlink()
    print(small.name, small.stat().st_size, hashlib.sha256(small.read_bytes()).hexdigest())
