"""Sentence embeddings, where the extra `embedded` is installed. Nothing here is imported before the first use."""
