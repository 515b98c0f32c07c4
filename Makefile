# Everything is set up on first use: a virtual environment in .venv with the versions of requirements.lock.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11, 5))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
# One thread of OpenBLAS a worker: more of them wait for one another. A worker more than processors, since tests wait, too.
# Modules are compiled once, whatever the environment says: tests start many processes.
PYTEST := PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses
CORES := $(shell $(PYTHON) -c "import os; print(min(8, os.cpu_count() or 2))" 2>/dev/null)

.PHONY: demo test test-rest test-all conformance sbom audit mcpb typescript committed release vendor services services-stop check format benchmark evals lock golden clean

demo: .venv/.ready  ## the main job end to end on the sample corpus
	@$(BIN)/remembrancer demo

test: .venv/.ready  ## what every change passes, in a quarter of an hour; needs neither Java nor Maven
	$(PYTEST) $(shell expr $(CORES) + 1) -m "not servers and not exhaustive and not browser"

test-rest: .venv/.ready  ## what `test` leaves out, in three quarters of an hour: Neo4j, which `make services` brings, a browser, kills at more points, soaks
	$(PYTEST) $(shell expr $(CORES) + 1) -m "servers or exhaustive or browser"

test-all: test test-rest  ## all tests, in an hour

conformance: .venv/.ready tests/conformance/node_modules  ## the official MCP conformance suite and the Inspector; needs npm
	$(PYTEST) 0 tests/conformance

sbom: .venv-release/.ready  ## what an installation holds, with licences, as CycloneDX in dist/sbom.json
	@$(PYTHON) -m venv --clear --without-pip dist/installation
	@.venv-release/bin/pip --python dist/installation install --quiet --disable-pip-version-check --require-hashes -r service.lock
	.venv-release/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --of JSON \
		--output-file dist/sbom.json dist/installation/bin/python
	@$(PYTHON) -m release.licences dist/sbom.json dist/installation/lib/*/site-packages
	@rm -rf dist/installation

# The vulnerability of Chroma's Python server, which is not installed: docs/dependencies.md.
audit: .venv/.ready .venv-release/.ready  ## known vulnerabilities: of a packed list, then of PyPI's own, which needs the network
	$(PYTEST) 0 tests/test_dependencies.py
	.venv-release/bin/pip-audit --strict --require-hashes --disable-pip -r service.lock --ignore-vuln CVE-2026-45829

mcpb:  ## the committed sources as one file for clients that install MCP bundles, in dist
	@mkdir -p dist
	git archive --format zip --output dist/remembrancer.mcpb --add-file plugins/mcpb/manifest.json HEAD \
		pyproject.toml hatch_build.py README.md LICENSE server.py core graph ingest remembrancer retrieval samples service web

typescript: .venv/.ready clients/typescript/node_modules  ## the TypeScript client, made from the description of the HTTP API, in dist; needs npm
	@mkdir -p dist && rm -f dist/*.tgz
	$(BIN)/python -m release.openapi clients/typescript/openapi.json
	cd clients/typescript && npm run --silent generate && npm run --silent build && npm pack --silent --pack-destination ../../dist

committed:
	@git diff --quiet HEAD || { echo "Commit or stash your changes: a release is made of what is committed."; exit 1; }

release: committed .venv-release/.ready sbom mcpb typescript  ## all that is published, from what is committed, in dist, each part tried in a clean environment
	@rm -rf dist/site dist/*.whl dist/*.tar.gz
	.venv-release/bin/python -m build --outdir dist
	git archive --format zip --output dist/remembrancer-claude-code.zip HEAD:plugins/claude-code
	git archive --format tar.gz --output dist/remembrancer-image.tar.gz HEAD \
		$$(sed -n 's/^!//p' .dockerignore) .dockerignore Dockerfile compose.yaml
	.venv-release/bin/python -m release.site dist/site
	.venv-release/bin/python -m release

vendor: tests/web/node_modules  ## bring the libraries of the graph browser again, in the versions of its lock; needs npm
	cp $</cytoscape/dist/cytoscape.esm.min.mjs web/vendor/
	cp $</cytoscape/LICENSE web/vendor/cytoscape.LICENSE

services: .venv/.ready  ## a Neo4j and a Chroma server for tests and trying out; needs Maven and a JDK
	@$(BIN)/python -m servers start

services-stop: .venv/.ready
	@$(BIN)/python -m servers stop

check: .venv/.ready  ## style, types, the direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/.ready
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

benchmark: .venv/.ready  ## speed, as ratios within one process
	$(BIN)/python -m benchmarks

evals: .venv/.ready  ## how well recall and extraction find; what extraction finds is kept in docs/extraction.md
	$(BIN)/python -m evals; recall=$$?; $(BIN)/python -m evals.extraction --write && exit $$recall

lock: .venv/.ready  ## take up newer versions of the libraries
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --group dev --universal --python-version 3.11.5 --generate-hashes \
		--no-emit-index-url --no-header --upgrade --output-file requirements.lock
	$(BIN)/uv pip compile pyproject.toml --extra neo4j-rust --constraint requirements.lock --universal \
		--python-version 3.11.5 --generate-hashes --no-emit-index-url --no-header --no-annotate --output-file service.lock
	$(BIN)/uv pip compile --group release --universal --python-version 3.11.5 --generate-hashes \
		--no-emit-index-url --no-header --no-annotate --upgrade --output-file release.lock

golden: .venv/.ready  ## homes for upgrade tests, as this release keeps them, in tests/golden/homes; needs the Neo4j of `services`
	$(BIN)/python -m tests.golden.making

clean:
	rm -rf .venv .venv-release dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

tests/conformance/node_modules: tests/conformance/package-lock.json
tests/web/node_modules: tests/web/package-lock.json
clients/typescript/node_modules: clients/typescript/package-lock.json
tests/conformance/node_modules tests/web/node_modules clients/typescript/node_modules:
	cd $(@D) && npm ci
	@touch $@

.venv-release/.ready: release.lock
	@$(PYTHON) -m venv .venv-release
	@.venv-release/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r release.lock
	@touch $@

.venv/.ready: requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11.5 or newer is needed: install it, or run make PYTHON=/path/to/python"; exit 1; }
	@echo "Setting up .venv, about a minute the first time ..."
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@
