"""Takes the weights that training starts from out of two ONNX files of all-MiniLM-L6-v2: all but the word table from the one
at full precision, the word table from the int8 one, which the program shares.
`python3 training/extract_weights.py model.onnx model_quantized.onnx OUT.npz` (needs numpy and onnx)."""
import sys

import numpy as np
import onnx
from onnx import numpy_helper as nh

src, q, out = sys.argv[1:4]
m=onnx.load(src); I={t.name:nh.to_array(t) for t in m.graph.initializer}
W={}
for k,v in I.items():
    if k.startswith(('embeddings.','encoder.')) and 'position_ids' not in k: W[k]=v.astype(np.float16)
for n in m.graph.node:
    if n.op_type=='MatMul':
        for i in n.input:
            if i in I: W[n.name.strip('/').replace('/MatMul','').replace('/','.')+'.weight']=I[i].T.astype(np.float16)
mq=onnx.load(q); Q={t.name:nh.to_array(t) for t in mq.graph.initializer}
cand=[k for k in Q if 'word_embeddings' in k]; tab=[k for k in cand if Q[k].size>1e6][0]; sc=[k for k in cand if 'scale' in k][0]; zp=[k for k in cand if 'zero' in k][0]
d=(Q[tab].astype(np.float32)-float(Q[zp]))*float(Q[sc])
print('max table err',abs(d-I['embeddings.word_embeddings.weight']).max(), 'scale',float(Q[sc]))
W.pop('embeddings.word_embeddings.weight')
W['table']=Q[tab]; W['table_scale']=np.float32(Q[sc]); W['table_zero']=np.int32(Q[zp])
np.savez_compressed(out, **W)
print(len(W), 'tensors')
