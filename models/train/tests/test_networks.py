"""The shipped graph computes what was trained, and stays finite on nothing at all."""

import unittest

import jax
import numpy as np
import onnx
import onnxruntime

from .. import nets, snapshot
from ..ops import Jax

N, B, C = 30, 3, 12
PARAMETERS = {"tower": nets.tower_parameters, "full": nets.full_parameters, "compact": nets.compact_parameters}


def tables(rng):
    def row(width):
        made = rng.standard_normal((N + 1, width)).astype(np.float16).astype(np.float32)
        made[0] = 0
        return made
    code = np.append(0, rng.integers(1, 5, N)).astype(np.int32)
    return {"embedding": row(nets.D), "stats": row(nets.STATS), "type": code, "category": code // 2}


def feed(session, rng=None):
    """Random inputs of the declared shapes (indices with padding), or all zero."""
    made = {}
    for entry in session.get_inputs():
        shape = [{"B": B, "C": C}.get(size, size) for size in entry.shape]
        if entry.type == "tensor(int64)":
            made[entry.name] = np.zeros(shape, np.int64) if rng is None else rng.integers(0, N + 1, shape)
        else:
            made[entry.name] = (np.zeros(shape) if rng is None else rng.uniform(-1, 300, shape)).astype(np.float32)
    return made


class NetworkTest(unittest.TestCase):
    def check(self, name):
        rng = np.random.default_rng(7)
        parameters, items = PARAMETERS[name](rng), tables(rng)
        content = snapshot.export(name, parameters, items)
        model = onnx.load_from_string(content)
        onnx.checker.check_model(model)
        self.assertLessEqual(model.ir_version, 9)
        self.assertLessEqual(model.opset_import[0].version, 18)
        session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
        inputs = feed(session, rng)
        expected = jax.jit(lambda x: snapshot.NETWORKS[name](Jax, parameters, items, x))(inputs)
        np.testing.assert_allclose(session.run(None, inputs)[0], expected, rtol=2e-3, atol=2e-3)
        self.assertTrue(np.isfinite(session.run(None, feed(session))[0]).all())
        self.assertEqual(content, snapshot.export(name, parameters, items))
        return [entry.name for entry in session.get_inputs()]

    def test_tower(self):
        self.assertEqual(self.check("tower"), [
            "history", "history_weight", "history_age", "history_type", "anchor", "context"])

    def test_rankers_share_their_signature(self):
        names = self.check("full")
        self.assertEqual(names, ["history", "history_weight", "history_age", "history_type", "anchor",
                                 "candidates", "cross", "shopper", "context"])
        self.assertEqual(self.check("compact"), names)


if __name__ == "__main__":
    unittest.main()
