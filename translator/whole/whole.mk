# The translator with the compiler and the linker that it needs, as one program without libraries: nothing has to be installed
# beside it, and it starts in a tenth of the time (docs/decisions/042-instant-start.md).

WHOLE_DIR := $(BUILD)/whole
WHOLE_CXX := -std=c++17 -O2 -fno-rtti -fno-exceptions -ffunction-sections -Wall -Wextra -Werror
LLVM       = $(shell llvm-config-19 --$(1))

$(WHOLE_DIR)/%.o: translator/whole/%.cpp translator/whole/whole.h
	@mkdir -p $(dir $@)
	$(CXX) $(WHOLE_CXX) -isystem $(call LLVM,includedir) -c -o $@ $<

.PHONY: translator-archive
translator-archive:
	$(CARGO) rustc --profile tool --package vicinity-translator --lib --crate-type staticlib

$(TOOLS)/libvicinity_translator.a: translator-archive ;

# Of clang, lexer to code generator; of LLVM, x86-64 and what those ask for; Polly is not among them (absent.cpp).
WHOLE_CLANG := CodeGen Frontend Driver Serialization Parse Sema Analysis APINotes Edit ASTMatchers AST Lex Support Basic
WHOLE_LLVM  := x86 passes lto option coverage frontendopenmp frontendhlsl frontenddriver frontendoffloading windowsdriver hipstdpar

# Functions that a static program cannot have (names of users and hosts, plug-ins) are not called: the linker's warnings of them
# are left out.
$(WHOLE_DIR)/vicinity-translate: $(patsubst translator/whole/%.cpp,$(WHOLE_DIR)/%.o,$(wildcard translator/whole/*.cpp)) \
        $(TOOLS)/libvicinity_translator.a translator/whole/whole.mk
	$(CXX) -static -Wl,--gc-sections -Wl,--build-id -Wl,--no-warnings -L$(call LLVM,libdir) -o $@.new $(filter %.o %.a,$^) \
	    -Wl,--start-group $(WHOLE_CLANG:%=-lclang%) -llldELF -llldCommon \
	    $(filter-out -lPolly%,$(call LLVM,link-static --libs $(WHOLE_LLVM))) -Wl,--end-group -lz -lzstd -lm
	mv -f $@.new $@

# Of clang's headers, those that are for any processor.
CLANG_HEADERS := lib/clang/19/include
CLANG_INCLUDE  = $(shell clang-19 -print-resource-dir)/include
CL_HEADERS    := opencl-c.h opencl-c-base.h float.h limits.h stdarg.h __stdarg_*.h stdbool.h stddef.h __stddef_*.h stdint.h

# Under which licences is what is in it that is not ours.
WHOLE_LICENSES := share/doc/vicinity/licenses

translator: $(WHOLE_DIR)/vicinity-translate
	@mkdir -p $(DIST)/$(CLANG_HEADERS)
	cd $(CLANG_INCLUDE) && cp -pf $(CL_HEADERS) $(abspath $(DIST))/$(CLANG_HEADERS)/
	@mkdir -p $(DIST)/$(WHOLE_LICENSES)
	for pair in LLVM=libllvm19 glibc=libc6 libstdc++=libstdc++6 zlib=zlib1g zstd=libzstd1; do \
	    cp -pf /usr/share/doc/$${pair#*=}/copyright $(DIST)/$(WHOLE_LICENSES)/$${pair%=*}; done
	$(call PUT_PROGRAM,$<)
