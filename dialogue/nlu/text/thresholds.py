"""How near is near enough: thresholds from leaving each example out, held back by defaults where examples are few."""

from collections.abc import Iterator, Sequence

from dialogue.nlu.text.similarity import Nearness, Thresholds

ACCEPT_QUANTILE, ASK_QUANTILE = 0.05, 0.02
# As many examples as the defaults are worth.
PRIOR = 60
MOST, FEWEST = 300, 50
# So many comparisons of examples are worth their time.
MOST_COMPARED = 450_000


def calibrate(index: Nearness) -> Thresholds:
    """Quantiles of how examples are recognised without themselves, blended with the defaults by their number."""
    scores = sorted(_own_scores(index))
    share = len(scores) / (len(scores) + PRIOR)
    accept = share * _quantile(scores, ACCEPT_QUANTILE) + (1 - share) * index.habitual.accept
    ask = share * _quantile(scores, ASK_QUANTILE) + (1 - share) * index.habitual.ask
    return Thresholds(accept, min(ask, accept))


def _own_scores(index: Nearness) -> Iterator[float]:
    count = len(index.documents)
    step = max(1, count // max(FEWEST, min(MOST, MOST_COMPARED // max(count, 1))))
    for place in range(0, len(index.documents), step):
        document = index.documents[place]
        if document.weight == 1.0:
            best = index.left_out(place)[:1]
            yield from (match.score for match in best if match.label == document.label)


def _quantile(scores: Sequence[float], part: float) -> float:
    return scores[int(part * len(scores))] if scores else 0.0
