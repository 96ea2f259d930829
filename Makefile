# Two commands do all the set-up: `make lab` (the core, and the lab in a browser) and `make test`
# (the core's tests). Everything lives in .venv.

PYTHON ?= $(firstword $(foreach p,python3.13 python3.12 python3.11 python3,$(shell \
	$(p) -c 'import sys; print("$(p)") if sys.version_info >= (3, 11) else None' 2>/dev/null)))
VENV := .venv
BIN := $(VENV)/bin
DEMO := demo
# Modules are compiled once and kept, not anew by each process that a test starts.
PYTEST := PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal

.PHONY: help lab demo test test-slow test-all check check-js format bench pages pins clean

help:  ## Show the targets.
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

lab: $(VENV)/.core  ## The lab in the browser, on this machine only.
	$(BIN)/rewardlab lab

demo: $(VENV)/.core  ## Doctor, fit, curve, audit and compare on the packaged sample data.
	$(BIN)/python examples/demo.py $(DEMO)

test: $(VENV)/.test  ## The core's tests, in under five minutes.
	$(PYTEST) -m "not slow and not extras"

test-slow: $(VENV)/.extras  ## What make test leaves out: simulations and extras.
	$(PYTEST) -m "slow or extras"

test-all: test test-slow  ## Every test.

check: $(VENV)/.check  ## Format, lint, strict types and layers.
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check-js: node_modules/.installed  ## Types of the lab's scripts; needs Node.
	node_modules/.bin/tsc --project jsconfig.json

format: $(VENV)/.check  ## Apply the formatter and the safe fixes.
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.test  ## Speed as ratios, side by side with the peer.
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks

pages: $(VENV)/.core  ## Write docs/systems anew, a page and a plot for each system.
	$(BIN)/python -m rewardlab.cli.pages docs/systems

pins: $(VENV)/.core  ## Solve requirements/*.txt anew from pyproject.toml.
	$(PYTHON) requirements/pin.py

clean:  ## Remove the environment and what the demo wrote.
	rm -rf $(VENV) $(DEMO) node_modules

# Each stage adds to the one before; a stamp is rebuilt when its requirements change.
$(VENV)/.python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; none was found." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.core: $(VENV)/.python requirements/core.txt pyproject.toml
	$(BIN)/python -m pip install --quiet -r requirements/core.txt
	$(BIN)/python -m pip install --quiet --no-deps --editable .
	touch $@

$(VENV)/.test: $(VENV)/.core requirements/test.txt
	$(BIN)/python -m pip install --quiet -r requirements/test.txt
	touch $@

$(VENV)/.check: $(VENV)/.test requirements/check.txt
	$(BIN)/python -m pip install --quiet -r requirements/check.txt
	touch $@

$(VENV)/.extras: $(VENV)/.test requirements/extras.txt
	$(BIN)/python -m pip install --quiet -r requirements/extras.txt
	touch $@

node_modules/.installed: package.json
	@command -v npm >/dev/null || { echo "Node with npm is needed; none was found." >&2; exit 1; }
	npm install --no-package-lock --no-audit --no-fund --silent
	touch $@
