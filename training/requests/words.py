"""The network of the scorer of requests that compares texts by words alone; the one by meaning is kept."""

from collections.abc import Iterator
from pathlib import Path

from training.requests.training_run import train_network


def train(data: Path, folder: Path, seed: int) -> Iterator[str]:
    """Write `requests.json` to the folder; yield its hash, and figures on subjects that were left out."""
    yield from train_network("words", data, folder, seed)
