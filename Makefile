# Four commands for who works on the code; PYTHON is the interpreter of its environment.
PYTHON ?= python

.PHONY: check test test-all test-faults bench

check:
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m ruff check .
	$(PYTHON) -m pyright --pythonpath "$$($(PYTHON) -c 'import sys; print(sys.executable)')"

test:
	$(PYTHON) -m pytest -q

test-all:
	$(PYTHON) -m pytest -q -m "slow or not slow"

test-faults:
	$(PYTHON) -m pytest -q tests/faults -m "slow or not slow"

bench:
	PYTHONPATH=. $(PYTHON) benchmarks/population.py
	PYTHONPATH=. $(PYTHON) benchmarks/activations.py
