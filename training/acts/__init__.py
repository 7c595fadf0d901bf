"""Trains the classifier of acts: `train(data, folder, seed)` writes `acts.bin` and yields what it gets right."""

from training.acts.training_run import train

__all__ = ["train"]
