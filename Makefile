# Every target creates the virtual environment it needs. `make help` lists the targets, from the `##` comments below.
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo quick test test-slow lint hooks coverage bench bench-peers hostile faults soak crowd fuzz leaks memory statistics simulate vm clean

help:  ## print this list
	@awk -F ':.*  ## ' '/^[a-z-]+:.*  ## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(STAMP): pyproject.toml
	python3 -m venv $(VENV)
	$(PIP) --editable '.[test]'
	@touch $@

demo: $(STAMP)  ## play a tournament of every game with the sample bots, and write a web site of all of them
	rm -rf demo
	@mkdir demo; set -e; for game in $$($(BIN)/referee games | cut -f 1); do \
	  echo; echo "== $$game"; \
	  $(BIN)/referee tournament new demo/$$game.toml --like demo --game $$game > /dev/null; \
	  $(BIN)/referee tournament run demo/$$game.toml; \
	done
	@echo; echo "The end of a replay (all of it: referee replay show FILE):"
	@$(BIN)/referee replay show $$(ls demo/*-replays/*.jsonl | head -n 1) | tail -n 24
	@echo; $(BIN)/referee site export demo/*.toml --out demo/site
	@echo "The same pages from a server: $(BIN)/referee site demo"
	@echo "To play yourself: $(BIN)/referee play GAME --bot browser --bot search"

# Tests of single modules and of the rules, with few examples: seconds count in the inner loop. The sample bots' tests play
# whole matches, and so they are not among them.
QUICK := tests/unit tests/property tests/rules --ignore tests/unit/sample_bots
quick: $(STAMP) lint  ## check style, types and imports, and run the fast tests: under a minute on two cores
	HYPOTHESIS_PROFILE=quick $(BIN)/pytest -q -n 2 -m 'not slow' $(QUICK)
	@echo "Left out: tests/contract, end_to_end, browser, campaigns and unit/sample_bots. \`make test\` runs them, with more examples."

# Much of the tests' time is spent waiting for bots that are slow or silent, so four workers keep two cores busy.
# tests/scheduling.py says which worker gets which test.
WORKERS ?= 4
test: $(STAMP) lint  ## check style, types and imports, and run every test but the slow ones
	$(BIN)/pytest -n $(WORKERS) -m 'not slow'

# The properties of the games and of schedules are tried with four times as many examples as by `make test`.
test-slow: $(STAMP)  ## run the slow tests, and the properties with more examples
	$(BIN)/pytest -m slow
	HYPOTHESIS_PROFILE=slow $(BIN)/pytest -n $(WORKERS) -m 'not slow' tests/contract tests/property

# The same commands as in .pre-commit-config.yaml; tests/unit/test_habits.py compares the two.
lint: $(STAMP)  ## check style, types and import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

hooks: $(STAMP)  ## run the checks of `make lint` before every commit, by pre-commit
	$(PIP) pre-commit
	$(BIN)/pre-commit install

# A failed test does not hide the report. Bots in a sandbox and processes that are killed report nothing.
LEAST := 85
coverage: $(STAMP)  ## measure branch coverage of all tests but the slow ones, and name the modules under 85 %
	$(BIN)/coverage erase
	-$(BIN)/coverage run -m pytest -q -n $(WORKERS) -m 'not slow' $(ARGS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage html --quiet
	@$(BIN)/coverage report --sort=cover > htmlcov/report.txt; tail -n 1 htmlcov/report.txt
	@echo "Every line: htmlcov/index.html. Modules under $(LEAST) %:"
	@awk -v least=$(LEAST) '$$1 ~ /\.py$$/ && $$NF + 0 < least { print "  " $$NF "  " $$1; found = 1 } \
	  END { if (!found) print "  none" }' htmlcov/report.txt

bench: $(STAMP)  ## measure speed, as ratios in one run
	$(BIN)/python -m benchmarks

bench-peers: $(STAMP)  ## measure other referees and rules, from package registries, beside ours
	$(BIN)/python -m benchmarks.peers $(ARGS)

hostile: $(STAMP)  ## play hostile bots of every kind ten times (TIMES=…) beside honest matches: verdicts and latencies
	@$(BIN)/python -m tests.campaigns.hostile_bots $(if $(TIMES),--times $(TIMES)) $(ARGS)

faults: $(STAMP)  ## kill -9, full disks and failing writes at every point, with figures
	$(BIN)/pytest -m 'slow and faults' -s

MINUTES ?= 60
soak: $(STAMP)  ## play for an hour (MINUTES=…) and check that nothing grows
	$(BIN)/python -m benchmarks.soak --minutes $(MINUTES)

BOTS ?= 1000
crowd: $(STAMP)  ## connect a thousand bots (BOTS=…) to one daemon at once
	$(BIN)/python -m benchmarks.crowd --bots $(BOTS)

N ?= 10000
fuzz: $(STAMP)  ## feed ten thousand inputs (N=…) to every target, and as many raw connections
	$(BIN)/python -m tests.campaigns.fuzz all --inputs $(N)
	$(BIN)/python -m tests.campaigns.fuzz zmtp --inputs $(N)
	@if $(PIP) --editable '.[fuzz]'; then \
	  $(BIN)/python -m tests.campaigns.fuzz all --atheris --inputs $(N); \
	else \
	  echo "NOT RUN: atheris does not install here, so coverage guided no inputs"; \
	fi

leaks: $(STAMP)  ## search every byte of ten thousand matches (N=…) for what its reader must not know
	$(BIN)/python -m tests.campaigns.leak_search --plants
	$(BIN)/python -m tests.campaigns.leak_search --commands
	$(BIN)/python -m tests.campaigns.leak_search --matches $(N)
	$(BIN)/python -m tests.campaigns.leak_search --timing --matches 100

memory: $(STAMP)  ## simulate tournaments: how often bots that remember deals are named, and honest ones
	$(BIN)/python -m tests.campaigns.deal_memory --times 2000

statistics: $(STAMP)  ## simulate events with known truth: whether ratings, intervals, tests and schedules keep what they claim
	$(BIN)/python -m tests.campaigns.statistics $(ARGS)

simulate: $(STAMP)  ## simulate a cluster of 1,000 hosts, a million matches and a day of faults with the real organiser
	$(BIN)/python -m tests.campaigns.cluster_simulation $(ARGS)

vm: $(STAMP)  ## test what needs systemd and control groups on an emulated machine: as root, half an hour
	$(BIN)/python -m tests.campaigns.vm $(ARGS)

clean:  ## remove the virtual environment and everything that the targets wrote
	rm -rf $(VENV) demo replays htmlcov .coverage .coverage.*
