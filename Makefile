# The front door. Every target first installs and builds what is missing.

export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
JOBS ?= $(shell nproc)

.PHONY: all setup configure build demo test check bench simulate tidy format clean

all: build

setup:
	@tools/setup
	@tools/build_third_party

configure: setup
	@test -f build/release/build.ninja || cmake --preset release >build/configure.log || { cat build/configure.log; exit 1; }
	@ln -sfn release/bin build/bin

build: configure
	@cmake --build build/release -j $(JOBS)

# The main job on a copy of examples/workspace: search, edit, review, a person's edit colliding,
# merge, submit, log.
demo: configure
	@cmake --build build/release -j $(JOBS) --target staged
	@examples/demo

test: build
	@ctest --test-dir build/release -j $(JOBS) --output-on-failure --no-tests=error

# Sanitizers, fuzzing, clang-tidy, longer simulation: see tools/check. STEPS names some of them.
check: build
	@tools/check $(STEPS)

bench: build
	@bench/run

# SEEDS random histories beyond those of `make test`, from a random seed, or from STAGED_SEED. It prints
# which; a failure names its own, and STAGED_SEED alone plays that one again.
SEEDS ?= 10000
simulate: build
	@STAGED_SIMULATION_SEEDS=$(SEEDS) build/bin/simulation_tests --gtest_filter='WorkspaceRandomTest.*'

tidy: build
	@ctest --test-dir build/release -L tidy --output-on-failure

format:
	@git ls-files '*.h' '*.cc' | xargs clang-format-19 -i

clean:
	rm -rf build
