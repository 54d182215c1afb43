#!/bin/sh
# Runs programs on a real Linux with several NUMA nodes: boots Debian's kernel in QEMU, without KVM, once for each
# machine below, and gives what happened inside back as its own exit status. README.md tells how to add to it.
#
#   tests/numa/run.sh [--only TEXT] [--keep] [MACHINE...]
#
# --only TEXT: only the scenarios whose name holds TEXT. --keep: print the whole console, not only the scenarios.
# MACHINE: a, b, c, d, e; all but c at once if none is named. Needs `make` before, and the packages of `scripts/setup.sh numa`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$repository/target}
dist=$target/dist
out=$target/numa
limit_s=${VICINITY_TEST_NUMA_LIMIT_S:-600}
boot_limit_s=150

only=""
keep=no
machines=""
while [ $# -gt 0 ]; do
    case $1 in
        --only) only=$2; shift ;;
        --keep) keep=yes ;;
        a | b | c | d | e) machines="$machines $1" ;;
        *) echo "numa: $1: expected --only TEXT, --keep, or the machines a, b, c, d and e" >&2; exit 2 ;;
    esac
    shift
done
[ -n "$machines" ] || machines="a b d e"
[ -e "$dist/lib/libvicinity.so.1" ] || { echo "numa: $dist is empty: run \`make\` first" >&2; exit 1; }

# a: four nodes of two processors, distances that differ by direction; the first has more memory, as in d, since all files are there.
# b: three nodes with processors and one with memory only; less memory at node 1.
# c: two nodes of two processors. d: eight nodes of one, in two groups.
# e: four nodes of two, of a newer kernel, which has memory in pieces of 64 KiB.
# The last level cache is the private one (512 KiB): above its size tasks are dealt, so small blocks will do.
machine_options() {
    case $1 in
        a) echo "-smp 8,sockets=4,cores=2 $(node 0 0-1 320) $(node 1 2-3 224) $(node 2 4-5 224) $(node 3 6-7 224)
                 $(distances 0 10 16 22 28) $(distances 1 16 10 28 22) $(distances 2 22 26 10 16) $(distances 3 28 22 18 10)" ;;
        b) echo "-smp 6,sockets=3,cores=2 $(node 0 0-1 224) $(node 1 2-3 160) $(node 2 4-5 224) $(node 3 none 320)
                 $(distances 0 10 20 20 30) $(distances 1 20 10 20 17) $(distances 2 20 20 10 30) $(distances 3 30 17 30 10)" ;;
        c) echo "-smp 4,sockets=2,cores=2 $(node 0 0-1 384) $(node 1 2-3 384) $(distances 0 10 21) $(distances 1 21 10)" ;;
        d) echo "-smp 8,sockets=8,cores=1 $(node 0 0 256) $(for at in 1 2 3 4 5 6 7; do node $at $at 128; done)
                 $(for at in 0 1 2 3; do distances $at $(groups $at) 32 32 32 32; done)
                 $(for at in 0 1 2 3; do distances $((at + 4)) 32 32 32 32 $(groups $at); done)" ;;
        e) echo "-smp 8,sockets=4,cores=2 $(for at in 0 1 2 3; do node $at $((2 * at))-$((2 * at + 1)) 256; done)
                 $(distances 0 10 20 20 20) $(distances 1 20 10 20 20) $(distances 2 20 20 10 20) $(distances 3 20 20 20 10)" ;;
    esac
}

node() { # number, processors, MiB
    cpus=",cpus=$2"
    [ "$2" != none ] || cpus=""
    echo "-object memory-backend-ram,id=m$1,size=$3M -numa node,nodeid=$1$cpus,memdev=m$1"
}

distances() { # from, to each
    from=$1
    shift
    to=0
    for value in "$@"; do
        echo "-numa dist,src=$from,dst=$to,val=$value"
        to=$((to + 1))
    done
}

groups() { # a node's distances to those of its group, by its number there
    case $1 in 0) echo 10 12 12 12 ;; 1) echo 12 10 12 12 ;; 2) echo 12 12 10 12 ;; 3) echo 12 12 12 10 ;; esac
}

memory_mib() { case $1 in a) echo 992 ;; b) echo 928 ;; c) echo 768 ;; d) echo 1152 ;; e) echo 1024 ;; esac; }

# What a machine begins with: all but b have the translator of kernels, too.
initramfs() { case $1 in b) echo "$out/initramfs" ;; *) echo "$out/initramfs-all" ;; esac; }

# Where the kernel of a machine is. Pieces of 64 KiB came with Linux 6.8.
kernel_folder() { case $1 in e) echo "$out/kernel-pieces" ;; *) echo "$out/kernel" ;; esac; }
kernel_packages() { case $1 in e) echo linux-image-6.12-cloud-amd64 linux-image-cloud-amd64 ;; esac; }

# A kernel whose emulated processors and timer are held up by the host may stop before it has begun: then once more.
boot() { # machine
    for attempt in 1 2 3; do
        rm -f "$out/console-$1"
        emulate "$1" &
        emulator=$!
        waited_s=0
        while ! is_up "$1" && [ "$waited_s" -lt "$boot_limit_s" ] && kill -0 "$emulator" 2>/dev/null; do
            sleep 1
            waited_s=$((waited_s + 1))
        done
        if is_up "$1"; then
            wait "$emulator"
            return
        fi
        mv "$out/console-$1" "$out/console-$1.$attempt"
        kill "$emulator" 2>/dev/null || true
        wait "$emulator" 2>/dev/null || true
    done
    mv "$out/console-$1.$attempt" "$out/console-$1"
}

is_up() { # machine
    grep -q '^guest: ' "$out/console-$1" 2>/dev/null
}

emulate() { # machine
    # Automatic balancing would move pages behind the tests' back. The check of the timer fails where the host is busy.
    # shellcheck disable=SC2046 # lists of words
    exec timeout --signal=KILL "$limit_s" qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot \
        -machine q35 -accel tcg,thread=multi -cpu max,l3-cache=off -m "$(memory_mib "$1")" \
        $(machine_options "$1") -serial stdio \
        -kernel "$(sh "$here/kernel.sh" "$(kernel_folder "$1")")" -initrd "$(initramfs "$1")" \
        -append "console=ttyS0 loglevel=4 panic=-1 numa_balancing=disable mitigations=off no_timer_check vicinity_machine=$1" \
        </dev/null >"$out/console-$1" 2>&1
}

report() { # machine
    tr -d '\r' <"$out/console-$1" >"$out/console-$1.txt"
    if [ "$keep" = yes ]; then
        cat "$out/console-$1.txt"
    else
        sed -n '/^guest: /,$p' "$out/console-$1.txt" | sed '/^guest: end/,$d'
    fi
    failed=$(sed -n 's/^guest: end //p' "$out/console-$1.txt" | tail -n 1)
    [ "$failed" = 0 ] && return 0
    if [ -z "$failed" ]; then
        echo "numa: machine $1 did not reach its end within $limit_s s; the end of its console:" >&2
        tail -n 40 "$out/console-$1.txt" >&2
    else
        echo "numa: machine $1: $failed scenarios failed" >&2
    fi
    return 1
}

mkdir -p "$out"
for machine in $machines; do
    # shellcheck disable=SC2046 # a list of words
    sh "$here/kernel.sh" "$(kernel_folder "$machine")" $(kernel_packages "$machine") >/dev/null
done
sh "$here/pack.sh" "$dist" "$out" "$only"
cat "$out/initramfs" "$out/initramfs-translator" >"$out/initramfs-all"
for machine in $machines; do
    boot "$machine" &
done
wait
status=0
for machine in $machines; do
    report "$machine" || status=1
done
# Once more at the end, where a reader looks first.
for machine in $machines; do
    grep '^guest: FAILED' "$out/console-$machine.txt" | sed "s/^guest:/numa: machine $machine:/" >&2 || true
done
exit $status
