"""These tests ask a real language model, and run only where `make test-llm` has installed one."""

import os

collect_ignore_glob = [] if os.environ.get("SONI_TEST_LLM") else ["test_*.py"]
