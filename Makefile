# The few commands that everyone runs. Each makes the environment in .venv, installs what it needs, and does its job.
#   make site     the website, from runs/ into site/           make serve   the same, served with reload
#   make check    lint, types, import contracts, recorded data
#   make test     the same, and the tests, in minutes; SLOW=yes takes those in that start processes or build again, as .ci/run does
#   make test-all    the same, and the tests that need the whole site or all that is recorded
#   make environment    what the tests need, installed
#   make bench    measure this machine, show it on the site    make perf    speed and size, as ratios in one run
#   make same BASE=COMMIT    build that commit and this state from empty caches and compare every byte
# TORCH=no leaves PyTorch, JAX and their tests out. ARGS="..." is handed on, as in: make site ARGS="--base-url https://example.org/bench"

# The first Python that runs and is new enough; constraints.txt was made with 3.11. A name on the PATH alone says little: it may be a shim.
PYTHON ?= $(shell for name in python3.11 python3.12 python3.13 python3; do \
	"$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo "$$name"; break; }; done)
TORCH ?= yes
SLOW ?= no
ARGS ?=
VENV := .venv
PY := $(VENV)/bin/python
# Python compiles what is imported, a third of what is installed.
PIP := $(PY) -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt
PROJECT := pyproject.toml constraints.txt

ifeq ($(TORCH),no)
TEST_EXTRAS := site,test
TEST_MARKS := not torch and not jax
else
TEST_EXTRAS := site,test,torch,jax
TEST_MARKS :=
endif
PYTEST := $(PY) -m pytest -n logical --dist loadfile --no-loadscope-reorder
# Kept whatever the shell says: tests start many processes, and each would compile all modules again.
export PYTHONDONTWRITEBYTECODE :=

CHECKS := check-types check-style check-contracts check-forms check-records

.PHONY: site serve environment test test-all check $(CHECKS) test-most test-each bench perf same clean
.DELETE_ON_ERROR:

site: $(VENV)/.have-site
	$(PY) build.py $(ARGS)

serve: $(VENV)/.have-site
	$(PY) build.py --serve $(ARGS)

environment: $(VENV)/.have-test-$(TORCH)

# Two at a time: the types alone take as long as the rest.
check: $(VENV)/.have-test-$(TORCH)
	@$(MAKE) --no-print-directory -j 2 $(CHECKS)

check-types:
	$(PY) -m mypy

check-style:
	$(PY) -m ruff check .
	$(PY) -m ruff format --check --quiet .

check-contracts:
	$(VENV)/bin/lint-imports

check-forms:
	$(VENV)/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(VENV)/bin/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff

check-records:
	$(PY) -m kernels check

# The short checks come first, then the tests, all beside the types: tests leave a core idle while they wait for a browser or a process.
test: $(VENV)/.have-test-$(TORCH)
	@$(MAKE) --no-print-directory -j 2 $(CHECKS) test-most

test-all: $(VENV)/.have-test-$(TORCH)
	@$(MAKE) --no-print-directory -j 2 $(CHECKS) test-each

test-most:
	$(PYTEST) -m "not whole$(if $(filter no,$(SLOW)), and not slow)$(if $(TEST_MARKS), and $(TEST_MARKS))" $(ARGS)

test-each:
	$(PYTEST) -m "$(TEST_MARKS)" $(ARGS)

# --again: what is recorded may be of another machine of the same name. After Ctrl-C the same command goes on.
bench: $(VENV)/.have-torch
	$(PY) -m kernels run --suite quick --again --site $(ARGS)

perf: $(VENV)/.have-test-$(TORCH)
	$(PY) -m tests.perf $(ARGS)

# ARGS="--lang en,ja --draft" compares less, in less time.
same: $(VENV)/.have-site
	@test -n "$(BASE)" || { echo "say which commit to compare with: make same BASE=COMMIT" >&2; exit 2; }
	$(PY) -m tests.same "$(BASE)" $(ARGS)

clean:
	rm -rf $(VENV) .cache

$(PY):
	@test -n "$(PYTHON)" || { echo "no Python of 3.11 or newer found: install one, or say make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is no Python of 3.11 or newer: say make PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV) || { echo "venv failed: on Debian and Ubuntu install python3-venv" >&2; exit 1; }

$(VENV)/.have-site: $(PROJECT) | $(PY)
	@echo "installing what the site needs into $(VENV) (once)"
	$(PIP) -e ".[site]"
	@touch $@

$(VENV)/.have-torch: $(PROJECT) | $(PY)
	@echo "installing what measuring needs into $(VENV) (once)"
	$(PIP) -e ".[site,torch,nvml]"
	@touch $@

$(VENV)/.have-test-$(TORCH): $(PROJECT) | $(PY)
	@echo "installing what the tests need into $(VENV) (once)"
	$(PIP) -e ".[$(TEST_EXTRAS)]"
	@touch $@ $(VENV)/.have-site
