"""A shop's policy as an assistant, measured on the retail domain of τ²-bench; `__main__.py` has the command."""
