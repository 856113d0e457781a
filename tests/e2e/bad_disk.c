// A disk that fails or lies, put between the server and the kernel with LD_PRELOAD. Only journal
// segments are touched, or only the ledger; the rest of the disk is sound.
//
//   BAD_DISK_LEDGER=FILE     as long as FILE is there, every write to the ledger and its log fails
//                            with the error whose number stands in FILE; the journal is sound
//
//   BAD_DISK_FAIL_SYNC=N     the N-th fdatasync of a segment, and every later one, fails with EIO
//   BAD_DISK_FAIL_WRITE=N    the N-th pwrite to a segment, and every later one, fails with EIO
//   BAD_DISK_LIE=1           a write is done when the next one comes: what was written last is in
//                            memory only, whatever fdatasync says, and dies with the process
//
//   BAD_DISK_NOTE=FILE       where the moment of the first failure is noted (CLOCK_MONOTONIC); the
//                            process then takes its time to exit, so that what it still says in
//                            its last moments can be heard

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long syncs, writes;

static struct {
    int fd;
    ino_t inode;
    off_t offset;
    size_t size;
    char* bytes;
} kept = {.fd = -1};

static long number(const char* name) {
    const char* text = getenv(name);
    return text ? atol(text) : 0;
}

static int ends_with(int fd, const char* end) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t size = readlink(link, path, sizeof path - 1);
    const ssize_t tail = (ssize_t)strlen(end);
    if (size < tail) return 0;
    path[size] = 0;
    return strcmp(path + size - tail, end) == 0;
}

static int is_segment(int fd) { return ends_with(fd, ".journal"); }

// The error of a write to the ledger right now; 0: none.
static int ledger_error(int fd) {
    const char* name = getenv("BAD_DISK_LEDGER");
    if (!name || !(ends_with(fd, "/ledger.db") || ends_with(fd, "/ledger.db-wal"))) return 0;
    FILE* file = fopen(name, "r");
    if (!file) return 0;
    int error = 0;
    if (fscanf(file, "%d", &error) != 1) error = EIO;
    fclose(file);
    return error;
}

static ino_t inode_of(int fd) {
    struct stat about;
    return fstat(fd, &about) == 0 ? about.st_ino : 0;
}

static void note_failure(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const char* name = getenv("BAD_DISK_NOTE");
    FILE* note = name ? fopen(name, "wx") : NULL;
    if (!note) return;
    fprintf(note, "%ld.%09ld\n", (long)now.tv_sec, now.tv_nsec);
    fclose(note);
}

static int is_due(long* count, const char* name) {
    const long at = number(name);
    if (at == 0 || __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST) < at) return 0;
    note_failure();
    return 1;
}

__attribute__((noreturn)) void _Exit(int code) {
    usleep(300 * 1000);
    _exit(code);
}

int fdatasync(int fd) {
    int (*real)(int) = dlsym(RTLD_NEXT, "fdatasync");
    if (is_segment(fd) && is_due(&syncs, "BAD_DISK_FAIL_SYNC")) return errno = EIO, -1;
    return real(fd);
}

// Keeps the latest write back, after doing the one kept before.
static ssize_t keep(int fd, const void* bytes, size_t size, off_t offset) {
    ssize_t (*real)(int, const void*, size_t, off_t) = dlsym(RTLD_NEXT, "pwrite64");
    pthread_mutex_lock(&mutex);
    if (kept.fd >= 0 && real(kept.fd, kept.bytes, kept.size, kept.offset) < 0) abort();
    if (kept.fd >= 0) close(kept.fd);
    free(kept.bytes);
    kept.fd = dup(fd);
    kept.inode = inode_of(fd);
    kept.offset = offset;
    kept.size = size;
    kept.bytes = memcpy(malloc(size), bytes, size);
    pthread_mutex_unlock(&mutex);
    return (ssize_t)size;
}

ssize_t pwrite64(int fd, const void* bytes, size_t size, off_t offset) {
    ssize_t (*real)(int, const void*, size_t, off_t) = dlsym(RTLD_NEXT, "pwrite64");
    const int error = ledger_error(fd);
    if (error) return errno = error, -1;
    if (!is_segment(fd)) return real(fd, bytes, size, offset);
    if (is_due(&writes, "BAD_DISK_FAIL_WRITE")) return errno = EIO, -1;
    if (number("BAD_DISK_LIE")) return keep(fd, bytes, size, offset);
    return real(fd, bytes, size, offset);
}

ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
    return pwrite64(fd, bytes, size, offset);
}

// The process itself must see what it has written.
ssize_t pread64(int fd, void* into, size_t size, off_t offset) {
    ssize_t (*real)(int, void*, size_t, off_t) = dlsym(RTLD_NEXT, "pread64");
    pthread_mutex_lock(&mutex);
    const ssize_t got = real(fd, into, size, offset);
    if (got > 0 && kept.fd >= 0 && is_segment(fd) && inode_of(fd) == kept.inode) {
        for (ssize_t i = 0; i < got; ++i) {
            const off_t at = offset + i - kept.offset;
            if (at >= 0 && at < (off_t)kept.size) ((char*)into)[i] = kept.bytes[at];
        }
    }
    pthread_mutex_unlock(&mutex);
    return got;
}

ssize_t pread(int fd, void* into, size_t size, off_t offset) {
    return pread64(fd, into, size, offset);
}
