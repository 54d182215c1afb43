#!/bin/sh
# Stands in for vicinity-translate, and does what HOW says: it is called with `build --output-dir DIR ...`.
case $HOW in
crash) kill -SEGV $$ ;;
fail) echo broken >&2; exit 3 ;;
nothing) exit 0 ;;
refuse) echo wrong > "$3/log"; exit 1 ;;
options) echo 'no such option' > "$3/log"; exit 2 ;;
noise) echo '{}' > "$3/program.json"; echo 'no object' > "$3/program.so"; echo x > "$3/program.bc" ;;
esac
