/* How long kernels take, by the records of CUPTI's activities: each is found the way of the launch that it is of. */
#include "contents.h"

typedef int (*call)();

/* kernel_record is the beginning of CUPTI's record of a kernel that has run, as it is from CUDA 9 on (CUpti_ActivityKernel4 and later). */
struct kernel_record {
  uint32_t kind, config, shared_config[2];
  uint64_t start, end, completed; /* in nanoseconds */
  uint32_t device, context, stream, grid[3], block[3], shared_static, shared, local, local_total, correlation;
  int64_t number;
  const char *name;
};
enum { concurrent_kernel = 10 };

/* timed adds the time of a launch. Where there is no more room, every other one of those that are kept is dropped. */
static void timed(struct variant *v, uint64_t start, uint64_t ns, unsigned stream) {
  struct times *t = &v->times;
  if (t->count == 0) t->every = 1, t->stream = stream;
  t->total += ns;
  if (t->count++ % t->every != 0) return;
  if (t->kept == most_times) {
    for (t->kept = 0; t->kept < most_times / 2; t->kept++) t->each[t->kept] = t->each[2 * t->kept], t->starts[t->kept] = t->starts[2 * t->kept];
    t->every *= 2;
    if ((t->count - 1) % t->every != 0) return;
  }
  t->starts[t->kept] = start, t->each[t->kept++] = ns;
}

/* waiting is a launch whose record has not come yet. */
struct waiting {
  uint32_t correlation;
  struct variant *way;
  struct waiting *next;
};
static struct waiting *expected[4096];
static call next_record;

/* await notes whose time the record with a number will tell. */
static void await(uint32_t correlation, struct variant *way) {
  struct waiting *w = malloc(sizeof *w), **list = &expected[correlation % (sizeof expected / sizeof *expected)];
  if (!w) abort();
  *w = (struct waiting){correlation, way, *list};
  *list = w;
}

/* sizes_of is a hash of what a record tells of a launch. */
static uint64_t sizes_of(const uint32_t *grid, const uint32_t *block) { return hash(hash(HASH_START, grid, 12), block, 12); }

/* way_of finds the way of the launch that has left a record: of a launch from a graph, the one of the kernel's name and ND-range that has the
   fewest times, as graphs run what was added to them in turn. */
static struct variant *way_of(const struct kernel_record *r) {
  struct waiting **list = &expected[r->correlation % (sizeof expected / sizeof *expected)];
  for (; *list; list = &(*list)->next) {
    struct waiting *w = *list;
    if (w->correlation != r->correlation) continue;
    struct variant *way = w->way;
    *list = w->next;
    free(w);
    return way;
  }
  struct variant *best = NULL;
  uint64_t like = sizes_of(r->grid, r->block);
  for (struct seen *s = journal.seen; s && r->name; s = s->next) {
    if (strcmp(s->name, r->name) != 0) continue;
    for (struct variant *v = s->variants; v; v = v->next) {
      if (v->sizes == like && v->added > 0 && (!best || v->times.count < best->times.count)) best = v;
    }
  }
  return best;
}

/* give_room and take_records are called by CUPTI, which fills buffers with records. */
static void give_room(uint8_t **at, size_t *size, size_t *records) {
  *size = 1 << 20, *records = 0;
  if (posix_memalign((void **)at, 8, *size) != 0) *at = NULL, *size = 0;
}

static void take_records(void *context, uint32_t stream, uint8_t *at, size_t size, size_t used) {
  (void)context, (void)stream, (void)size;
  const struct kernel_record *r = NULL;
  pthread_mutex_lock(&journal.lock);
  while (next_record(at, used, &r) == 0) {
    if (r->kind != concurrent_kernel || r->end <= r->start) continue;
    struct variant *way = way_of(r);
    if (way) timed(way, r->start, r->end - r->start, r->stream);
  }
  pthread_mutex_unlock(&journal.lock);
  free(at);
}

static call flush;
static void flush_records(void) { flush(1u); }

/* listen_to_records has CUPTI record how long kernels take. */
static void listen_to_records(void *cupti) {
  call take = (call)dlsym(cupti, "cuptiActivityRegisterCallbacks"), on = (call)dlsym(cupti, "cuptiActivityEnable");
  next_record = (call)dlsym(cupti, "cuptiActivityGetNextRecord");
  flush = (call)dlsym(cupti, "cuptiActivityFlushAll");
  if (!take || !on || !next_record || !flush || take(give_room, take_records) != 0 || on(concurrent_kernel) != 0) {
    problem("no times", "cuptiActivityEnable");
  } else {
    atexit(flush_records);
  }
}
