#!/bin/sh
# Makes the packages: deb.sh DIST HOME VERSION WORK OUT. The same artefacts at the same SOURCE_DATE_EPOCH make the same bytes.
set -eu
dist=$1 home=$2 version=$3 work=$4 out=$5
# The project has no address of its own.
maintainer="${DEBFULLNAME:-The Vicinity authors} <${DEBEMAIL:-root@localhost}>"
stamp=$(date -u -R -d "@$SOURCE_DATE_EPOCH")
runtime=vicinity-openmp driver=vicinity-opencl-icd
umask 022
rm -rf "$work"
mkdir -p "$work/debian" "$out"
work=$(cd "$work" && pwd)
rm -f "$out"/*.deb

# Where the driver's files go; all others are the runtime's.
sh packages/install.sh install "$dist" "$home" "$work/$runtime" "$version"
root=$work/$runtime
rm -r "$root$home/share/vicinity"
for file in bin/vicinity-translate lib/clang lib/libvicinity_cl.so include/CL etc/OpenCL/vendors/vicinity.icd; do
    mkdir -p "$work/$driver$home/$(dirname $file)"
    mv "$root$home/$file" "$work/$driver$home/$file"
done
rm -r "$root$home/etc"
mkdir -p "$work/$driver/etc/OpenCL/vendors"
cp "$work/$driver$home/etc/OpenCL/vendors/vicinity.icd" "$work/$driver/etc/OpenCL/vendors/"

# The names that others look for.
mkdir -p "$root/usr/bin" "$root/usr/lib/x86_64-linux-gnu/pkgconfig" "$root/usr/lib/x86_64-linux-gnu/cmake"
ln -s "../lib/vicinity/bin/vicinity" "$root/usr/bin/vicinity"
ln -s "../../vicinity/lib/cmake/vicinity" "$root/usr/lib/x86_64-linux-gnu/cmake/vicinity"
sed "s|^prefix=.*|prefix=$home|" "$root$home/lib/pkgconfig/vicinity.pc" > "$root/usr/lib/x86_64-linux-gnu/pkgconfig/vicinity.pc"
rm -r "$root$home/lib/pkgconfig"
mkdir -p "$root/usr/share"
mv "$root$home/share/man" "$root/usr/share/man"
mv "$root$home/share/bash-completion" "$root$home/share/fish" "$root/usr/share/"
mkdir -p "$root/usr/share/zsh/vendor-completions"
mv "$root$home/share/zsh/site-functions/_vicinity" "$root/usr/share/zsh/vendor-completions/"
mkdir -p "$work/$driver/usr/share/doc/$driver"
mv "$root$home/share/doc/vicinity/licenses" "$work/$driver/usr/share/doc/$driver/licenses"
rm -r "$root$home/share"
find "$root/usr/share/man" -type f -exec gzip -9n {} +

# What debuggers want goes into packages of its own, by the numbers of the builds.
split() { # PACKAGE
    find "$work/$1" -type f \( -name '*.so*' -o -path '*/bin/*' \) ! -name 'libgomp-*' | sort | while read -r file; do
        id=$(readelf -n "$file" | sed -n 's/.*Build ID: //p')
        folder=$work/$1-dbgsym/usr/lib/debug/.build-id/$(echo "$id" | cut -c1-2)
        mkdir -p "$folder"
        objcopy --only-keep-debug --compress-debug-sections "$file" "$folder/$(echo "$id" | cut -c3-).debug"
        chmod 644 "$folder"/*
        # In place: the file has two names.
        strip --strip-unneeded --remove-section=.comment -o "$work/stripped" "$file"
        cat "$work/stripped" > "$file"
    done
}

about() { # PACKAGE: what Debian wants of every one
    folder=$work/$1/usr/share/doc/$1
    mkdir -p "$folder"
    printf '%s (%s) unstable; urgency=medium\n\n  * Made of the source by `make deb`.\n\n -- %s  %s\n' \
        "$1" "$version" "$maintainer" "$stamp" | gzip -9n > "$folder/changelog.gz"
    cp packages/copyright "$folder/copyright"
}

# PACKAGE SECTION DEPENDS SUMMARY, and the description behind that from the standard input.
close_package() {
    mkdir -p "$work/$1/DEBIAN"
    {
        printf 'Package: %s\nSource: vicinity\nVersion: %s\nArchitecture: amd64\nMaintainer: %s\n' "$1" "$version" "$maintainer"
        printf 'Installed-Size: %s\n' "$(du -sk --exclude=DEBIAN "$work/$1" | cut -f1)"
        printf 'Depends: %s\nSection: %s\nPriority: optional\n' "$3" "$2"
        case $1 in
        "$driver") printf 'Recommends: ocl-icd-libopencl1 | libopencl1\nSuggests: llvm-spirv-15 | llvm-spirv-19\nProvides: opencl-icd\n' ;;
        *-dbgsym) printf 'Auto-Built-Package: debug-symbols\n' ;;
        esac
        printf 'Description: %s\n' "$4"
        cat
    } > "$work/$1/DEBIAN/control"
    (cd "$work/$1" && find . -type f ! -path './DEBIAN/*' -printf '%P\n' | LC_ALL=C sort | xargs md5sum > DEBIAN/md5sums)
    if [ -d "$work/$1/etc" ]; then
        (cd "$work/$1" && find etc -type f -printf '/%p\n' > DEBIAN/conffiles)
    fi
    find "$work/$1" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz --build "$work/$1" "$out" > /dev/null
}

needs() { # PACKAGE: the libraries' packages
    printf 'Source: vicinity\n\nPackage: %s\nArchitecture: any\n' "$1" > "$work/debian/control"
    files=$(find "$work/$1" -type f \( -name '*.so*' -o -path '*/bin/*' \) ! -name 'libgomp-*' ! -name libvicinity-audit.so ! -name 'libvicinity-mpi-*')
    # shellcheck disable=SC2086 # a list of files
    (cd "$work" && dpkg-shlibdeps -O --ignore-missing-info $files 2> /dev/null) | sed 's/^shlibs:Depends=//'
}

for package in $runtime $driver; do
    split $package
    about $package
    mkdir -p "$work/$package-dbgsym/usr/share/doc"
    ln -s $package "$work/$package-dbgsym/usr/share/doc/$package-dbgsym"
done
for package in $runtime $driver; do
    mkdir -p "$work/$package/usr/share/lintian/overrides"
    grep "^$package: " packages/lintian-overrides > "$work/$package/usr/share/lintian/overrides/$package"
done
close_package $runtime libs "$(needs $runtime)" "OpenMP runtime whose tasks run where their data lives" << 'END'
 Vicinity runs programs that gcc, gfortran, clang or flang built with -fopenmp,
 without rebuilding them: it has the interfaces of libgomp and of libomp.
 Programs use it when they are started by `vicinity run`.
END
close_package $driver libs "$(needs $driver), $runtime (= $version)" \
    "OpenCL 3.0 driver for processors" << 'END'
 An installable client driver: OpenCL programs find it through the loader of
 the system. It brings its compiler, which is made of clang and LLVM. Kernels
 run on the same threads as OpenMP tasks.
END
for package in $runtime $driver; do
    close_package $package-dbgsym debug "$package (= $version)" "debug symbols for $package" < /dev/null
done
ls "$out"
