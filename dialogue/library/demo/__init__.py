"""The demo bank and the demo library: documents, Python actions, people and rows."""
