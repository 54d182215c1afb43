#!/bin/sh
# Stands in for vicinity-translate, which is $TRANSLATOR: says at once that a program is declared and that there is code of its first kernel,
# and the rest only when there is the file $GO. HOW=crash: it dies then. Notes its number and its folder in $NOTES.
wait_for_go() {
    tries=0
    until [ -e "$GO" ] || [ $tries = 3000 ]; do
        sleep 0.01
        tries=$((tries + 1))
    done
}
echo $$ "$3" >> "$NOTES"
if [ "$HOW" = crash ]; then
    echo | "$TRANSLATOR" "$@" > "$3/lines"
    rm "$3/program.so"
    grep -e declared -e 'part 0$' "$3/lines"
    wait_for_go
    kill -SEGV $$
fi
"$TRANSLATOR" "$@" | {
    held=
    while read -r line; do
        case $line in
        declared | 'part 0') echo "$line" ;;
        *) held="$held$line
" ;;
        esac
    done
    wait_for_go
    printf %s "$held"
}
