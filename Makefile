# Everything a newcomer needs: `make demo` and `make test` create their own virtual environment.
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test test-slow lint bench clean

$(STAMP): pyproject.toml
	python3 -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@

demo: $(STAMP)  ## the sample bots play Chicago Poker: a result table, and a replay to look at
	$(BIN)/referee play chicago-poker --bot poker --bot random --bot first --matches 6 --seed demo --replays demo
	$(BIN)/referee replay show $$(ls demo/*.jsonl | head -n 1) | tail -n 40

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: $(STAMP) lint  ## style, types, import contracts, and every test but the slow ones
	$(BIN)/pytest -n 2 -m 'not slow'

test-slow: $(STAMP)  ## the tests that take longer
	$(BIN)/pytest -m slow

bench: $(STAMP)  ## speed, as ratios in one run
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) demo replays
