# The wheel of the OpenCL driver, which needs nothing else on the machine but glibc 2.28: driver and library are linked for that
# (capi/python/pins.py); the translator is one program without libraries as it is.

.PHONY: wheel-opencl driver-archive
driver-archive:
	$(CARGO) rustc --release --package vicinity-opencl --lib --crate-type staticlib

$(RELEASE)/libvicinity_cl.a: driver-archive ;

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

$(BUILD)/pinned-cl/vicinity-translate: translator
	@mkdir -p $(dir $@)
	strip -o $@ $(DIST)/bin/vicinity-translate

wheel-opencl: opencl $(PINNED) $(BUILD)/pinned-cl/vicinity-translate $(PINNED_CL) $(BUILD)/pinned-cl/libvicinity-icd.so \
        $(BUILD)/pinned-cl/vicinity.icd
	python3 $(PYTHON)/wheel.py $(VERSION) $(PYTHON)/opencl $(DIST)/wheels \
	    vicinity_opencl/bin/vicinity-translate=$(BUILD)/pinned-cl/vicinity-translate \
	    vicinity_opencl/lib/libvicinity_cl.so=$(PINNED_CL) vicinity_opencl/lib/libvicinity.so.1=$(PINNED) \
	    $$(for file in $(DIST)/$(CLANG_HEADERS)/*; do echo vicinity_opencl/$(CLANG_HEADERS)/$$(basename $$file)=$$file; done) \
	    $$(for file in $(DIST)/$(WHOLE_LICENSES)/*; do echo vicinity_opencl/licenses/$$(basename $$file)=$$file; done) \
	    pyopencl/.libs/libvicinity-icd.so=$(BUILD)/pinned-cl/libvicinity-icd.so \
	    pyopencl/.libs/vicinity.icd=$(BUILD)/pinned-cl/vicinity.icd
