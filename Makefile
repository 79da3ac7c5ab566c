# Commands for who works on the code; PYTHON is the interpreter of its environment.
PYTHON ?= python

.PHONY: check test test-all test-faults
.PHONY: bench bench-quick bench-growth bench-activations bench-accelerator

check:
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m ruff check .
	$(PYTHON) -m pyright --pythonpath "$$($(PYTHON) -c 'import sys; print(sys.executable)')"

test:
	$(PYTHON) -m pytest -q -n auto

test-all:
	$(PYTHON) -m pytest -q -n auto -m "slow or not slow"

test-faults:
	$(PYTHON) -m pytest -q -n auto tests/faults -m "slow or not slow"

bench:
	$(PYTHON) -m benchmarks.population

bench-quick:
	$(PYTHON) -m benchmarks.population --quick

bench-growth:
	$(PYTHON) -m benchmarks.growth

bench-activations:
	$(PYTHON) -m benchmarks.activations

bench-accelerator:
	$(PYTHON) -m benchmarks.accelerator
