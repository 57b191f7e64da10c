"""Learning: a plain Adam loop with a falling rate, and the three losses."""

import time

import jax
import jax.numpy as jnp
import numpy as np

from . import nets
from .ops import Jax

SCORE_BATCH = 64


def minimise(loss, parameters, arrays, *, epochs, batch, rate, seed, label, decay=0.0):
    """Adam (β 0.9, 0.99; cosine rate; decoupled `decay`) on `loss(parameters, *rows of arrays)`.

    Prints progress with the time left. Returns the parameters as NumPy arrays."""
    count = len(jax.tree.leaves(arrays)[0])
    steps = epochs * (count // batch)

    @jax.jit
    def step(state, number, rows):
        parameters, first, second = state
        value, slope = jax.value_and_grad(loss)(parameters, *rows)
        pace = rate * 0.5 * (1 + jnp.cos(jnp.pi * number / steps)) * jnp.minimum(1.0, (number + 1) / 50)
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, slope)
        second = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, second, slope)
        a, b = 1 - 0.9 ** (number + 1), 1 - 0.99 ** (number + 1)
        parameters = jax.tree.map(
            lambda p, m, v: p - pace * ((m / a) / (jnp.sqrt(v / b) + 1e-8) + decay * p),
            parameters, first, second)
        return (parameters, first, second), value

    zeros = jax.tree.map(lambda p: jnp.zeros_like(jnp.asarray(p)), parameters)
    state = (jax.tree.map(jnp.asarray, parameters), zeros, zeros)
    rng, number, started = np.random.default_rng(seed), 0, time.monotonic()
    for epoch in range(epochs):
        order, values = rng.permutation(count), []
        for low in range(0, count - batch + 1, batch):
            rows = jax.tree.map(lambda a: a[order[low: low + batch]], arrays)
            state, value = step(state, jnp.float32(number), rows)
            values.append(value)
            number += 1
        mean, spent = float(np.mean(jax.device_get(values))), time.monotonic() - started
        left = spent * (steps - number) / number
        print(f"    {label}: epoch {epoch + 1}/{epochs}, loss {mean:.4f}, about {left:.0f} s left", flush=True)
    return jax.tree.map(np.asarray, state[0])


def tower_loss(parameters, inputs, target, weight):
    """Full softmax over the catalogue; each example's weights sum to 1."""
    embedding = parameters["embedding"]
    table = jnp.concatenate([jnp.zeros((1, nets.D)), embedding])
    query = nets.tower(Jax, parameters["net"], {"embedding": table}, inputs)
    logits = query @ embedding.T
    picked = jnp.take_along_axis(logits, jnp.maximum(target - 1, 0), axis=1)
    return jnp.mean(jnp.sum(weight * (jax.nn.logsumexp(logits, axis=1)[:, None] - picked), axis=1))


def masked(inputs, scores):
    """Scores with padding pushed out of every softmax."""
    return jnp.where(inputs["candidates"] > 0, scores, -1e9)


def list_loss(network, tables):
    """Listwise softmax, plus a logistic term that keeps scores comparable between requests."""
    def loss(parameters, inputs, label):
        raw = network(Jax, parameters, tables, inputs)
        chance = jax.nn.log_softmax(masked(inputs, raw), axis=1)
        listwise = -jnp.sum(label * chance, axis=1) / jnp.maximum(jnp.sum(label, axis=1), 1)
        single = jax.nn.softplus(raw) - label * raw
        mask = inputs["candidates"] > 0
        return jnp.mean(listwise) + 5.0 * jnp.mean(jnp.sum(single * mask, 1) / jnp.sum(mask, 1))
    return loss


def distill_loss(network, tables):
    """The student's distribution over the candidates against the teacher's, plus the score itself."""
    def loss(parameters, inputs, teacher):
        raw = network(Jax, parameters, tables, inputs)
        mask = inputs["candidates"] > 0
        goal = jax.nn.softmax(masked(inputs, teacher), axis=1)
        chance = jax.nn.log_softmax(masked(inputs, raw), axis=1)
        gap = jnp.sum(jnp.square(raw - teacher) * mask, 1) / jnp.sum(mask, 1)
        return jnp.mean(-jnp.sum(goal * chance, axis=1)) + 0.05 * jnp.mean(gap)
    return loss


def runner(network, parameters, tables):
    """`f(inputs) → array`, compiled once for batches of 64 rows (the last one is padded)."""
    compute = jax.jit(lambda inputs: network(Jax, parameters, tables, inputs))

    def run(inputs):
        count = len(next(iter(inputs.values())))
        parts = []
        for low in range(0, count, SCORE_BATCH):
            rows = {name: value[low: low + SCORE_BATCH] for name, value in inputs.items()}
            have = len(rows["history"])
            if have < SCORE_BATCH:
                rows = {name: np.concatenate([value, np.zeros((SCORE_BATCH - have, *value.shape[1:]),
                                                              value.dtype)]) for name, value in rows.items()}
            parts.append(np.asarray(compute(rows))[:have])
        return np.concatenate(parts)
    return run
