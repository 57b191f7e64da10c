"""One small set of tensor operations with two meanings: compute with JAX, or emit an ONNX graph.

A network in `nets.py` is written once against this set, so the model that is trained and the model
that is shipped cannot drift apart. `x[...]` indexing is not part of it; shapes follow NumPy rules.
"""

import jax
import jax.numpy as jnp
import numpy as np
from onnx import TensorProto, helper, numpy_helper

OPSET, IR_VERSION = 17, 8


class Jax:
    """Operations on JAX arrays."""

    constant = staticmethod(lambda value: jnp.asarray(value))
    relu = staticmethod(jax.nn.relu)
    exp = staticmethod(jnp.exp)
    log = staticmethod(jnp.log)
    tanh = staticmethod(jnp.tanh)
    minimum = staticmethod(jnp.minimum)
    positive = staticmethod(lambda x: (x > 0).astype(jnp.float32))
    equal = staticmethod(lambda x, y: (x == y).astype(jnp.float32))
    table = staticmethod(lambda name, value: jnp.asarray(value))
    gather = staticmethod(lambda table, index: jnp.asarray(table)[index])
    concat = staticmethod(lambda parts: jnp.concatenate(parts, axis=-1))
    expand = staticmethod(lambda x, axis: jnp.expand_dims(x, axis))
    total = staticmethod(lambda x, axis: jnp.sum(x, axis=axis))
    flip = staticmethod(lambda x: jnp.swapaxes(x, -1, -2))
    squeeze = staticmethod(lambda x: jnp.squeeze(x, -1))


class Node:
    """A value in an ONNX graph under construction; arithmetic adds nodes."""

    def __init__(self, graph, name):
        self.graph, self.name = graph, name

    def __add__(self, other):
        return self.graph.emit("Add", self, other)

    def __sub__(self, other):
        return self.graph.emit("Sub", self, other)

    def __mul__(self, other):
        return self.graph.emit("Mul", self, other)

    def __truediv__(self, other):
        return self.graph.emit("Div", self, other)

    def __matmul__(self, other):
        return self.graph.emit("MatMul", self, other)

    def __radd__(self, other):
        return self.graph.emit("Add", other, self)

    def __rsub__(self, other):
        return self.graph.emit("Sub", other, self)

    def __rmul__(self, other):
        return self.graph.emit("Mul", other, self)

    __array_ufunc__ = None  # `numpy_array * node` must reach __rmul__


class Graph:
    """Operations that emit ONNX nodes. Item tables are stored as float16 and cast after the gather,
    so only the gathered rows are ever widened."""

    def __init__(self):
        self.nodes, self.initializers, self.inputs, self.known = [], [], [], {}

    def input(self, name, shape, integer=False):
        kind = TensorProto.INT64 if integer else TensorProto.FLOAT
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return Node(self, name)

    def store(self, value, name=None):
        value = np.asarray(value)
        key = name or (value.tobytes(), value.dtype.str, value.shape)
        if key not in self.known:
            self.known[key] = name or f"constant_{len(self.initializers)}"
            self.initializers.append(numpy_helper.from_array(value, self.known[key]))
        return Node(self, self.known[key])

    def constant(self, value):
        return self.store(np.asarray(value, np.float32))

    def emit(self, operator, *inputs, **attributes):
        nodes = [i if isinstance(i, Node) else self.constant(i) for i in inputs]
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, [n.name for n in nodes], [name], **attributes))
        return Node(self, name)

    def relu(self, x):
        return self.emit("Relu", x)

    def exp(self, x):
        return self.emit("Exp", x)

    def log(self, x):
        return self.emit("Log", x)

    def tanh(self, x):
        return self.emit("Tanh", x)

    def minimum(self, x, y):
        return self.emit("Min", x, y)

    def cast(self, x):
        return self.emit("Cast", x, to=TensorProto.FLOAT)

    def positive(self, x):
        zero = self.store(np.zeros((), np.int64))
        return self.cast(self.emit("Greater", x, zero))

    def equal(self, x, y):
        return self.cast(self.emit("Equal", x, y))

    def table(self, name, value):
        value = np.asarray(value)
        return self.store(value.astype(np.float16 if value.dtype.kind == "f" else np.int32), name)

    def gather(self, table, index):
        rows = self.emit("Gather", table, index, axis=0)
        stored = next(t for t in self.initializers if t.name == table.name)
        return self.cast(rows) if stored.data_type == TensorProto.FLOAT16 else rows

    def concat(self, parts):
        return self.emit("Concat", *parts, axis=-1)

    def expand(self, x, axis):
        return self.emit("Unsqueeze", x, self.store(np.array([axis], np.int64)))

    def total(self, x, axis):
        return self.emit("ReduceSum", x, self.store(np.array([axis], np.int64)), keepdims=0)

    def flip(self, x):
        return self.emit("Transpose", x, perm=[0, 2, 1])

    def squeeze(self, x):
        return self.emit("Squeeze", x, self.store(np.array([-1], np.int64)))

    def model(self, name, result, output, shape):
        """The finished `onnx.ModelProto` with one float32 output."""
        self.nodes.append(helper.make_node("Identity", [result.name], [output]))
        value = helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)
        graph = helper.make_graph(self.nodes, name, self.inputs, [value], self.initializers)
        return helper.make_model(graph, ir_version=IR_VERSION, producer_name="domicile-train",
                                 opset_imports=[helper.make_opsetid("", OPSET)])
