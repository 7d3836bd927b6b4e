# Needs make and Python 3.11 or newer, nothing else: everything is installed into $(VENV), pinned and checked by hash.
#   make PYTHON=/path/to/python ...   chooses the interpreter
#   make lock UPGRADE=--upgrade       moves all pins; plain `make lock` only those it must

VENV ?= .venv
BUILD ?= build
DEMO ?= permaudit-demo
PYTHONS = $(or $(PYTHON),python3.13 python3.12 python3.11 python3)
UPGRADE ?=

BIN = $(VENV)/bin
# Python compiles what is imported; to compile all that is installed would take as long as to install it.
PIP_OPTIONS = --quiet --disable-pip-version-check --no-compile
PIP_INSTALL = $(BIN)/python -m pip install $(PIP_OPTIONS)
THIS_CHECKOUT = --no-deps --no-build-isolation --editable .
COMPILE = $(BUILD)/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-annotate --custom-compile-command "make lock" $(UPGRADE)

# Some machines forbid Python to keep what it compiled: hundreds of short processes would compile all that they import.
unexport PYTHONDONTWRITEBYTECODE

.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test lint types browser picture bench schema lock wheel-test adapters clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*  ## /\1@/p' Makefile | while IFS=@ read -r target what; do \
		printf '  make %-12s %s\n' "$$target" "$$what"; done

demo: $(VENV)/.run  ## audit made-up releases and write the reports to permaudit-demo/
	$(BIN)/permaudit demo $(DEMO)

test: lint types browser  ## check style, imports and types, and run all tests
	$(BIN)/python -m pytest -n auto

lint: $(VENV)/.dev  ## check style, formatting and the direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports

types: $(VENV)/.dev  ## check the types
	$(BIN)/mypy

# Quietly, and only where it can be done without asking: the tests that need it are skipped otherwise, and say so.
browser:  ## install Chromium for the tests of the report, as root on Debian
	@{ command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null || \
	{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get -qq update && \
		DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends chromium; } >/dev/null 2>&1 || \
	echo "no Chromium, and none could be installed: the report is not tested in a browser"

picture: $(VENV)/.run  ## paint the first page of the demonstration's report for the README; needs poppler
	$(BIN)/permaudit demo $(BUILD)/picture >/dev/null
	pdftoppm -r 66 -f 1 -l 1 -singlefile -png $(BUILD)/picture/permaudit-out/report.pdf docs/report

bench: $(VENV)/.dev  ## run the benchmarks
	@for script in benchmarks/[!_]*.py; do [ ! -e "$$script" ] || { echo "$$script"; $(BIN)/python "$$script"; } || exit 1; done

# In a fresh environment, and safe from the checkout: PYTHONSAFEPATH keeps the current directory out of sys.path.
# Only what can depend on how it was installed: commands, entry points, children, and files that come with the package.
INSTALLED = $(addprefix tests/,api cli docs host isolation policy scaffold report/test_command.py report/test_html.py \
	test_packaging.py test_readme.py)

wheel-test: $(VENV)/.dev  ## build wheel and sdist, and test the installed wheel
	rm -rf $(BUILD)/wheel-test
	$(BIN)/hatchling build -d $(BUILD)/wheel-test/dist
	$(BIN)/python -m venv $(BUILD)/wheel-test/venv
	$(BUILD)/wheel-test/venv/bin/python -m pip install $(PIP_OPTIONS) --require-hashes -r constraints/dev.txt
	$(BUILD)/wheel-test/venv/bin/python -m pip install $(PIP_OPTIONS) --no-deps $(BUILD)/wheel-test/dist/*.whl
	PYTHONSAFEPATH=1 PERMAUDIT_DIST=$(abspath $(BUILD))/wheel-test/dist \
		$(BUILD)/wheel-test/venv/bin/pytest --import-mode=importlib -n auto $(INSTALLED)

# Each adapter in an environment of its own; ADAPTERS=permaudit-opendp tests that one only.
adapters: $(VENV)/.dev  ## test the adapters of other packages against these packages
	rm -rf $(BUILD)/adapters
	$(BIN)/hatchling build -t wheel -d $(BUILD)/adapters/dist
	$(BIN)/python plugins/adapters.py $(BUILD)/adapters $(BUILD)/adapters/dist/*.whl $(ADAPTERS)

schema: $(VENV)/.run  ## write the published JSON Schemas
	$(BIN)/permaudit schema audit >docs/schema/audit.schema.json
	$(BIN)/permaudit schema policy >docs/schema/policy.schema.json
	$(BIN)/permaudit schema result >docs/schema/result.schema.json

lock: $(BUILD)/lock/.made  ## pin all dependencies again, with their hashes
	$(COMPILE) --group dev --output-file constraints/dev.txt pyproject.toml
	$(COMPILE) --constraints constraints/dev.txt --output-file constraints/run.txt pyproject.toml
	printf 'hatchling\neditables\n' | $(COMPILE) --constraints constraints/dev.txt --output-file constraints/build.txt -
	for adapter in plugins/permaudit-*; do \
		$(COMPILE) --all-extras --no-emit-package permaudit --output-file $$adapter/constraints.txt \
			$$adapter/pyproject.toml || exit 1; \
		[ ! -e $$adapter/guest.in ] || $(COMPILE) --output-file $$adapter/guest.txt $$adapter/guest.in || exit 1; \
	done

clean:  ## remove what make made, but no audit's output
	rm -rf .venv build dist permaudit-demo .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find permaudit plugins templates tests benchmarks -name __pycache__ -prune -exec rm -rf {} +

# Entry points are written at installation, so a changed pyproject.toml installs again.
$(VENV)/.dev: constraints/dev.txt pyproject.toml | $(VENV)/.made
	$(PIP_INSTALL) --require-hashes -r constraints/dev.txt
	$(PIP_INSTALL) $(THIS_CHECKOUT)
	@touch $@ $(VENV)/.run

$(VENV)/.run: constraints/run.txt constraints/build.txt pyproject.toml | $(VENV)/.made
	$(PIP_INSTALL) --require-hashes -r constraints/run.txt -r constraints/build.txt
	$(PIP_INSTALL) $(THIS_CHECKOUT)
	@touch $@

$(BUILD)/lock/.made: | $(VENV)/.made
	$(BIN)/python -m venv $(BUILD)/lock
	$(BUILD)/lock/bin/python -m pip install $(PIP_OPTIONS) uv
	@touch $@

$(VENV)/.made:
	@for python in $(PYTHONS); do \
		if "$$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			echo "making $(VENV) with $$python"; \
			"$$python" -m venv $(VENV) && touch $@; exit; \
		fi; \
	done; \
	echo "permaudit needs Python 3.11 or newer with its venv module; looked for: $(PYTHONS)" >&2; \
	echo "name another one with: make PYTHON=/path/to/python $(MAKECMDGOALS)" >&2; exit 1
