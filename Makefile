# `make` tells what there is to make. Everything is installed into $(VENV), once, in the versions of constraints.txt.

PYTHON ?= python3
VENV   ?= .venv
ARGS   ?=
BIN     = $(VENV)/bin
INSTALL = $(BIN)/python -m pip install --constraint constraints.txt

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help train test proofs clean

help:
	@echo "make train   install what training needs and run train.py      ARGS=\"--config configs/maskable-ppo.toml\""
	@echo "make test    install what the tests need and run the checks    ARGS=\"tests/rules/test_numbered.py -k split\""
	@echo "make proofs  run the checks that take longest, some minutes     ARGS=\"tests/solver/test_solver_proof.py\""
	@echo "make clean   remove $(VENV) and what the tools left behind"
	@echo
	@echo "Python 3.11 or newer is found as \`$(PYTHON)\`: PYTHON=... names another, VENV=... another place to install."

train: $(VENV)/.installed-train
	$(BIN)/python train.py $(ARGS)

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n auto -m "not slow" $(ARGS)

proofs: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n auto -m slow $(ARGS)

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

$(VENV)/.installed-train: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) --editable ".[train]"
	@touch $@

$(VENV)/.installed-test: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) --editable ".[train,dev]"
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, $(PYTHON) is %s: try make PYTHON=python3.11" % sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)
