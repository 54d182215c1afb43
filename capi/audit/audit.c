// libvicinity-audit.so: gives a process Vicinity whenever it asks for an OpenMP runtime, by whatever name.
//
//   LD_AUDIT=PREFIX/lib/libvicinity-audit.so program
//
// Terms. An *auditor* (rtld-audit(7)) is a library that glibc's loader asks about each library that it is to load. A
// *runtime* is a file with the name of an OpenMP runtime: libgomp.so.1, libomp.so.5, libiomp5.so, and what packages make of
// these names when they bring a copy, as libgomp-a34b3233.so.1.0.0. The *target* is lib/omp/libgomp-libvicinity.so.1 beside
// this file: the library under a name by which programs that look for OpenMP runtimes know it.
//
// The loader looks in two steps, and both are answered. First it asks with the name as the program has it. The first
// runtime is answered with the target's path here, so that the library is listed under its own path. Later ones pass this
// step: the loader remembers a name that leads to a loaded object only if the name was not changed, and its check of symbol
// versions looks for the name. They are answered at the second step, where the loader is about to open a file: whatever path
// it tries, it gets the target, which it knows by the file's number and maps once. A name with a slash has no second step: it
// gets the target at the first one, unless a library needs it so, and the check of versions would end the program.
//
// Invariants.
// 1. Everything but a runtime passes unchanged, and no function is watched while it is called: there is no la_symbind and no
//    la_pltenter, for which the loader would bind every function of every library by a slower way.
// 2. Nothing is needed, not even a C library: an auditor lives in a namespace of its own, where a C library would be a second
//    one, with its memory and its thread-local storage in every process.
// 3. Without the target nothing is replaced.
//
// With VICINITY_WHY set, a line on standard error says of each runtime what was done, of each object that has a runtime
// linked into it that nobody can replace it, and at the end of a process without either that there was none.
//
// Deliberately not here: programs of another C library (musl's loader has no auditors), static programs and programs with
// another user's rights (no auditor is loaded).
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#define TARGET "omp/libgomp-libvicinity.so.1"
#define OWN_NAME "libvicinity-audit.so"

#define SHOWN __attribute__((visibility("default")))

enum { PATH_BYTES = 4096, LINE_BYTES = 8192 };

static char target[PATH_BYTES]; // empty: nothing is replaced
static int answered;            // the loader was given the target's path
static int explains;            // VICINITY_WHY
static int said;
static const char *program = "";
static const ElfW(Phdr) *program_headers; // the program's own, which has no path in the loader's list
static size_t program_header_count;

// What a C library would have ----------------------------------------------------------------------------------------

static long call(long number, long a, long b, long c)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}

/// What follows `start` in a text that begins so; NULL where it does not.
static const char *after(const char *text, const char *start)
{
    while (*start)
        if (*text++ != *start++) return NULL;
    return text;
}

static const char *base_name(const char *path)
{
    const char *name = path;
    for (; *path; path++)
        if (*path == '/') name = path + 1;
    return name;
}

static int contains(const char *bytes, size_t count, const char *wanted, size_t size)
{
    for (size_t at = 0; at + size <= count; at++) {
        size_t same = 0;
        while (same < size && bytes[at + same] == wanted[same]) same++;
        if (same == size) return 1;
    }
    return 0;
}

// Telling ------------------------------------------------------------------------------------------------------------

typedef struct {
    char text[LINE_BYTES];
    size_t bytes;
} Line;

static void add(Line *line, const char *text)
{
    for (; *text && line->bytes + 1 < sizeof line->text; text++) line->text[line->bytes++] = *text;
}

static void begin(Line *line)
{
    char digits[16] = "";
    size_t at = sizeof digits - 1;
    for (long id = call(SYS_getpid, 0, 0, 0); id > 0; id /= 10) digits[--at] = (char)('0' + id % 10);
    line->bytes = 0;
    add(line, "vicinity: ");
    add(line, program);
    add(line, "[");
    add(line, digits + at);
    add(line, "]: ");
}

static void end(Line *line)
{
    line->text[line->bytes++] = '\n';
    call(SYS_write, 2, (long)line->text, (long)line->bytes);
}

static const char *name_of(const struct link_map *object)
{
    return object && object->l_name && *object->l_name ? object->l_name : program;
}

static void tell(const char *what, const char *verdict, const struct link_map *wanted_by)
{
    if (!explains) return;
    said = 1;
    Line line;
    begin(&line);
    add(&line, what);
    add(&line, verdict);
    if (wanted_by) add(&line, name_of(wanted_by));
    end(&line);
}

// Runtimes -----------------------------------------------------------------------------------------------------------

static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_hexadecimal(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

/// A stem, a number, a dash and what a packager's tool made of the file's contents, ".so", and numbers.
static int is_runtime(const char *name)
{
    static const char *const stems[] = { "libgomp", "libiomp", "libomp", "libvicinity" };
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
        const char *rest = after(name, stems[i]);
        if (!rest) continue;
        while (is_digit(*rest)) rest++;
        if (*rest == '-')
            for (rest++; is_hexadecimal(*rest);) rest++;
        rest = after(rest, ".so");
        if (!rest) continue;
        while (*rest == '.' || is_digit(*rest)) rest++;
        return !*rest;
    }
    return 0;
}

/// What a runtime that is linked into an object leaves in it, whatever was stripped: the beginning of libgomp's messages, and
/// what libomp and its ancestor say of their version.
static int holds_runtime(uintptr_t base, const ElfW(Phdr) *headers, size_t count)
{
    static const char gnu[] = "\nlibgomp: ", llvm[] = " OMP version: ";
    for (size_t i = 0; i < count; i++) {
        if (headers[i].p_type != PT_LOAD || headers[i].p_flags & PF_W || !(headers[i].p_flags & PF_R)) continue;
        const char *bytes = (const char *)(base + headers[i].p_vaddr);
        if (contains(bytes, headers[i].p_filesz, gnu, sizeof gnu) ||
            contains(bytes, headers[i].p_filesz, llvm, sizeof llvm - 1))
            return 1;
    }
    return 0;
}

static void tell_linked_in(const struct link_map *object)
{
    const ElfW(Phdr) *headers = program_headers;
    size_t count = program_header_count;
    if (object->l_name && *object->l_name) {
        const char *name = base_name(object->l_name);
        // The object under its own path, and what belongs to it.
        if (is_runtime(name) || after(name, "libgomp-libvicinity") || after(name, "linux-vdso")) return;
        const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)object->l_addr;
        if (!header || !after((const char *)header, ELFMAG)) return;
        headers = (const ElfW(Phdr) *)(object->l_addr + header->e_phoff);
        count = header->e_phnum;
    }
    if (holds_runtime(object->l_addr, headers, count))
        tell(name_of(object), " not replaced: an OpenMP runtime is linked into it", NULL);
}

/// Whether the object needs a library by a name that is a path, as one does that was linked with a library without a name.
static int needs(const struct link_map *object, const char *name)
{
    const char *strings = NULL;
    for (const ElfW(Dyn) *entry = object->l_ld; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_STRTAB) strings = (const char *)entry->d_un.d_ptr;
    if (!strings) return 0;
    if ((uintptr_t)strings < object->l_addr) strings += object->l_addr;
    for (const ElfW(Dyn) *entry = object->l_ld; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag != DT_NEEDED) continue;
        const char *rest = after(strings + entry->d_un.d_val, name);
        if (rest && !*rest) return 1;
    }
    return 0;
}

// The loader's questions ---------------------------------------------------------------------------------------------

/// The target stands beside this file, which LD_AUDIT names.
static void find_target(const char *list)
{
    while (*list) {
        size_t bytes = 0;
        while (list[bytes] && list[bytes] != ':') bytes++;
        size_t folder = bytes;
        while (folder > 0 && list[folder - 1] != '/') folder--;
        const char *rest = after(list + folder, OWN_NAME);
        if (rest == list + bytes && folder + sizeof TARGET <= sizeof target) {
            for (size_t i = 0; i < folder; i++) target[i] = list[i];
            for (size_t i = 0; i < sizeof TARGET; i++) target[folder + i] = TARGET[i];
            break;
        }
        list += bytes + (list[bytes] == ':');
    }
    if (!*target || call(SYS_access, (long)target, 4, 0) == 0) return;
    Line line;
    begin(&line);
    add(&line, target);
    add(&line, " cannot be read: no OpenMP runtime is replaced");
    end(&line);
    *target = 0;
}

__attribute__((constructor)) static void start(int count, char **arguments, char **environment)
{
    const char *list = "";
    if (count > 0 && arguments[0]) program = base_name(arguments[0]);
    for (; *environment; environment++) {
        const char *value = after(*environment, "LD_AUDIT=");
        if (value) list = value;
        value = after(*environment, "VICINITY_WHY=");
        if (value) explains = *value && !after(value, "0");
    }
    for (ElfW(auxv_t) *fact = (ElfW(auxv_t) *)(environment + 1); fact->a_type != AT_NULL; fact++) {
        if (fact->a_type == AT_PHDR) program_headers = (const ElfW(Phdr) *)fact->a_un.a_val;
        if (fact->a_type == AT_PHNUM) program_header_count = fact->a_un.a_val;
    }
    find_target(list);
}

__attribute__((destructor)) static void finish(void)
{
    if (!said) tell("", "no OpenMP runtime was asked for", NULL);
}

SHOWN unsigned la_version(unsigned version)
{
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

SHOWN unsigned la_objopen(struct link_map *object, Lmid_t space, uintptr_t *cookie)
{
    (void)space;
    *cookie = (uintptr_t)object;
    if (explains) tell_linked_in(object);
    return 0;
}

SHOWN char *la_objsearch(const char *name, uintptr_t *cookie, unsigned step)
{
    if (!*target || !is_runtime(base_name(name))) return (char *)name;
    if (step != LA_SER_ORIG) return target;
    const struct link_map *wanted_by = (const struct link_map *)*cookie;
    if (answered && base_name(name) != name && needs(wanted_by, name)) {
        tell(name, " not replaced: needed by its path, after another one was replaced, by ", wanted_by);
        return (char *)name;
    }
    tell(name, " replaced, for ", wanted_by);
    if (answered && base_name(name) == name) return (char *)name;
    answered = 1;
    return target;
}
