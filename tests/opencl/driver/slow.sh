#!/bin/sh
# Stands in for vicinity-translate, which is $TRANSLATOR: notes in $NOTES what it is called for, and makes code for one local size as
# HOW says.
echo "$1" >> "$NOTES"
if [ "$1" = specialize ]; then
    case $HOW in
    slowly) sleep 3 ;;
    never) kill -SEGV $$ ;;
    esac
fi
exec "$TRANSLATOR" "$@"
