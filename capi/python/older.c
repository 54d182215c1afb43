// What a C library before 2.35 does not have, or has only where programs are linked: the library of the wheel brings it.
// Built into that library alone (capi/python/pins.py says which symbols it asks glibc for).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

struct stat64;
int __xstat64(int version, const char *path, struct stat64 *out);
int __fxstat64(int version, int file, struct stat64 *out);
int __lxstat64(int version, const char *path, struct stat64 *out);
__asm__(".symver __xstat64, __xstat64@GLIBC_2.2.5");
__asm__(".symver __fxstat64, __fxstat64@GLIBC_2.2.5");
__asm__(".symver __lxstat64, __lxstat64@GLIBC_2.2.5");

// The version of `struct stat64` on x86-64.
enum { STAT_VERSION = 1 };

HIDDEN int stat64(const char *path, struct stat64 *out) { return __xstat64(STAT_VERSION, path, out); }
HIDDEN int fstat64(int file, struct stat64 *out) { return __fxstat64(STAT_VERSION, file, out); }
HIDDEN int lstat64(const char *path, struct stat64 *out) { return __lxstat64(STAT_VERSION, path, out); }

HIDDEN pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }

// What libgcc's unwinder asks to find an object and its table of frames, by the list of all objects.
struct found {
    uintptr_t address;
    struct dl_find_object *out;
};

static int look(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    struct found *found = data;
    const ElfW(Phdr) *inside = NULL, *frames = NULL;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        uintptr_t start = object->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && found->address - start < header->p_memsz) inside = header;
        if (header->p_type == PT_GNU_EH_FRAME) frames = header;
    }
    if (!inside || !frames) return 0;
    uintptr_t start = object->dlpi_addr + inside->p_vaddr;
    found->out->dlfo_map_start = (void *)start;
    found->out->dlfo_map_end = (void *)(start + inside->p_memsz);
    found->out->dlfo_eh_frame = (void *)(object->dlpi_addr + frames->p_vaddr);
    return 1;
}

HIDDEN int _dl_find_object(void *address, struct dl_find_object *out)
{
    struct found found = { (uintptr_t)address, out };
    return dl_iterate_phdr(look, &found) ? 0 : -1;
}
