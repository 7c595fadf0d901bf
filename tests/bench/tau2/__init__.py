"""A shop's policy as an assistant, measured on the retail domain of τ²-bench: `python -m tests.bench.tau2 --data FOLDER`."""
