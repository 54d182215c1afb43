// What a C library before 2.35 does not have, or has only where programs are linked: the libraries of the wheels bring it.
// Built into those alone (capi/python/pins.py says which symbols they ask glibc for).
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
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

// Of glibc 2.29 and 2.34. Each is asked for by its name, and where it is missing there is what comes nearest.
typedef posix_spawn_file_actions_t actions;
__asm__(".symver dlsym, dlsym@GLIBC_2.2.5");

// A program that is to start in a folder does not start on glibc 2.28.
HIDDEN int posix_spawn_file_actions_addchdir_np(actions *to, const char *path)
{
    int (*real)(actions *, const char *) = dlsym(RTLD_DEFAULT, "posix_spawn_file_actions_addchdir_np");
    return real ? real(to, path) : ENOSYS;
}

// Before 2.34: the files that are open now. To close what is not open is no error there.
HIDDEN int posix_spawn_file_actions_addclosefrom_np(actions *to, int first)
{
    int (*real)(actions *, int) = dlsym(RTLD_DEFAULT, "posix_spawn_file_actions_addclosefrom_np");
    if (real) return real(to, first);
    DIR *open = opendir("/proc/self/fd");
    if (!open) return errno;
    int error = 0;
    for (struct dirent *entry; !error && (entry = readdir(open));) {
        int number = atoi(entry->d_name);
        if (number >= first) error = posix_spawn_file_actions_addclose(to, number);
    }
    closedir(open);
    return error;
}

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
