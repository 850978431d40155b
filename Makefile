# `make` lists the targets. Everything is installed into $(VENV), once, in the versions of constraints.txt.

PYTHON ?= python3
VENV   ?= .venv
ARGS   ?=
BIN     = $(VENV)/bin
INSTALL = $(BIN)/python -m pip install --constraint constraints.txt

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help train play terminal test proofs docs clean

help:
	@echo "make train     train an agent and write its report        ARGS=\"--config configs/maskable-ppo.toml\""
	@echo "make play      play at a table in the browser             ARGS=\"--port 8001\""
	@echo "make terminal  play at a table in the terminal            ARGS=\"--seats you,basic\""
	@echo "make test      run all checks but the slow ones           ARGS=\"tests/rules -k split\""
	@echo "make proofs    run the slow checks                        ARGS=\"tests/solver\""
	@echo "make docs      serve the documentation at localhost:8001  ARGS=\"--dev-addr localhost:8002\""
	@echo "make clean     remove $(VENV) and generated files"
	@echo
	@echo "Each installs what it needs. Python 3.11 or newer is found as \`$(PYTHON)\`; PYTHON=... names another,"
	@echo "VENV=... another place to install."

train: $(VENV)/.installed
	$(BIN)/python train.py $(ARGS)

play: $(VENV)/.installed
	$(BIN)/bj table $(ARGS)

terminal: $(VENV)/.installed
	$(BIN)/bj play $(ARGS)

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n auto -m "not slow" $(ARGS)

proofs: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n auto -m slow $(ARGS)

docs: $(VENV)/.installed-dev
	$(BIN)/mkdocs serve --dev-addr localhost:8001 $(ARGS)

clean:
	rm -rf $(VENV) build dist site .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) --editable ".[train,play,multi]"
	@touch $@

$(VENV)/.installed-dev: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) --editable ".[train,play,multi,dataset,docs,dev]"
	@touch $@ $(VENV)/.installed

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, $(PYTHON) is %s: try make PYTHON=python3.11" % sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)
