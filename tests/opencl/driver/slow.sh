#!/bin/sh
# Stands in for vicinity-translate, which is $TRANSLATOR: notes in $NOTES what it is called for, and makes what nobody waits for (code
# for one local size, or a program once more) as HOW says. Where that is slowly, $NOTES.niceness has how urgent it was in the end.
echo "$1" >> "$NOTES"
case $1-$HOW in
specialize-slowly)
    sleep 3
    nice > "$NOTES.niceness"
    ;;
specialize-never | link-never) kill -SEGV $$ ;;
esac
exec "$TRANSLATOR" "$@"
