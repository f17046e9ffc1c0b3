# What a person needs is in `make help`. Every target sets up what it needs, once.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

BIN := .venv/bin
STAMP := .venv/.installed
# Containers mostly wait for the engine, so more workers than cores pay off there; figures in docs/adr/0002-toolchain.md.
QUICK_WORKERS ?= 2
ENGINE_WORKERS ?= 3
PYTEST := $(BIN)/python -m pytest
# What hangs says where and fails its test, and the others go on; a heavy test may take longer (pyproject.toml).
QUICK_LIMIT := -o faulthandler_timeout=120
QUICK := not engine and not prefect and not postgres and not browser and not gvisor and not slow and not live
HEAVY := (engine or prefect or postgres or browser or slow) and not gvisor and not live
# A file's tests share what is expensive, so one worker has them; in the order of tests/schedule.py, the longest first.
LONGEST_FIRST := --dist loadfile --no-loadscope-reorder
COV := --cov --cov-append --cov-report= --cov-fail-under=0
# Tests never skip for want of an engine; the variable says so to anything that would rather ask.
export REFUTE_REQUIRE_ENGINE := 1
export DO_NOT_TRACK := 1
# Where it is set, every worker and every process of a test would compile this checkout anew.
unexport PYTHONDONTWRITEBYTECODE
export PREFECT_SERVER_ANALYTICS_ENABLED := false

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

$(STAMP): requirements.lock pyproject.toml scripts/setup.sh
	@scripts/setup.sh

.PHONY: setup engine image postgres browser
setup: $(STAMP) ## make .venv from the lock
engine: ## make sure that a container engine answers
	@scripts/ensure-engine.sh
image: setup engine ## build the sandbox image (cached)
	@$(BIN)/refute image build
postgres: ## make sure that a PostgreSQL for tests and trials answers; prints its URL
	@scripts/ensure-postgres.sh
browser: ## make sure that a Chromium for the browser tests is there
	@scripts/ensure-browser.sh

.PHONY: demo
demo: image ## the sample tickets with the built-in tester; no key needed
	@$(BIN)/refute demo

.PHONY: test test-quick test-engine quick-covered prepared
test: setup ## all tests, with combined branch coverage
	@rm -f .coverage .coverage.*
	@$(MAKE) --no-print-directory -j2 quick-covered prepared
	$(PYTEST) -n $(ENGINE_WORKERS) $(LONGEST_FIRST) $(COV) -m "$(HEAVY)"
	$(BIN)/coverage report
quick-covered: setup
	$(PYTEST) -n $(QUICK_WORKERS) $(QUICK_LIMIT) $(COV) -m "$(QUICK)"
prepared: setup # what the other tests need is fetched and built while the quick ones run
	@told=$$($(MAKE) --no-print-directory -j1 image postgres browser 2>&1) || { echo "$$told"; exit 1; }
test-quick: setup ## the tests that need no engine and no Prefect
	$(PYTEST) -n $(QUICK_WORKERS) $(QUICK_LIMIT) -m "$(QUICK)"
test-engine: image postgres browser ## the tests that need containers, Prefect, PostgreSQL or a browser
	$(PYTEST) -n $(ENGINE_WORKERS) $(LONGEST_FIRST) -m "$(HEAVY)"

.PHONY: containment conformance endurance gvisor
containment: image ## run the hostile suite and write docs/containment.md from it
	$(BIN)/python -m tests.hostile.page
conformance: image ## what any engine must do; REFUTE_RUNTIME=runsc for another runtime
	$(PYTEST) -n $(ENGINE_WORKERS) --dist loadfile tests/conformance
gvisor: image ## everything on --runtime runsc, on an engine of its own (apt-get install runsc); writes docs/containment-runsc.md
	$(PYTEST) -m gvisor
	$(BIN)/python -m tests.fakes.gvisor $(PYTEST) tests/conformance tests/hostile/test_deceptions.py
	$(BIN)/python -m tests.fakes.gvisor $(BIN)/python -m tests.hostile.page
endurance: image ## 1,000 jobs and 20 kills at random moments: what is left on the engine
	$(BIN)/python -m benchmarks.endurance

.PHONY: worker-image manifests
worker-image: setup engine ## build the image of server and worker from what is committed
	@scripts/worker-image.sh
manifests: setup ## check manifests and the GitHub action against their published schemas (fetches 100 MB once)
	$(BIN)/uv tool run kubernetes-validate@1.37.0 --strict deployments/kubernetes/*.yaml
	$(BIN)/uv tool run check-jsonschema@0.39.0 --builtin-schema vendor.github-actions deployments/github/action.yml

.PHONY: check format
check: setup ## lint, format, types, layers
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
format: setup ## let ruff fix and format
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

.PHONY: lock
lock: setup ## resolve pyproject.toml and the image's requirements again
	@scripts/lock.sh

.PHONY: clean
clean: ## remove .venv and caches; the engine, its images and your data stay
	rm -rf .venv .venv.lock .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage .coverage.* htmlcov
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
