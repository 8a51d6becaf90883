"""A pass of GPT-2 over a prompt or of BERT's encoder over texts in ONNX Runtime (CPU), timed.

    python read_onnx.py --kind gpt2 --batch 1 --context 512 [--compute int8]
    python read_onnx.py --kind bert --batch 32 --context 128 [--compute int8]

The graph is written with ONNX Runtime's fused operators (Attention, SkipLayerNormalization, BiasGelu,
FastGelu), random weights; gpt2 ends with the scores of the last token, bert with its pooler. int8:
onnxruntime.quantization.quantize_dynamic, a scale for each output, values rounded to 8 bits in each pass.
Prints one line of JSON: ms_per_pass (median), ms_per_pass_best, tokens_per_s and examples_per_s (best).
"""

import argparse
import pathlib
import tempfile

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

from measure import median_and_best, peak_rss_mb, print_json, time_ms

FUSED = "com.microsoft"


class Graph:
    """Nodes in order; each call gives the name of its result."""

    def __init__(self):
        self.nodes, self.weights, self.random = [], [], np.random.default_rng(1)

    def const(self, values):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def matrix(self, *shape):
        return self.const(self.random.standard_normal(shape, dtype=np.float32) * np.float32(0.02))

    def vector(self, size, value=0.0):
        return self.const(np.full(size, value, np.float32))

    def call(self, op, *inputs, domain="", **settings):
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], name, domain=domain, **settings))
        return name

    def product(self, x, rows, cols):
        return self.call("MatMul", x, self.matrix(rows, cols))

    def linear(self, x, rows, cols):
        return self.call("Add", self.product(x, rows, cols), self.vector(cols))

    def attention(self, x, a):
        w = a.width
        return self.call("Attention", x, self.matrix(w, 3 * w), self.vector(3 * w), domain=FUSED,
                         num_heads=a.heads, unidirectional=int(a.kind == "gpt2"))

    def norm(self, x, a):
        return self.call("LayerNormalization", x, self.vector(a.width, 1), self.vector(a.width),
                         axis=-1, epsilon=a.epsilon)

    def joined_norm(self, x, branch, a):
        return self.call("SkipLayerNormalization", branch, x, self.vector(a.width, 1),
                         self.vector(a.width), self.vector(a.width), domain=FUSED, epsilon=a.epsilon)

    def inner(self, x, a, op):
        y = self.call(op, self.product(x, a.width, 4 * a.width), self.vector(4 * a.width), domain=FUSED)
        return self.product(y, 4 * a.width, a.width)

    def embedded(self, a):
        places = self.const(np.arange(a.context))
        words = self.call("Gather", self.matrix(a.vocab, a.width), "ids")
        return self.call("Add", words, self.call("Gather", self.matrix(a.context, a.width), places))


def gpt2(g, a):
    x = g.embedded(a)
    for _ in range(a.layers):
        y = g.linear(g.attention(g.norm(x, a), a), a.width, a.width)
        x = g.call("Add", x, y)
        y = g.call("Add", g.inner(g.norm(x, a), a, "FastGelu"), g.vector(a.width))
        x = g.call("Add", x, y)
    last = g.call("Gather", x, g.const(np.array([a.context - 1])), axis=1)
    return g.product(g.norm(last, a), a.width, a.vocab)


def bert(g, a):
    x = g.norm(g.embedded(a), a)
    for _ in range(a.layers):
        x = g.joined_norm(x, g.product(g.attention(x, a), a.width, a.width), a)
        x = g.joined_norm(x, g.inner(x, a, "BiasGelu"), a)
    first = g.call("Gather", x, g.const(np.array([0])), axis=1)
    return g.call("Tanh", g.linear(first, a.width, a.width))


def write_model(path, a):
    g = Graph()
    out = {"gpt2": gpt2, "bert": bert}[a.kind](g, a)
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, [a.batch, a.context])
    result = helper.make_tensor_value_info(out, TensorProto.FLOAT, None)
    graph = helper.make_graph(g.nodes, a.kind, [ids], [result], g.weights)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(FUSED, 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), path)


def parse_args():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--kind", choices=["gpt2", "bert"], default="bert")
    p.add_argument("--compute", choices=["float32", "int8"], default="float32")
    for name, value in dict(layers=12, heads=12, width=768, vocab=0, batch=32, context=128, steps=10,
                            threads=2).items():
        p.add_argument(f"--{name}", type=int, default=value)
    a = p.parse_args()
    a.vocab = a.vocab or {"gpt2": 50257, "bert": 30522}[a.kind]
    a.epsilon = {"gpt2": 1e-5, "bert": 1e-12}[a.kind]
    return a


def main():
    a = parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.onnx"
        write_model(path, a)
        if a.compute == "int8":
            from onnxruntime.quantization import QuantType, quantize_dynamic

            small = path.with_name("int8.onnx")
            quantize_dynamic(path, small, per_channel=True, weight_type=QuantType.QInt8,
                             extra_options={"DefaultTensorType": TensorProto.FLOAT})
            path = small
        options = ort.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = a.threads, 1
        session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    ids = np.random.default_rng(2).integers(0, a.vocab, (a.batch, a.context))
    times = time_ms(lambda: session.run(None, {"ids": ids}), 3, a.steps)
    median, best = median_and_best(times)
    print_json({"ms_per_pass": median, "ms_per_pass_best": best,
                "tokens_per_s": 1e3 * a.batch * a.context / best,
                "examples_per_s": 1e3 * a.batch / best, "peak_rss_mb": peak_rss_mb()})


if __name__ == "__main__":
    main()
