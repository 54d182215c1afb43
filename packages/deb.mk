# Two packages of Debian: `vicinity-openmp`, the library and the command, and `vicinity-opencl-icd`, the OpenCL driver; with the
# information for debuggers in two more. Everything lies in a folder of its own, as `make install` puts it; links lead there.

DEB_HOME := /usr/lib/vicinity

deb: all
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) sh packages/deb.sh $(DIST) $(DEB_HOME) $(VERSION) $(BUILD)/deb $(DIST)/deb
