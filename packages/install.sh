#!/bin/sh
# Installs what `make all` has built, or removes what was installed: install.sh install|openmp|uninstall DIST PREFIX DESTDIR VERSION
# `openmp` leaves out the OpenCL driver. The list of files is in PREFIX/share/vicinity/files.
set -eu
action=$1 dist=$2 prefix=$3 to=$4$3 version=$5
list=$to/share/vicinity/files

put() { # MODE FILE FOLDER [NAME]
    install -D -m "$1" "$2" "$to/$3/${4:-$(basename "$2")}"
    echo "$3/${4:-$(basename "$2")}" >> "$list.new"
}
link() { # TARGET NAME
    mkdir -p "$(dirname "$to/$2")"
    ln -sfn "$1" "$to/$2"
    echo "$2" >> "$list.new"
}
fill() { # TEMPLATE FOLDER NAME
    mkdir -p "$to/$2"
    sed "s|@VERSION@|$version|g" "$1" > "$to/$2/$3"
    echo "$2/$3" >> "$list.new"
}

complete() { # SHELL FOLDER NAME
    "$dist/bin/vicinity" completions "$1" > "$pages/$3"
    put 644 "$pages/$3" "$2"
}

library() {
    put 644 "$dist/lib/libvicinity.so.1" lib
    put 644 "$dist/lib/libvicinity-audit.so" lib
    put 644 "$dist/lib/libvicinity-place.so" lib
    for library in "$dist"/lib/libvicinity-mpi-*.so; do
        [ ! -e "$library" ] || put 644 "$library" lib
    done
    link libvicinity.so.1 lib/libvicinity.so
    for name in libvicinity.so.1 libgomp.so.1 libomp.so.5 libomp.so libiomp5.so; do
        link ../libvicinity.so.1 "lib/omp/$name"
    done
    mkdir -p "$to/lib/omp"
    ln -f "$to/lib/libvicinity.so.1" "$to/lib/omp/libgomp-libvicinity.so.1"
    echo lib/omp/libgomp-libvicinity.so.1 >> "$list.new"
    for file in capi/include/*.h capi/include/*.f90; do put 644 "$file" include; done
    fill packages/vicinity.pc.in lib/pkgconfig vicinity.pc
    fill packages/vicinity-config.cmake lib/cmake/vicinity vicinity-config.cmake
    fill packages/vicinity-config-version.cmake lib/cmake/vicinity vicinity-config-version.cmake
}

driver() {
    put 755 "$dist/bin/vicinity-translate" bin
    for file in "$dist"/lib/clang/19/include/*; do put 644 "$file" lib/clang/19/include; done
    for file in "$dist"/share/doc/vicinity/licenses/*; do put 644 "$file" share/doc/vicinity/licenses; done
    put 644 "$dist/lib/libvicinity_cl.so" lib
    put 644 capi/include/CL/cl_vicinity.h include/CL
    mkdir -p "$to/etc/OpenCL/vendors"
    echo "$prefix/lib/libvicinity_cl.so" > "$to/etc/OpenCL/vendors/vicinity.icd"
    echo etc/OpenCL/vendors/vicinity.icd >> "$list.new"
}

command() {
    put 755 "$dist/bin/vicinity" bin
    pages=$(mktemp -d)
    trap 'rm -rf "$pages"' EXIT
    date=$(date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" +%F)
    python3 packages/command-pages.py "$version" "$date" "$dist/bin/vicinity" "$pages/man1"
    for page in "$pages"/man1/*; do put 644 "$page" share/man/man1; done
    python3 packages/header-page.py "$version" "$date" capi/include/vicinity.h > "$pages/vicinity.h.3"
    put 644 "$pages/vicinity.h.3" share/man/man3
    complete bash share/bash-completion/completions vicinity
    complete zsh share/zsh/site-functions _vicinity
    complete fish share/fish/vendor_completions.d vicinity.fish
}

case $action in
install | openmp)
    mkdir -p "$(dirname "$list")"
    : > "$list.new"
    library
    [ "$action" = openmp ] || driver
    command
    mv "$list.new" "$list" ;;
uninstall)
    [ -f "$list" ] || { echo "uninstall: $list is missing: nothing is installed in $to" >&2; exit 1; }
    while read -r file; do
        rm -f "$to/$file"
        # Folders that are empty then.
        (cd "$to" && rmdir -p --ignore-fail-on-non-empty "$(dirname "$file")" 2>/dev/null) || :
    done < "$list"
    rm -f "$list"
    (cd "$to" && rmdir -p --ignore-fail-on-non-empty share/vicinity 2>/dev/null) || : ;;
esac
