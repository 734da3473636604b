#!/usr/bin/env bash
# One step of a build: scripts/step.sh NAME COMMAND [ARGUMENT ...], where build/ is to be.
#
# What the command prints goes into build/log/NAME.log. A terminal shows it as one line that changes; what stays is one line for a
# step that did something. A step that fails shows the end of its log, names it, and exits as the command did.
set -uo pipefail
name=$1
shift
log=build/log/${name// /-}.log
mkdir -p build/log

# Elsewhere one line says that something goes on.
show() { awk -v name="$name" -v file="$log" 'NR == 1 { print name ": begun, see " file; fflush() }'; }
# It moves each second, also while a compiler says nothing for minutes.
if [ -t 1 ]; then
    show() {
        local number=0 said="" text status
        while :; do
            IFS= read -r -t 1 text
            status=$?
            if [ "$status" -eq 0 ]; then
                number=$((number + 1))
                said=${text//[[:cntrl:]]/ }
            elif [ "$status" -le 128 ]; then
                break # no more comes; above it, a second is over
            fi
            printf '\r\033[K%s, %d s, line %d: %s' "$name" $((SECONDS - begun)) "$number" "${said:0:44}"
        done
        printf '\r\033[K'
    }
fi

# After ten seconds, what it waits for, if that is a lock that another process holds: zig's, of the same file.
watch() {
    while sleep 10 < /dev/null > /dev/null 2>&1; do
        waits=$(python -m irqscope_twin.waits $$ 2> /dev/null) && [ -n "$waits" ] && echo "$name $waits"
    done
}
watch &
watching=$!

begun=$SECONDS
"$@" < /dev/null 2>&1 | tee "$log" | show
status=${PIPESTATUS[0]}
kill "$watching" && wait "$watching" 2> /dev/null
if [ "$status" -ne 0 ]; then
    tail -n 20 "$log" | cut -c 1-400 >&2
    echo "make: $name failed; all that it printed is in $log" >&2
    exit "$status"
fi
if [ -s "$log" ]; then
    echo "$name: done in $((SECONDS - begun)) s"
fi
