# Everything a newcomer needs: `make demo` and `make test` create their own virtual environment.
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test test-slow lint bench hostile faults soak crowd fuzz leaks vm clean

$(STAMP): pyproject.toml
	python3 -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@

demo: $(STAMP)  ## the sample bots play a tournament of every game: ratings, and reports to look at
	rm -rf demo
	@mkdir demo; set -e; for game in $$($(BIN)/referee games | cut -f 1); do \
	  echo; echo "== $$game"; \
	  $(BIN)/referee tournament new demo/$$game.toml --like demo --game $$game > /dev/null; \
	  $(BIN)/referee tournament run demo/$$game.toml --html demo/$$game.html; \
	done
	@echo; echo "The end of a replay (the whole of it: referee replay show FILE):"
	@$(BIN)/referee replay show $$(ls demo/*-replays/*.jsonl | head -n 1) | tail -n 24
	@echo; echo "Reports to open in a browser:"; ls demo/*.html

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

hostile: $(STAMP)  ## hostile bots of every kind, ten times, beside honest matches: verdicts, and latencies as ratios
	@$(BIN)/python -m tests.campaigns.hostile_bots $(if $(TIMES),--times $(TIMES)) $(ARGS)

faults: $(STAMP)  ## kill -9, full disks, failing writes: every point, with the figures
	$(BIN)/pytest -m 'slow and faults' -s

MINUTES ?= 60
soak: $(STAMP)  ## play for an hour (MINUTES=…): nothing may grow
	$(BIN)/python -m benchmarks.soak --minutes $(MINUTES)

BOTS ?= 1000
crowd: $(STAMP)  ## a thousand bots (BOTS=…) connected to one daemon at once
	$(BIN)/python -m benchmarks.crowd --bots $(BOTS)

N ?= 10000

fuzz: $(STAMP)  ## N inputs for every target, then N raw connections
	$(BIN)/python -m tests.campaigns.fuzz all --inputs $(N)
	$(BIN)/python -m tests.campaigns.fuzz zmtp --inputs $(N)
	@if $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'; then \
	  $(BIN)/python -m tests.campaigns.fuzz all --atheris --inputs $(N); \
	else \
	  echo "NOT RUN: atheris does not install here, so no inputs were guided by coverage"; \
	fi

leaks: $(STAMP)  ## the canary run: N matches, every byte searched for what its reader must not know
	$(BIN)/python -m tests.campaigns.leak_search --plants
	$(BIN)/python -m tests.campaigns.leak_search --commands
	$(BIN)/python -m tests.campaigns.leak_search --matches $(N)
	$(BIN)/python -m tests.campaigns.leak_search --timing --matches 100

vm: $(STAMP)  ## what needs systemd and control groups, on an emulated machine: as root, half an hour
	$(BIN)/python -m tests.campaigns.vm $(ARGS)

clean:
	rm -rf $(VENV) demo replays
