# SPDX-License-Identifier: Apache-2.0
# `make run` and `make test` install what is missing; everything else expects it to be there.
SHELL = /bin/sh
.DEFAULT_GOAL = build
.PHONY: build run test check fuzz static bench lint format generate catalog gates unit api clean help deps

.NOTPARALLEL:

NINJA = ninja --quiet
LISTEN ?= 127.0.0.1:9000
FUZZ_SECONDS ?= 10
SANITIZE = -Db_sanitize=address,undefined -Db_lundef=false
export FUZZ_SECONDS
export ASAN_OPTIONS ?= detect_stack_use_after_return=1:strict_string_checks=1
export UBSAN_OPTIONS ?= print_stacktrace=1:halt_on_error=1

build: build/build.ninja ## build/agent-sandbox-server and build/abx
	@$(NINJA) -C build

run: ## install what is missing, build, start the server on 127.0.0.1:9000
	@tools/install-deps build
	@echo "Building (two minutes the first time) …"
	@$(MAKE) --no-print-directory build
	@tools/run-server $(LISTEN)

test: ## install what is missing, build, gates, unit tests, API tests
	@tools/install-deps test
	@tools/venv
	@$(MAKE) --no-print-directory build gates unit api

check: ## the other compiler, sanitizers over the whole suite, fuzz targets, the static file
	@tools/install-deps check
	@tools/venv
	@$(MAKE) --no-print-directory build-clang/build.ninja build-asan/build.ninja
	@echo "== clang"
	@$(NINJA) -C build-clang
	@tools/run-unit build-clang
	@echo "== sanitizers"
	@$(NINJA) -C build-asan
	@tools/run-unit build-asan
	@ABX_TEST_CHECK=1 tools/run-api build-asan/agent-sandbox-server
	@echo "== fuzz, $(FUZZ_SECONDS) s each"
	@$(MAKE) --no-print-directory fuzz
	@echo "== static"
	@$(MAKE) --no-print-directory static
	@ABX_TEST_STATIC=build-static/agent-sandbox-server tools/run-api build-static/agent-sandbox-server tests/api/test_static.py

fuzz: build-fuzz/build.ninja ## each fuzz target for FUZZ_SECONDS
	@$(NINJA) -C build-fuzz
	@tools/run-fuzz build-fuzz

static: ## build-static/agent-sandbox-server, one file that needs nothing
	@tools/install-deps static
	@$(MAKE) --no-print-directory build-static/build.ninja
	@$(NINJA) -C build-static
	@tools/check-static build-static/agent-sandbox-server

gates: ## layers, rules, format, drift of generated files
	@tools/check-rules
	@tools/check-layers
	@tools/check-format
	@tools/check-drift

unit: build/build.ninja ## unit tests
	@tools/run-unit build

api: ## API tests against build/agent-sandbox-server
	@tools/run-api build/agent-sandbox-server

bench: ## figures, ours against a floor or a peer, of the static file
	@tools/install-deps bench
	@$(MAKE) --no-print-directory build static
	@$(NINJA) -C build figures
	@bench/run

generate: build ## write catalog/, the generated parts of the clients, docs/reference
	@tools/check-drift --write

catalog: build ## build/release: the catalog and OpenAPI as a release carries them
	@tools/release-catalog

lint: ## lengths and complexity, printed only
	@tools/lint

format: ## let clang-format write the C files
	@tools/check-format --fix

deps: ## install everything that any target needs
	@tools/install-deps check

clean: ## remove what was built
	rm -rf build build-clang build-asan build-fuzz build-static

help: ## this
	@sed -n 's/^\([a-z]*\):.*## /\1#/p' Makefile | awk -F'#' '{ printf "  make %-9s %s\n", $$1, $$2 }'

build/build.ninja:
	@CC=gcc meson setup build >/dev/null || { cat build/meson-logs/meson-log.txt | tail -n 20; exit 1; }
build-clang/build.ninja:
	@CC=clang-14 meson setup build-clang >/dev/null || { tail -n 20 build-clang/meson-logs/meson-log.txt; exit 1; }
build-asan/build.ninja:
	@CC=gcc meson setup build-asan $(SANITIZE) >/dev/null || { tail -n 20 build-asan/meson-logs/meson-log.txt; exit 1; }
build-fuzz/build.ninja:
	@CC=clang-14 meson setup build-fuzz -Dfuzz=true $(SANITIZE) >/dev/null || { tail -n 20 build-fuzz/meson-logs/meson-log.txt; exit 1; }
build-static/build.ninja:
	@CC=gcc meson setup build-static -Dstatic=true -Ddebug=false >/dev/null || { tail -n 20 build-static/meson-logs/meson-log.txt; exit 1; }
