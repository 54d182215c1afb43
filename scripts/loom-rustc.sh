#!/bin/sh
# What cargo calls in place of the compiler for crates of ours (RUSTC_WORKSPACE_WRAPPER) when it builds the models: their tests are
# compiled for loom, and optimized. What they depend on is as in any other build, and is not built again.
case " $* " in
*" --test "*) set -- "$@" --cfg loom -C opt-level=2 ;;
esac
exec "$@"
