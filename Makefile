# make demo    ask three questions of the shipped sample    make check     formatting, lint, types, unit tests
# make test    the tests on the default install             make test-all  the same with every extra, then on other Pythons
# make studio  LangGraph Studio's server                    make size      how big the default install is
# make bench   the three schedules, side by side          make results   every method on the sets kept for reporting
# make clean   remove what make and the tools made

PYTHON ?= python3
VENV ?= .venv
VENV_ALL := .venv-all
OTHER_PYTHONS := 3.12 3.13
REPORTS := .reports

BIN := $(VENV)/bin
PIP := -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable
PYTEST := python -m pytest -q
SUITE := tests/unit tests/contract tests/e2e

.DEFAULT_GOAL := help
.PHONY: help demo test test-all check studio bench results size clean

help:
	@sed -n '1,/^$$/s/^# //p' Makefile

demo: $(VENV)/.core
	@$(BIN)/lookahead demo

test: $(VENV)/.test
	@$(BIN)/$(PYTEST) $(SUITE) --junitxml=$(REPORTS)/test$(subst .venv,,$(notdir $(VENV))).xml

test-all: $(VENV_ALL)/.all
	@$(VENV_ALL)/bin/python -m tests.integration.ollama_build
	@$(VENV_ALL)/bin/python -m tests.integration.neo4j_build
	@$(VENV_ALL)/bin/$(PYTEST) tests --junitxml=$(REPORTS)/test-all.xml
	@for version in $(OTHER_PYTHONS); do \
	  found=; \
	  for python in $$(command -v python$$version) $$(ls -d $$HOME/.pyenv/versions/$$version.*/bin/python 2>/dev/null | sort -rV); do \
	    if $$python -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$$version')" 2>/dev/null; then found=$$python; break; fi; \
	  done; \
	  if [ -z "$$found" ]; then echo "NOT RUN on Python $$version: none found on PATH or in ~/.pyenv/versions."; continue; fi; \
	  echo "Python $$version ($$found):"; \
	  $(MAKE) --no-print-directory test PYTHON=$$found VENV=.venv-$$version || exit 1; \
	done

check: $(VENV)/.check
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/$(PYTEST) -n auto tests/unit

PORT ?= 2024

# Runs side by side instead of one by one, and no call to anyone's server unless LANGSMITH_TRACING asks for it.
studio: $(VENV)/.studio
	@echo "Studio: https://smith.langchain.com/studio/?baseUrl=http://127.0.0.1:$(PORT)"
	@echo "Page:   http://127.0.0.1:$(PORT)/"
	@LANGGRAPH_CLI_NO_ANALYTICS=1 LANGGRAPH_NO_VERSION_CHECK=true LANGSMITH_TRACING=$${LANGSMITH_TRACING:-false} \
	  $(BIN)/langgraph dev --port $(PORT) --n-jobs-per-worker 10 $(ARGS)

bench: $(VENV)/.test
	@$(BIN)/python -m tests.bench.schedules

# Where the data sets are, and where the runs go: killed, it goes on with the same command.
DATA ?= ../shared/data
RUNS ?= benchmarks
BENCH = LOOKAHEAD_AUTO=embedded $(VENV_ALL)/bin/lookahead bench
METHODS := lookahead,standard_rag,ranked_rag,multi_query,sequential_plan,oracle
SWITCHES := prune,probe,bind,reader,rerank,compress,check,fallback,schedule
STEPS := --experiments tests/bench/react_steps.yaml

results: $(VENV_ALL)/.all
	@$(BENCH) --file $(DATA)/hotpotqa/bench.json.gz --methods $(METHODS) $(STEPS) --out $(RUNS)/hotpotqa
	@$(BENCH) --file $(DATA)/2wikimultihopqa/dev.json.gz --methods $(METHODS) $(STEPS) --ablate $(SWITCHES) \
	  --latency-sample 30 --out $(RUNS)/2wiki
	@$(BENCH) --file $(DATA)/musique/dev.jsonl.gz --methods $(METHODS) $(STEPS) --ablate $(SWITCHES) \
	  --latency-sample 30 --out $(RUNS)/musique
	@cat $(DATA)/musique/dev.jsonl.gz $(DATA)/musique/unanswerable.jsonl.gz > $(RUNS)/musique_and_unanswerable.jsonl.gz
	@$(BENCH) --file $(RUNS)/musique_and_unanswerable.jsonl.gz --corpus given --methods lookahead,standard_rag \
	  --latency-sample 0 --out $(RUNS)/abstention
	@$(BENCH) --file $(DATA)/hotpotqa/bench.json.gz --sample 300 --methods lookahead --ablate $(SWITCHES) \
	  --latency-sample 30 --out $(RUNS)/ablation
	@$(BENCH) --file $(DATA)/hotpotqa/bench.json.gz --sample 100 --methods lookahead,standard_rag,ranked_rag $(STEPS) \
	  --simulate groq --out $(RUNS)/simulated
	@$(VENV_ALL)/bin/lookahead bench record \
	  $(addprefix $(RUNS)/,hotpotqa 2wiki musique abstention ablation simulated) \
	  --out evaluation/RESULTS.md

size: $(VENV)/.core
	@du -sm $(VENV) | sed 's/[^0-9].*/ MB/; s/^/$(VENV): /'

clean:
	rm -rf .venv .venv-* $(REPORTS) build *.egg-info .langgraph_api .mypy_cache .pytest_cache .ruff_cache .hypothesis

# An environment is made once, and brought up to date when one of these two files changes.
$(VENV)/.core: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit(1)' 2>/dev/null || { echo \
	  "LookaheadRAG needs Python 3.11 or newer, and '$(PYTHON)' is not: name one, as in 'make PYTHON=python3.12 $(MAKECMDGOALS)'." >&2; \
	  exit 1; }
	@echo "Installing into $(VENV) (once, under a minute) ..."
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python $(PIP) .
	@touch $@

$(VENV)/.test: $(VENV)/.core
	@$(BIN)/python $(PIP) '.[test]'
	@touch $@

$(VENV)/.check: $(VENV)/.test
	@$(BIN)/python $(PIP) '.[test,check]'
	@touch $@

$(VENV)/.studio: $(VENV)/.core
	@$(BIN)/python $(PIP) '.[studio]'
	@touch $@

$(VENV_ALL)/.all: pyproject.toml constraints.txt
	@echo "Installing every extra into $(VENV_ALL) (once; torch is several gigabytes and takes minutes) ..."
	@test -x $(VENV_ALL)/bin/pip || $(PYTHON) -m venv $(VENV_ALL)
	@$(VENV_ALL)/bin/python $(PIP) '.[all,test,browser]'
	@touch $@
