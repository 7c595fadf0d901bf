"""Trains the scorer of requests: `train(data, folder, seed)` writes `requests.json` and yields what it gets right."""

from training.requests.training_run import train

__all__ = ["train"]
