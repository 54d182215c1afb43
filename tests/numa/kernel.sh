#!/bin/sh
# Prints the path of a Debian kernel to boot, unpacked from its package below the given folder. The package is fetched
# once, never installed, and kept; a folder that holds a kernel is used as it is, so that later runs need no network.
set -eu
folder=$1

# The newest kernel that the package for virtual machines stands for.
find_package() {
    apt-cache depends linux-image-cloud-amd64 2>/dev/null |
        sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1
}

find_kernel() { find "$folder/boot" -name 'vmlinuz-*' 2>/dev/null | sort | tail -n 1; }

kernel=$(find_kernel)
if [ -z "$kernel" ]; then
    mkdir -p "$folder"
    package=$(find_package)
    if [ -z "$package" ]; then
        become=""
        [ "$(id -u)" -eq 0 ] || become="sudo"
        $become apt-get update </dev/null >"$folder/fetch.log" 2>&1 || cat "$folder/fetch.log" >&2
        package=$(find_package)
    fi
    if [ -z "$package" ]; then
        echo "numa: apt knows no linux-image-cloud-amd64; put a kernel at $folder/boot/vmlinuz-VERSION" >&2
        exit 1
    fi
    echo "numa: fetching the package $package for its kernel (not installed)" >&2
    (cd "$folder" && apt-get download "$package" >fetch.log 2>&1) || {
        cat "$folder/fetch.log" >&2
        exit 1
    }
    archive=$(find "$folder" -maxdepth 1 -name 'linux-image-*.deb' | head -n 1)
    dpkg-deb --fsys-tarfile "$archive" | tar -x -C "$folder" --wildcards './boot/vmlinuz-*'
    rm -f "$archive" "$folder/fetch.log"
    kernel=$(find_kernel)
fi
echo "$kernel"
