# SPDX-License-Identifier: Apache-2.0
# Everything runs in .venv, which is made on first use and kept until pyproject.toml or constraints.txt changes.

BIN := .venv/bin
ILL := examples/captures/ill-agent.jsonl.gz
export PYTHON  # which Python makes .venv; by default the first that will do
PYTEST := $(BIN)/pytest -n 2 --cov --cov-report=term

.PHONY: demo test test-all lint bench docs setup clean

demo: .venv/.ready  ## judge a recorded agent that is really ill (its exit code says how ill; here that is no failure)
	@$(BIN)/otel-health check $(ILL); test $$? -le 2

test: lint  ## everything that must hold before a commit
	$(PYTEST) -m "not slow"

test-all: lint  ## the same and the soaks
	$(PYTEST)

lint: .venv/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv/.ready  ## ratios of one run; ONLY="window journal" picks
	@$(BIN)/python -m benchmarks.run $(ONLY)

docs: .venv/.ready  ## write docs/reference from the declarations in the code
	$(BIN)/python -m docs.generate

setup: .venv/.ready

.venv/.ready: pyproject.toml constraints.txt
	@.ci/venv
	@touch $@

clean:
	rm -rf .venv build dist htmlcov .coverage .coverage.* .hypothesis .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
