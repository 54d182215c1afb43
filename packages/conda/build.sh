#!/bin/sh
# conda's build of the package vicinity-openmp: the library, the command, headers and pages into PREFIX.
set -eu
make library command
sh packages/install.sh openmp target/dist "$PREFIX" "" "$PKG_VERSION"
