#!/bin/sh
# Stands in for vicinity-translate, which is $TRANSLATOR: removes $FOLDER while it is at work, and has room for all that it writes.
rm -rf "$FOLDER"
ulimit -S -f unlimited
exec "$TRANSLATOR" "$@"
