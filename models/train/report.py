"""The figures of a snapshot: the shipped files, judged on the held-out month."""

import numpy as np

from . import candidates, examples, judge
from .data import SPLIT


def measure(events, catalogue, embedding, popular, served):
    """Metrics by name, averaged over the shoppers judged. `served` runs the models from their files."""
    cases = judge.hold_out(events, SPLIT)
    none = np.zeros(0, np.int64)
    moments = [examples.Moment(s, SPLIT, "home", none, none) for s, _ in cases]
    profiles = [examples.request_inputs(events, catalogue, moment)[0] for moment in moments]
    inputs, _ = examples.ranker_set(events, catalogue, moments, lambda rows: served("tower", rows),
                                    embedding, lambda now_s: popular)
    used = inputs["candidates"] > 0
    scores = {name: np.where(used, served(name, inputs), -np.inf) for name in ("full", "compact")}
    source = [inputs["cross"][:, :, 5 + k] > 0 for k in range(3)]

    def mean(values):
        return round(float(np.mean(list(values))), 4)

    def ndcg(ranking):
        return mean(judge.ndcg(ranking(b), relevant) for b, (_, relevant) in enumerate(cases))

    def recall(mask):
        return mean(judge.recall(inputs["candidates"][b][mask[b]].tolist(), relevant)
                    for b, (_, relevant) in enumerate(cases))

    return {
        "split": "trained on events before 2017-12-01T00:00:00Z, judged on events from then on",
        "shoppers_judged": len(cases),
        "relevant": "the catalogue items a shopper bought after the split",
        "ndcg_at_10": {
            "popular_by_distinct_shoppers": ndcg(lambda b: popular),
            "own_frequency": ndcg(lambda b: judge.own_frequency(profiles[b])),
            "own_decayed_frequency": ndcg(lambda b: profiles[b].item),
            "full": ndcg(lambda b: judge.by_score(inputs["candidates"][b], scores["full"][b])),
            "compact": ndcg(lambda b: judge.by_score(inputs["candidates"][b], scores["compact"][b])),
        },
        "candidate_recall": {
            "own": recall(source[0]), "ann": recall(source[1]), "popular": recall(source[2]),
            "union": recall(used),
        },
        "mean_candidates": round(float(used.sum(1).mean()), 1),
        "popular_items": len(popular[: candidates.POPULAR]),
    }
