#!/bin/sh
# kernel.sh FOLDER [PACKAGE...]: prints the path of a Debian kernel to boot, unpacked from its package below the folder. The
# kernel is fetched once, never installed, and kept; a folder that holds one is used as it is, so that later runs need no
# network. PACKAGE: those that stand for the newest kernel of a series, of which the first that apt knows is taken; if none is
# named, that for virtual machines.
set -eu
folder=$1
shift
[ $# -gt 0 ] || set -- linux-image-cloud-amd64

find_package() { # names
    for name in "$@"; do
        apt-cache depends "$name" 2>/dev/null | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p'
    done | head -n 1
}

find_kernel() { find "$folder/boot" -name 'vmlinuz-*' 2>/dev/null | sort | tail -n 1; }

fetch() { # names
    package=$(find_package "$@")
    [ -n "$package" ] || return 1
    echo "numa: fetching the package $package for its kernel (not installed)" >&2
    (cd "$folder" && apt-get download "$package" >fetch.log 2>&1)
}

kernel=$(find_kernel)
if [ -z "$kernel" ]; then
    mkdir -p "$folder"
    # Lists may be missing, or so old that what they name is gone; only then does a later name do.
    if ! fetch "$1"; then
        become=""
        [ "$(id -u)" -eq 0 ] || become="sudo"
        $become apt-get update </dev/null >"$folder/fetch.log" 2>&1 || cat "$folder/fetch.log" >&2
        fetch "$@" || {
            cat "$folder/fetch.log" >&2
            echo "numa: no package of $*; put a kernel at $folder/boot/vmlinuz-VERSION" >&2
            exit 1
        }
    fi
    archive=$(find "$folder" -maxdepth 1 -name 'linux-image-*.deb' | head -n 1)
    dpkg-deb --fsys-tarfile "$archive" | tar -x -C "$folder" --wildcards './boot/vmlinuz-*'
    rm -f "$archive" "$folder/fetch.log"
    kernel=$(find_kernel)
fi
echo "$kernel"
