"""Trains the encoder of requests: `train(data, folder, seed)` writes its ONNX file and yields what it gets right."""

from training.encoder.training_run import train

__all__ = ["train"]
