/* What the two libraries share: a journal in a folder, one JSON object per line, each written by one call, so that a program that
   crashes leaves whole lines. The folder and what to capture stand in the environment, as perf has set it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <regex.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* text is a line that is being written. */
struct text {
  char *at;
  size_t used, room;
};

/* seen is a kernel that has been launched. Kernels of one name are told apart by the code that they are of, unless they are in another
   context, as the same kernel is on several devices. */
struct seen {
  char *name;
  const void *code, *context;
  long id, launches;
  int wanted;
  struct variant *variants;
  struct seen *next;
};

enum { most_times = 32, most_places = 16 };

/* times are how long launches have taken, in nanoseconds: of all, and of every so many from the first on, in the order in which they ended. */
struct times {
  long count, kept, every;
  uint64_t total, each[most_times], starts[most_times];
  unsigned stream;
};

/* places are where the memory lay that a launch was passed, in the order in which it is passed. */
struct places {
  int count;
  uint64_t at[most_places];
};

/* variant is a way to launch a kernel: its ND-range, and the values that it is passed. */
struct variant {
  uint64_t shape, values, sizes; /* hashes; sizes is that of what the device tells of a launch: work-groups and work-items */
  long number, launches, order;  /* the first launch of the kernel, and of all kernels, and how many there were */
  long added;                    /* launches among them that go into graphs, which run any number of times */
  int copied;                    /* whether contents were copied before the first, which leaves the caches as they were not */
  struct times times;
  struct places places[most_times]; /* of the first launches */
  struct variant *next;
};

/* So many variants are told apart by their values alone. Others count as the first of the same ND-range: padding is a value too. */
enum { most_values = 16 };

static struct {
  int file;
  const char *folder, *interface;
  regex_t kernels;
  int all;       /* whether each kernel is wanted */
  long launch;   /* which launch of each; 0 is the first of each variant */
  size_t limit;  /* bytes of a buffer whose contents are kept; 0 keeps none */
  int chosen;    /* whether large ones are kept only where they look like what decides */
  long files;    /* written until now */
  long launches; /* of all kernels */
  struct seen *seen;
  char *(*demangle)(const char *, char *, size_t *, int *);
  pthread_mutex_t lock;
} journal = {.file = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

static void room(struct text *t, size_t more) {
  if (t->used + more < t->room) return;
  t->room = 2 * (t->used + more) + 256;
  t->at = realloc(t->at, t->room);
  if (!t->at) abort();
}

static void put(struct text *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(NULL, 0, format, args);
  va_end(args);
  room(t, n + 1);
  va_start(args, format);
  vsnprintf(t->at + t->used, n + 1, format, args);
  va_end(args);
  t->used += n;
}

static void put_string(struct text *t, const char *s) {
  put(t, "\"");
  for (; *s; s++) put(t, *s == '"' || *s == '\\' ? "\\%c" : (unsigned char)*s < ' ' ? "\\u%04x" : "%c", *s);
  put(t, "\"");
}

static void put_hex(struct text *t, const unsigned char *bytes, size_t n) {
  put(t, "\"");
  for (size_t i = 0; i < n; i++) put(t, "%02x", bytes[i]);
  put(t, "\"");
}

static void put_sizes(struct text *t, const char *key, const size_t *sizes, int n) {
  put(t, ",\"%s\":[", key);
  for (int i = 0; i < n; i++) put(t, "%s%zu", i ? "," : "", sizes[i]);
  put(t, "]");
}

static void write_all(int file, const char *at, size_t n) {
  while (n > 0) {
    ssize_t done = write(file, at, n);
    if (done < 0 && errno != EINTR) return;
    if (done > 0) at += done, n -= done;
  }
}

/* finish ends a line and writes it. */
static void finish(struct text *t) {
  put(t, "}\n");
  if (journal.file >= 0) write_all(journal.file, t->at, t->used);
  free(t->at);
}

static void problem(const char *what, const char *detail) {
  struct text t = {0};
  put(&t, "{\"event\":\"problem\",\"what\":");
  put_string(&t, what);
  put(&t, ",\"detail\":");
  put_string(&t, detail ? detail : "");
  finish(&t);
}

/* write_file writes a file beside the journal, and tells its name. It returns 0 where that cannot be done. */
static int write_file(const char *kind, const void *bytes, size_t n, char name[64]) {
  char path[4096];
  snprintf(name, 64, "%ld-%ld.%s", (long)getpid(), __sync_add_and_fetch(&journal.files, 1), kind);
  snprintf(path, sizeof path, "%s/%s", journal.folder, name);
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) {
    problem("a file cannot be written", path);
    return 0;
  }
  write_all(file, bytes, n);
  close(file);
  return 1;
}

/* save writes a file beside the journal and puts its name into the line. */
static void save(struct text *t, const char *kind, const void *bytes, size_t n) {
  char name[64];
  if (write_file(kind, bytes, n, name)) put(t, ",\"file\":\"%s\"", name);
}

/* begin opens the journal. It returns 0 where this process is not to be captured. */
static int begin(const char *interface) {
  if (journal.file >= 0) return 1;
  const char *launch = getenv("PERF_CAPTURE_LAUNCH"), *limit = getenv("PERF_CAPTURE_CONTENTS"), *kernels = getenv("PERF_CAPTURE_KERNEL"),
             *chosen = getenv("PERF_CAPTURE_CHOSEN");
  journal.folder = getenv("PERF_CAPTURE_FOLDER");
  if (!journal.folder) return 0;
  journal.interface = interface;
  journal.launch = launch ? atol(launch) : 0;
  journal.chosen = chosen && *chosen == '1';
  journal.limit = limit ? strtoull(limit, NULL, 10) : 0;
  journal.all = !kernels || !*kernels || regcomp(&journal.kernels, kernels, REG_EXTENDED | REG_NOSUB) != 0;
  void *cxx = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
  if (cxx) journal.demangle = (char *(*)(const char *, char *, size_t *, int *))dlsym(cxx, "__cxa_demangle");
  char path[4096];
  snprintf(path, sizeof path, "%s/%s-%ld.jsonl", journal.folder, interface, (long)getpid());
  journal.file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  return journal.file >= 0;
}

/* hash continues a hash by bytes (FNV-1a). */
static uint64_t hash(uint64_t h, const void *bytes, size_t n) {
  for (size_t i = 0; i < n; i++) h = (h ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
  return h;
}

#define HASH_START 14695981039346656037u

/* counted finds the variant of a launch and counts it. */
static struct variant *counted(struct seen *s, uint64_t shape, uint64_t values) {
  struct variant *like = NULL, **end = &s->variants;
  int same = 0;
  for (; *end; end = &(*end)->next) {
    struct variant *v = *end;
    if (v->shape != shape) continue;
    if (v->values == values) return v->launches++, v;
    if (!same++) like = v;
  }
  if (same >= most_values) return like->launches++, like;
  struct variant *v = calloc(1, sizeof *v);
  if (!v) abort();
  *v = (struct variant){.shape = shape, .values = values, .number = s->launches, .launches = 1, .order = journal.launches};
  return *end = v;
}

/* wanted counts a launch of a kernel, and returns the kernel if it is to be captured, with the number of the launch. The first launch is told
   to the journal. The way of the launch is told in any case. */
static const struct seen *wanted(const char *name, const void *code, const void *context, uint64_t shape, uint64_t values, long *number, struct variant **way) {
  pthread_mutex_lock(&journal.lock);
  struct seen *s = journal.seen;
  while (s && ((s->context == context && s->code != code) || strcmp(s->name, name) != 0)) s = s->next;
  if (!s) {
    char *plain = journal.demangle ? journal.demangle(name, NULL, NULL, NULL) : NULL;
    s = calloc(1, sizeof *s);
    if (!s) abort();
    s->name = strdup(name);
    s->code = code;
    s->context = context;
    s->id = journal.seen ? journal.seen->id + 1 : 1;
    s->wanted = journal.all || regexec(&journal.kernels, name, 0, NULL, 0) == 0 || (plain && regexec(&journal.kernels, plain, 0, NULL, 0) == 0);
    s->next = journal.seen;
    journal.seen = s;
    struct text t = {0};
    put(&t, "{\"event\":\"kernel\",\"id\":%ld,\"interface\":\"%s\",\"kernel\":", s->id, journal.interface);
    put_string(&t, name);
    put(&t, ",\"plain\":");
    put_string(&t, plain ? plain : name);
    put(&t, ",\"wanted\":%s", s->wanted ? "true" : "false");
    finish(&t);
    free(plain);
  }
  *number = ++s->launches;
  journal.launches++;
  *way = counted(s, shape, values);
  int now = s->wanted && *number == (journal.launch ? journal.launch : (*way)->number);
  pthread_mutex_unlock(&journal.lock);
  return now ? s : NULL;
}

/* put_places writes where memory lay in the first launches, as far as they do not repeat. */
static void put_places(struct text *t, const struct variant *v) {
  int n = v->launches < most_times ? (int)v->launches : most_times, period = 1;
  for (int i = 1; i < n; i++) {
    if (v->places[i].count != v->places[0].count) return;
    if (memcmp(v->places[i].at, v->places[i % period].at, sizeof v->places[i].at) != 0) period = i + 1, i = 0;
  }
  if (period == 1) return;
  put(t, ",\"places\":[");
  for (int i = 0; i < period; i++) {
    put(t, i ? ",[" : "[");
    for (int k = 0; k < v->places[i].count; k++) put(t, "%s%llu", k ? "," : "", (unsigned long long)v->places[i].at[k]);
    put(t, "]");
  }
  put(t, "]");
}

/* put_numbers writes a list. */
static void put_numbers(struct text *t, const char *key, const uint64_t *list, long n) {
  put(t, ",\"%s\":[", key);
  for (long i = 0; i < n; i++) put(t, "%s%llu", i ? "," : "", (unsigned long long)list[i]);
  put(t, "]");
}

/* end_count writes how often a kernel was launched in a way, and how long that took. Launches of graphs are counted by their times. */
static void end_count(long id, const struct variant *v) {
  struct text t = {0};
  const struct times *of = &v->times;
  long launches = v->added > 0 && of->count > v->launches - v->added ? of->count : v->launches;
  put(&t, "{\"event\":\"count\",\"id\":%ld,\"number\":%ld,\"launches\":%ld,\"order\":%ld", id, v->number, launches, v->order);
  if (of->count > 0) {
    put(&t, ",\"timed\":%ld,\"total\":%llu,\"stream\":%u,\"copied\":%s", of->count, (unsigned long long)of->total, of->stream, v->copied ? "true" : "false");
    put_numbers(&t, "each", of->each, of->kept);
    put_numbers(&t, "starts", of->starts, of->kept);
    put_places(&t, v);
  }
  finish(&t);
}

/* end writes how often each kernel was launched in each way. */
__attribute__((destructor)) static void end(void) {
  if (journal.file < 0) return;
  for (struct seen *s = journal.seen; s; s = s->next) {
    for (struct variant *v = s->variants; v; v = v->next) end_count(s->id, v);
  }
}
