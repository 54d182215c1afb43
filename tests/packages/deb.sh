#!/bin/sh
# The Debian packages: clean under lintian; installed by apt into a fresh root with nothing else, an OpenMP program of this
# machine runs there on Vicinity, an OpenCL program builds a kernel, and removing them leaves nothing.
# deb.sh PACKAGES SCRATCH, as root
set -eu
here=$(cd "$(dirname "$0")" && pwd)
packages=$(cd "$1" && pwd) root=$2/root
# Whoever publishes packages gives an address; the project has none.
address=root-in-contact,bogus-mail-host,bogus-mail-host-in-debian-changelog
lintian --allow-root --fail-on error,warning --suppress-tags "$address" "$packages"/*.deb

rm -rf "$2"
mkdir -p "$root"
debootstrap --variant=minbase --include=libgomp1,ocl-icd-libopencl1 bookworm "$root" > "$2/log" 2>&1 || { tail "$2/log" >&2; exit 1; }
trap 'umount "$root/proc"' EXIT
mount -t proc proc "$root/proc"
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }

cp "$packages"/*.deb "$root/tmp/"
inside sh -c 'apt-get install -qq --yes --no-install-recommends /tmp/*.deb' > "$2/log" 2>&1 || { tail "$2/log" >&2; exit 1; }
gcc -fopenmp -o "$root/tmp/openmp" "$here/openmp.c"
gcc -o "$root/tmp/opencl" "$here/opencl.c" -lOpenCL
inside vicinity run --why /tmp/openmp > "$2/said" 2>&1 || { cat "$2/said" >&2; exit 1; }
grep -q "3 threads" "$2/said" && grep -q "replaced" "$2/said" || { cat "$2/said" >&2; exit 1; }
inside /tmp/opencl
inside sh -c 'cd /usr/share/man/man1 && ls vicinity-run.1.gz' > /dev/null
inside sh -c 'cd /usr/share && ls bash-completion/completions/vicinity zsh/vendor-completions/_vicinity fish/vendor_completions.d/vicinity.fish' > /dev/null
inside sh -c 'apt-get purge -qq --yes vicinity-openmp' > "$2/log" 2>&1 || { tail "$2/log" >&2; exit 1; }
left=$(find "$root/usr" "$root/etc" -name '*vicinity*')
[ -z "$left" ] || { echo "deb: left behind: $left" >&2; exit 1; }
echo "deb: passed"
