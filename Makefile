# Builds Vicinity. See README.md; `make help` lists the targets.
#
# The OpenMP library is a Rust static library that the C compiler links into a shared object: the
# symbol versions of libgomp and libomp need a version script and .symver, which cargo's own
# shared libraries cannot carry (docs/decisions/001-linking.md).

CC      ?= cc
CARGO   ?= cargo
PREFIX  ?= /usr/local
DESTDIR ?=

TARGET  := $(if $(CARGO_TARGET_DIR),$(CARGO_TARGET_DIR),target)
DIST    := $(TARGET)/dist
BUILD   := $(TARGET)/link
RELEASE := $(TARGET)/release
TOOLS   := $(TARGET)/tool
ARCHIVE := $(RELEASE)/libvicinity.a
LIBRARY := $(DIST)/lib/libvicinity.so.1
AUDITOR := $(DIST)/lib/libvicinity-audit.so
PLACER  := $(DIST)/lib/libvicinity-place.so

OPENMP  := capi/openmp
EXPORTS := $(OPENMP)/exports.txt
SHIM    := $(sort $(wildcard $(OPENMP)/shim/*.c $(OPENMP)/shim/*.S))
SHIM_O  := $(patsubst $(OPENMP)/shim/%,$(BUILD)/%.o,$(SHIM))
HEADERS := $(wildcard capi/include/*.h capi/include/*.f90 capi/include/CL/*.h)

SHIM_FLAGS := -std=gnu11 -O2 -g1 -fPIC -ffunction-sections -Wall -Wextra \
              -Werror
AUDIT_FLAGS := -std=gnu11 -O2 -g1 -fPIC -Wall -Wextra -Werror -ffreestanding -fno-stack-protector -fvisibility=hidden \
              -fno-tree-loop-distribute-patterns
PLACE_FLAGS := -std=gnu11 -O2 -g1 -fPIC -Wall -Wextra -Werror -fno-builtin -fvisibility=hidden
TARGET_NAME := libgomp-libvicinity.so.1
# Nothing is left to be found elsewhere, but with a sanitizer, whose library is the program's.
WHOLE      := -Wl,-z,defs
# Lazy for C libraries before glibc 2.34: their loader binds lazily wherever there is an auditor, whatever the library says, and
# needs what the linker leaves out of a library that is bound at once (the tag TLSDESC_PLT).
BINDING    ?= now
LINK_FLAGS  = -shared -static-libgcc \
              -Wl,-soname,libvicinity.so.1 -Wl,-Bsymbolic -Wl,--gc-sections -Wl,-O1 \
              -Wl,--hash-style=gnu -Wl,--build-id $(WHOLE) -Wl,-z,nodelete -Wl,-z,relro -Wl,-z,$(BINDING) \
              -Wl,-z,noexecstack -Wl,--no-undefined-version -Wl,--as-needed

.PHONY: all help setup library mpi openmp opencl translator command wheel wheel-opencl check-packages demo results test test-numa models stress sanitize fmt lint install uninstall deb dist clean cargo-library
.DELETE_ON_ERROR:

all: library mpi opencl command

help:
	@echo 'make          build the library and the command into $(DIST)'
	@echo 'make openmp   build the library and the command without what OpenCL needs (LLVM)'
	@echo 'make mpi      build the libraries between programs and those of Open MPI and MPICH that are installed'
	@echo 'make opencl   build the OpenCL driver and what it needs, without the command'
	@echo 'make wheel    build the library as a wheel for Python into $(DIST)/wheels'
	@echo 'make wheel-opencl  build the OpenCL driver with its compiler as a wheel, likewise'
	@echo 'make check-packages  build all packages, install each where nothing else is, and run programs on it'
	@echo 'make demo     build, then run the same programs on the system runtimes and on Vicinity'
	@echo 'make results  build, then repeat the measurements of results/ (ONLY="FOLDER ...": these alone)'
	@echo 'make test     build, then run every check and test'
	@echo 'make test-numa  build, then run programs on a Linux with several NUMA nodes, in an emulator'
	@echo 'make setup    install the Debian packages that building and testing need'
	@echo 'make models   check the lock-free protocols with loom'
	@echo 'make stress   build, then random kernels, random tasks and the test programs for MINUTES=10 from SEED= (the clock)'
	@echo 'make sanitize run the runtime, its stress test and the OpenCL driver under the sanitizers (nightly)'
	@echo 'make lint     formatting and clippy;  make fmt  formats'
	@echo 'make install  into PREFIX ($(PREFIX)), under DESTDIR if set'
	@echo 'make uninstall  remove what was installed there'
	@echo 'make deb      build packages of Debian into $(DIST)/deb'
	@echo 'make dist     the source of this commit as an archive, its components and checksums, into $(DIST)/source'
	@echo 'make clean    remove $(TARGET)'

# The library ---------------------------------------------------------------------------------

library: $(LIBRARY) $(AUDITOR) $(PLACER) $(patsubst capi/include/%,$(DIST)/include/%,$(HEADERS))

cargo-library:
	$(CARGO) build --release --package vicinity-openmp

$(ARCHIVE): cargo-library ;

$(BUILD)/%.c.o: $(OPENMP)/shim/%.c | $(BUILD)
	$(CC) $(SHIM_FLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/%.S.o: $(OPENMP)/shim/%.S | $(BUILD)
	$(CC) -g1 -fPIC -c -o $@ $<

$(BUILD)/exports.map: $(EXPORTS) $(OPENMP)/exports.awk | $(BUILD)
	awk -v emit=script -f $(OPENMP)/exports.awk $(EXPORTS) > $@

$(BUILD)/trampolines.s: $(EXPORTS) $(OPENMP)/exports.awk | $(BUILD)
	awk -v emit=trampolines -f $(OPENMP)/exports.awk $(EXPORTS) > $@

$(BUILD)/trampolines.o: $(BUILD)/trampolines.s
	$(CC) -c -o $@ $<

# A program chooses Vicinity knowingly: the names it looks for lie in a folder of their own. The library's own name is among
# them, for programs that were linked with it there. The last name is the one that the auditor gives: Python's threadpoolctl
# and its kin follow links and know an OpenMP runtime by the beginning of its file's name.
$(LIBRARY): $(ARCHIVE) $(SHIM_O) $(BUILD)/trampolines.o $(BUILD)/exports.map Makefile
	@mkdir -p $(DIST)/lib/omp
	$(CC) $(LINK_FLAGS) -Wl,--version-script=$(BUILD)/exports.map -o $@.new \
	    $(SHIM_O) $(BUILD)/trampolines.o -Wl,--whole-archive $(ARCHIVE) -Wl,--no-whole-archive \
	    -lpthread -ldl -lm
	mv -f $@.new $@
	ln -sfn libvicinity.so.1 $(DIST)/lib/libvicinity.so
	for name in libvicinity.so.1 libgomp.so.1 libomp.so.5 libomp.so libiomp5.so; do \
	    ln -sfn ../libvicinity.so.1 $(DIST)/lib/omp/$$name; done
	ln -f $@ $(DIST)/lib/omp/$(TARGET_NAME)

# What gives the library to a process by whatever name it asks for a runtime. It needs nothing: see the source.
$(AUDITOR): capi/audit/audit.c Makefile
	@mkdir -p $(dir $@)
	$(CC) $(AUDIT_FLAGS) -shared -nostdlib -Wl,-soname,$(notdir $@) -Wl,-z,defs -Wl,-z,relro -Wl,-z,now \
	    -Wl,-z,noexecstack -Wl,--hash-style=gnu -Wl,--build-id -o $@.new $<
	mv -f $@.new $@

# What has a program's own large blocks placed. The compiler must not take its functions for the C library's, and it asks the
# loader whether a program's replace them.
$(PLACER): capi/preload/place.c capi/preload/place.h Makefile
	@mkdir -p $(dir $@)
	$(CC) $(PLACE_FLAGS) -shared -Wl,-soname,$(notdir $@) -Wl,-Bsymbolic-functions -Wl,-z,defs -Wl,-z,relro -Wl,-z,now \
	    -Wl,-z,noexecstack -Wl,--hash-style=gnu -Wl,--build-id -o $@.new $< -ldl -lpthread
	mv -f $@.new $@

$(DIST)/include/%: capi/include/%
	@mkdir -p $(dir $@)
	cp $< $@

$(BUILD):
	@mkdir -p $@

-include $(wildcard $(BUILD)/*.d)

# Between programs and MPI ----------------------------------------------------------------------

# One library for each MPI whose compiler is here: the two have different interfaces. A program's own MPI is what it finds
# the functions in that it stands before.
MPIS       := $(foreach mpi,openmpi mpich,$(if $(shell command -v mpicc.$(mpi)),$(mpi)))
MPI_SOURCE := $(wildcard capi/mpi/*.c)
MPI_FLAGS  := -std=gnu11 -O2 -g1 -fPIC -Wall -Wextra -Werror -fvisibility=hidden -I capi/include

mpi: library $(MPIS:%=$(DIST)/lib/libvicinity-mpi-%.so)

$(DIST)/lib/libvicinity-mpi-%.so: $(MPI_SOURCE) $(wildcard capi/mpi/*/*.c) capi/mpi/waits.h capi/include/vicinity_mpi.h | $(LIBRARY)
	mpicc.$* $(MPI_FLAGS) -shared -Wl,-soname,$(notdir $@) -Wl,-z,defs -Wl,-z,relro -Wl,-z,now -Wl,--as-needed \
	    -Wl,-rpath,'$$ORIGIN' -o $@.new $(MPI_SOURCE) $(wildcard capi/mpi/$*/*.c) \
	    -L $(DIST)/lib -lvicinity -ldl
	mv -f $@.new $@

# The OpenCL driver ---------------------------------------------------------------------------

# The loader opens what the one line of the vendor file names; OCL_ICD_VENDORS chooses the file or its folder. The driver
# runs its tasks on the library, and starts the translator of kernels.
VENDOR_FILE := etc/OpenCL/vendors/vicinity.icd

opencl: library translator
	$(CARGO) build --release --package vicinity-opencl
	@mkdir -p $(DIST)/lib $(dir $(DIST)/$(VENDOR_FILE))
	cp -f $(RELEASE)/libvicinity_cl.so $(DIST)/lib/libvicinity_cl.so.new
	mv -f $(DIST)/lib/libvicinity_cl.so.new $(DIST)/lib/libvicinity_cl.so
	echo $(abspath $(DIST)/lib/libvicinity_cl.so) > $(DIST)/$(VENDOR_FILE).new
	mv -f $(DIST)/$(VENDOR_FILE).new $(DIST)/$(VENDOR_FILE)

# A running program keeps the file that it was started from.
define PUT_PROGRAM
	@mkdir -p $(DIST)/bin
	cp -pf $(1) $(DIST)/bin/$(notdir $(1)).new
	mv -f $(DIST)/bin/$(notdir $(1)).new $(DIST)/bin/$(notdir $(1))

endef

include translator/whole/whole.mk

# The command ---------------------------------------------------------------------------------

# With it the one contender of `vicinity bench` that is a program of ours, rayon's tasks.
command: translator
	$(CARGO) build --profile tool --package vicinity-cli
	$(CARGO) build --release --package vicinity-bench --bin vicinity-bench-rayon
	$(call PUT_PROGRAM,$(TOOLS)/vicinity)
	$(call PUT_PROGRAM,$(RELEASE)/vicinity-bench-rayon)

# The library and the command alone: no LLVM is needed.
openmp: library
	$(CARGO) build --profile tool --package vicinity-cli
	$(call PUT_PROGRAM,$(TOOLS)/vicinity)

# The wheel for Python ------------------------------------------------------------------------

# The same library, linked to ask for nothing newer than glibc 2.28: its symbols' newer versions are redefined as older ones,
# and what older C libraries lack is brought along.
PYTHON  := capi/python
PINNED  := $(BUILD)/pinned/$(TARGET_NAME)
VERSION  = $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)

# Into the folder of the target: what libraries 1 ask for, as older symbols in what it is linked of, archive 2.
define PIN
@mkdir -p $(dir $@)
	python3 $(PYTHON)/pins.py $(1) > $(dir $@)symbols
	objcopy --strip-debug --redefine-syms=$(dir $@)symbols $(2) $(dir $@)library.a
	objcopy --redefine-syms=$(dir $@)symbols $$($(CC) -print-file-name=libgcc_eh.a) $(dir $@)unwind.a
	$(CC) $(SHIM_FLAGS) -c -o $(dir $@)older.o $(PYTHON)/older.c
endef

$(PINNED): private BINDING = lazy
$(PINNED): $(LIBRARY) $(PYTHON)/pins.py $(PYTHON)/older.c Makefile
	$(call PIN,$(LIBRARY),$(ARCHIVE))
	$(LD) -r -o $(dir $@)shim.o $(SHIM_O)
	objcopy --redefine-syms=$(dir $@)symbols $(dir $@)shim.o
	$(CC) $(LINK_FLAGS) -Wl,--strip-debug -Wl,--version-script=$(BUILD)/exports.map -o $@.new \
	    $(dir $@)shim.o $(BUILD)/trampolines.o $(dir $@)older.o -Wl,--whole-archive $(dir $@)library.a -Wl,--no-whole-archive \
	    $(dir $@)unwind.a -Wl,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2 -Wl,--as-needed -lm
	python3 $(PYTHON)/pins.py --check $@.new
	mv -f $@.new $@

# For `vicinity.use`: it writes a name over the soname.
ROOM_FOR_NAME := $(shell printf '%0128d' 0 | tr 0 X)
$(BUILD)/pinned/alias.so: $(PYTHON)/alias.c $(PINNED)
	$(CC) -shared -nostdlib -o $@ $< -Wl,-soname,$(ROOM_FOR_NAME) -Wl,--no-as-needed $(PINNED) -Wl,-s

wheel: library $(PINNED) $(BUILD)/pinned/alias.so
	python3 $(PYTHON)/wheel.py $(VERSION) $(PYTHON) $(DIST)/wheels vicinity/lib/omp/$(TARGET_NAME)=$(PINNED) \
	    vicinity/lib/$(notdir $(AUDITOR))=$(AUDITOR) vicinity/lib/alias.so=$(BUILD)/pinned/alias.so

include packages/opencl-wheel.mk

# Checks --------------------------------------------------------------------------------------

setup:
	@sh scripts/setup.sh

fmt:
	$(CARGO) fmt --all

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings

# Steps one after another, also under make -j.
test:
	@sh scripts/setup.sh numa browser mpi
	$(MAKE) --no-print-directory all wheel
	$(MAKE) --no-print-directory lint
	$(CARGO) test --workspace
	sh tests/packages/install.sh $(DIST) $(abspath $(TARGET))/packages/install $(VERSION)
	sh tests/numa/run.sh
	$(MAKE) --no-print-directory models

# Each kind of package, where nothing else is installed. Not part of `test`: it asks PyPI and Debian for what it needs.
check-packages:
	@sh scripts/setup.sh packages
	$(MAKE) --no-print-directory wheel-opencl
	sh tests/packages/opencl-wheel.sh $(DIST)/wheels $(abspath $(TARGET))/packages/opencl-wheel
	$(MAKE) --no-print-directory deb
	sh tests/packages/dist.sh $(VERSION) $(abspath $(TARGET))/packages/dist
	sh tests/packages/deb.sh $(DIST)/deb $(abspath $(TARGET))/packages/deb
	sh tests/packages/action.sh $(abspath $(TARGET))/packages/action
	sh tests/packages/conda.sh $(abspath $(TARGET))/packages/conda
	sh tests/packages/launchers.sh $(DIST) $(abspath $(TARGET))/packages/launchers

# The programs of tests/numa on guests with several NUMA nodes.
test-numa:
	@sh scripts/setup.sh numa
	$(MAKE) --no-print-directory all
	sh tests/numa/run.sh

# Every interleaving of a few threads in the lock-free protocols: modules named model or models.
models:
	RUSTC_WORKSPACE_WRAPPER=$(abspath scripts/loom-rustc.sh) \
	    $(CARGO) test --package vicinity-alloc --package vicinity-runtime --package vicinity-opencl --lib model

# As long as one likes; not part of `test`.
MINUTES ?= 10
stress: all
	sh scripts/stress.sh $(MINUTES) $(SEED)

# Data races and stray addresses in the runtime's own tests and its stress test, and in the OpenCL driver under its C tests;
# not part of `test`. Needs a nightly toolchain with rust-src. docs/conformance.md, Sanitizers, says what the options are for.
HOST     := x86_64-unknown-linux-gnu
SANITIZE  = CARGO_PROFILE_DEV_PANIC=unwind CARGO_TARGET_DIR=$(TARGET)/sanitize/$(1) \
            RUSTFLAGS=-Zsanitizer=$(1) $(CARGO) +nightly test -Zbuild-std --target $(HOST) \
            --package vicinity-runtime --lib --test stress

sanitize: all
	TSAN_OPTIONS=report_thread_leaks=0:allocator_may_return_null=1 $(call SANITIZE,thread)
	ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=8:allocator_may_return_null=1 $(call SANITIZE,address)
	sh scripts/sanitize.sh thread
	sh scripts/sanitize.sh address

demo:
	@sh scripts/setup.sh peers
	$(MAKE) --no-print-directory all
	$(DIST)/bin/vicinity demo
	sh scripts/demo-python.sh $(DIST) $(TARGET)/demo-python

# Measurements; scripts/results.sh says what else can be set.
results: all
	VICINITY=$(abspath $(DIST)/bin/vicinity) sh scripts/results.sh $(ONLY)

# Installing ----------------------------------------------------------------------------------

# packages/install.sh has the list of files; what it has put somewhere, it can take away.
INSTALL = sh packages/install.sh $(1) $(DIST) $(PREFIX) "$(DESTDIR)" $(VERSION)

install: all
	$(call INSTALL,install)

uninstall:
	$(call INSTALL,uninstall)

# Packages of Debian and the source as an archive ---------------------------------------------

include packages/deb.mk

dist:
	sh packages/dist.sh $(VERSION) $(DIST)/source

clean:
	$(CARGO) clean
