"""Writes the files of a snapshot, and the manifest that names them by hash."""

import csv
import hashlib
import io
import json

import numpy as np

from . import candidates, features, nets
from .ops import Graph

DEMO_NAME, CATALOGUE_NAME = "complete-journey-first", "complete-journey"
HISTORY_INPUTS = ("history", "history_weight", "history_age", "history_type")
NETWORKS = {"tower": nets.tower, "full": nets.full, "compact": nets.compact}
FILES = {"tower": "tower.onnx", "full": "full.onnx", "compact": "compact.onnx",
         "embeddings": "embeddings.f16", "items": "items.csv"}
NORMALISATION = "none (raw; normalised inside the graph)"


def inputs_of(graph, ranking):
    """Declares the contract's inputs, used or not, in the contract's order."""
    x = {name: graph.input(name, ["B", features.HISTORY], integer=name == "history")
         for name in HISTORY_INPUTS}
    x["anchor"] = graph.input("anchor", ["B", features.ANCHOR], integer=True)
    if ranking:
        x["candidates"] = graph.input("candidates", ["B", "C"], integer=True)
        x["cross"] = graph.input("cross", ["B", "C", features.CROSS])
        x["shopper"] = graph.input("shopper", ["B", features.SHOPPER])
    x["context"] = graph.input("context", ["B", features.CONTEXT])
    return x


def export(name, parameters, tables):
    """The ONNX bytes of network `name` (`tower`, `full` or `compact`)."""
    graph = Graph()
    x = inputs_of(graph, ranking=name != "tower")
    # A network asks for the tables it needs; the others stay out of its file.
    stored = LazyTables(graph, tables)
    result = NETWORKS[name](graph, parameters, stored, x)
    output, shape = ("query", ["B", nets.D]) if name == "tower" else ("scores", ["B", "C"])
    return graph.model(name, result, output, shape).SerializeToString(deterministic=True)


class LazyTables(dict):
    """Item tables that become initializers of the graph when they are first asked for."""

    def __init__(self, graph, tables):
        super().__init__()
        self.graph, self.tables = graph, tables

    def __missing__(self, name):
        self[name] = self.graph.table("items." + name, self.tables[name])
        return self[name]


def items_csv(catalogue):
    """`index,id,title,category,department,price,image`, rows 1..N."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["index", "id", "title", "category", "department", "price", "image"])
    for i in range(1, catalogue.size + 1):
        writer.writerow([i, catalogue.ids[i], catalogue.title[i], catalogue.category[i],
                         catalogue.department[i], f"{catalogue.price[i]:.2f}", image(catalogue, i)])
    return out.getvalue().encode()


def image(catalogue, i):
    return f"img/{catalogue.category[i]}.svg"


def vocabulary(catalogue):
    """Names the set of items and their order: a hash of the ids, one a line."""
    joined = "\n".join(str(i) for i in catalogue.ids[1:])
    return "sha256:" + hashlib.sha256(joined.encode()).hexdigest()


def write_files(folder, catalogue, embedding, parameters, tables):
    """Writes the five files of a snapshot. `parameters` by network name."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in NETWORKS:
        (folder / FILES[name]).write_bytes(export(name, parameters[name], tables))
    (folder / FILES["embeddings"]).write_bytes(embedding.astype("<f2").tobytes())
    (folder / FILES["items"]).write_bytes(items_csv(catalogue))


def described(pairs, normalisation=NORMALISATION):
    return [{"name": name, "unit": unit, "normalisation": normalisation} for name, unit in pairs]


def manifest(folder, catalogue, popular, metrics, seed):
    """The manifest: no clock, no path of a machine, so equal runs give equal bytes."""
    files = {}
    for name, path in FILES.items():
        content = (folder / path).read_bytes()
        files[name] = {"path": path, "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    return {
        "version": 1, "name": DEMO_NAME, "catalogue": CATALOGUE_NAME,
        "trained_on": ["public demo data, pooled"], "vocabulary": vocabulary(catalogue),
        "items": catalogue.size, "dim": nets.D,
        "limits": {"history": features.HISTORY, "anchor": features.ANCHOR, "candidates": candidates.LIMIT,
                   "cross": features.CROSS, "shopper": features.SHOPPER, "context": features.CONTEXT},
        "half_life_days": features.HALF_LIFE_DAYS, "recent_events_per_item": features.RECENT_EVENTS,
        "features": {"history": described(features.HISTORY_FEATURES),
                     "cross": described(features.CROSS_FEATURES),
                     "shopper": described(features.SHOPPER_FEATURES),
                     "context": described(features.CONTEXT_FEATURES)},
        "candidates": {"own": candidates.OWN, "ann": candidates.ANN, "popular": candidates.POPULAR},
        "popular": [str(catalogue.ids[i]) for i in popular[: candidates.POPULAR_LIST]],
        "files": files, "metrics": metrics, "seed": seed,
    }


def write_json(path, value, indent=1):
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(value, indent=indent, ensure_ascii=False, separators=(",", ": " if indent else ":"))
    path.write_text(text + "\n", encoding="utf-8")


class Served:
    """The shipped models, run by ONNX Runtime from their files."""

    def __init__(self, folder):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        self.sessions = {name: onnxruntime.InferenceSession(
            str(folder / FILES[name]), options, providers=["CPUExecutionProvider"]) for name in NETWORKS}

    def __call__(self, name, inputs):
        """`inputs` as dictionaries of [B, …] arrays; what the model does not declare is left out."""
        session = self.sessions[name]
        parts = []
        for low in range(0, len(inputs["history"]), 64):
            feed = {i.name: inputs[i.name][low: low + 64] for i in session.get_inputs()}
            parts.append(session.run(None, feed)[0])
        return np.concatenate(parts)
