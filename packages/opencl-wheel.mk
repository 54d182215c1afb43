# The wheel of the OpenCL driver, which needs nothing else on the machine but glibc 2.28: driver and library are linked for that
# (capi/python/pins.py); the translator, with the compiler and the linker that it starts, is one program without libraries.

WHOLE_DIR := $(BUILD)/whole
WHOLE_CXX := -std=c++17 -O2 -fno-rtti -fno-exceptions -ffunction-sections -Wall -Wextra -Werror
LLVM       = $(shell llvm-config-19 --$(1))

$(WHOLE_DIR)/%.o: translator/whole/%.cpp translator/whole/whole.h
	@mkdir -p $(dir $@)
	$(CXX) $(WHOLE_CXX) -isystem $(call LLVM,includedir) -c -o $@ $<

.PHONY: whole-archives wheel-opencl
whole-archives:
	$(CARGO) rustc --release --package vicinity-translator --lib --crate-type staticlib
	$(CARGO) rustc --release --package vicinity-opencl --lib --crate-type staticlib

$(RELEASE)/libvicinity_translator.a $(RELEASE)/libvicinity_cl.a: whole-archives ;

# Of clang, lexer to code generator; of LLVM, x86-64 and what those ask for; Polly is not among them (absent.cpp).
WHOLE_CLANG := CodeGen Frontend Driver Serialization Parse Sema Analysis APINotes Edit ASTMatchers AST Lex Support Basic
WHOLE_LLVM  := x86 passes lto option coverage frontendopenmp frontendhlsl frontenddriver frontendoffloading windowsdriver hipstdpar

# Functions that a static program cannot have (names of users and hosts, plug-ins) are not called: the linker's warnings of them
# are left out.
$(WHOLE_DIR)/vicinity-translate: $(patsubst translator/whole/%.cpp,$(WHOLE_DIR)/%.o,$(wildcard translator/whole/*.cpp)) \
        $(RELEASE)/libvicinity_translator.a packages/opencl-wheel.mk
	$(CXX) -static -Wl,--gc-sections -Wl,-s -Wl,--no-warnings -L$(call LLVM,libdir) -o $@.new $(filter %.o %.a,$^) \
	    -Wl,--start-group $(WHOLE_CLANG:%=-lclang%) -llldELF -llldCommon \
	    $(filter-out -lPolly%,$(call LLVM,link-static --libs $(WHOLE_LLVM))) -Wl,--end-group -lz -lzstd -lm
	mv -f $@.new $@

$(BUILD)/pinned-cl/exports.map:
	@mkdir -p $(dir $@)
	echo '{ global: clGetExtensionFunctionAddress; clGetPlatformInfo; clIcdGetPlatformIDsKHR; local: *; };' > $@

# Cargo links the driver with a libgcc that is a library; the one that is linked into the runtime asks for some more.
PINNED_CL := $(BUILD)/pinned-cl/libvicinity_cl.so
$(PINNED_CL): $(RELEASE)/libvicinity_cl.a $(BUILD)/pinned-cl/exports.map $(PYTHON)/pins.py $(PYTHON)/older.c packages/opencl-wheel.mk | opencl
	$(call PIN,$(RELEASE)/libvicinity_cl.so $(LIBRARY),$(RELEASE)/libvicinity_cl.a)
	$(CC) -shared -static-libgcc -Wl,-soname,$(notdir $@) -Wl,-Bsymbolic,--gc-sections,-O1,--strip-debug,-z,defs,-z,relro,-z,now \
	    -Wl,--version-script=$(BUILD)/pinned-cl/exports.map -Wl,--as-needed -o $@.new $(dir $@)older.o \
	    -Wl,--whole-archive $(dir $@)library.a -Wl,--no-whole-archive $(dir $@)unwind.a \
	    -Wl,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2 -Wl,--as-needed -lm
	python3 $(PYTHON)/pins.py --check $@.new
	mv -f $@.new $@

# pyopencl's wheels bring a loader of drivers that looks beside itself, too. It finds the driver through an empty library, which
# knows where the driver is.
$(BUILD)/pinned-cl/libvicinity-icd.so: $(PINNED_CL)
	$(CC) -shared -nostdlib -Wl,-soname,$(notdir $@) -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/../../vicinity_opencl/lib' \
	    -Wl,--no-as-needed -Wl,-s -o $@ $(PINNED_CL)

$(BUILD)/pinned-cl/vicinity.icd:
	@mkdir -p $(dir $@)
	echo libvicinity-icd.so > $@

CL_HEADER := opencl-c-base.h
wheel-opencl: opencl $(PINNED) $(WHOLE_DIR)/vicinity-translate $(PINNED_CL) $(BUILD)/pinned-cl/libvicinity-icd.so \
        $(BUILD)/pinned-cl/vicinity.icd
	python3 $(PYTHON)/wheel.py $(VERSION) $(PYTHON)/opencl $(DIST)/wheels \
	    vicinity_opencl/bin/vicinity-translate=$(WHOLE_DIR)/vicinity-translate \
	    vicinity_opencl/lib/libvicinity_cl.so=$(PINNED_CL) vicinity_opencl/lib/libvicinity.so.1=$(PINNED) \
	    vicinity_opencl/lib/clang/19/include/$(CL_HEADER)=$$(clang-19 -print-resource-dir)/include/$(CL_HEADER) \
	    vicinity_opencl/licenses/LLVM=/usr/share/doc/libllvm19/copyright \
	    vicinity_opencl/licenses/glibc=/usr/share/doc/libc6/copyright \
	    pyopencl/.libs/libvicinity-icd.so=$(BUILD)/pinned-cl/libvicinity-icd.so \
	    pyopencl/.libs/vicinity.icd=$(BUILD)/pinned-cl/vicinity.icd
