/* A driver of CUDA with CUPTI's callbacks that has no GPU: as much of both as the library that captures asks for. Compiled as a shared
   library it is libcuda.so.1 and libcupti.so at once; with -DAPPLICATION it is an application that launches kernels through it. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef APPLICATION

int main(int argc, char **argv) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW), *injected = dlopen(getenv("CUDA_INJECTION64_PATH"), RTLD_NOW);
  if (argc < 2 || !driver || !injected) return fprintf(stderr, "%s\n", dlerror()), 1;
  ((int (*)(void))dlsym(injected, "InitializeInjection"))();
  ((void (*)(const char *, int))dlsym(driver, "play"))(argv[1], argc > 2);
  return 0;
}

#else

typedef void (*callback)(void *, int, uint32_t, const void *);
static callback subscriber;
static char watched[2][1024]; /* the API, and resources */

int cuptiSubscribe(void **handle, callback f, void *user) {
  *handle = user;
  subscriber = f;
  return 0;
}

int cuptiEnableCallback(uint32_t on, void *handle, int domain, uint32_t id) {
  (void)handle;
  watched[domain == 3][id] = on;
  return 0;
}

/* Records of kernels wait in a buffer of the subscriber's until it asks for them. Each launch takes as many microseconds as there were before, and begins 100
   after the one before. */
struct record {
  uint32_t kind, none[3];
  uint64_t start, end, completed;
  uint32_t device, context, stream, grid[3], block[3], memory[4], correlation;
  int64_t number;
  const char *name;
};
static struct {
  void (*room)(uint8_t **, size_t *, size_t *);
  void (*done)(void *, uint32_t, uint8_t *, size_t, size_t);
  struct record all[100];
  int count, on;
} records;

int cuptiActivityRegisterCallbacks(void *room, void *done) { return records.room = room, records.done = done, 0; }

int cuptiActivityEnable(int kind) { return records.on = kind == 10, 0; }

int cuptiActivityFlushAll(uint32_t flag) {
  uint8_t *at = NULL;
  size_t size = 0, most = 0;
  (void)flag;
  records.room(&at, &size, &most);
  memcpy(at, records.all, sizeof *records.all * records.count);
  records.done(NULL, 0, at, size, sizeof *records.all * records.count);
  return records.count = 0;
}

int cuptiActivityGetNextRecord(uint8_t *at, size_t size, struct record **r) {
  uint8_t *next = *r ? (uint8_t *)(*r + 1) : at;
  *r = (struct record *)next;
  return next >= at + size ? 12 : 0;
}

static void ran(uint32_t correlation, const char *name, unsigned grid, unsigned block) {
  if (!records.on) return;
  records.all[records.count] = (struct record){
      .kind = 10, .start = 1000000 + 100000 * records.count, .end = 1001000 + 101000 * records.count, .stream = 7, .grid = {grid, 1, 1}, .block = {block, 1, 1}, .correlation = correlation, .name = name};
  records.count++;
}

/* A function knows its parameters; a kernel, which belongs to no module, knows its function. */
struct function {
  const char *name;
  size_t params[4][2]; /* offset and size */
  struct function *of;
};

/* Memory of the device is memory. */
static float x[16] = {1, 2, 3}, y[32] = {4, 5, 6};
static void *table[2] = {x, y + 2};
static float coefficients[4] = {1, 2, 3, 4};
static float pool[40 << 18], rows[6 << 18]; /* 40 and 6 MiB */
static const struct {
  void *start;
  size_t size;
} memory[] = {{x, sizeof x}, {y, sizeof y}, {table, sizeof table}, {pool, sizeof pool}, {rows, sizeof rows}};

int cuPointerGetAttributes(unsigned n, const int *which, void **places, uintptr_t address) {
  (void)n, (void)which;
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
    uintptr_t start = (uintptr_t)memory[i].start;
    if (address < start || address >= start + memory[i].size) continue;
    *(unsigned *)places[0] = memory[i].start == y ? 1 : 2; /* on the host, on the device */
    *(uintptr_t *)places[1] = start;
    *(size_t *)places[2] = memory[i].size;
    *(unsigned *)places[3] = memory[i].start == (void *)table; /* managed */
  }
  return 0;
}

int cuFuncGetParamInfo(struct function *f, size_t i, size_t *offset, size_t *size) {
  if (i >= 4 || f->params[i][1] == 0) return 1;
  *offset = f->params[i][0], *size = f->params[i][1];
  return 0;
}

int cuFuncGetModule(void **module, struct function *f) {
  *module = f;
  return f->of != NULL;
}

int cuKernelGetFunction(struct function **f, struct function *kernel) {
  *f = kernel->of;
  return 0;
}

int cuModuleGetGlobal_v2(uintptr_t *start, size_t *size, void *module, const char *name) {
  (void)module;
  *start = (uintptr_t)coefficients, *size = sizeof coefficients;
  return strcmp(name, "coefficients") != 0;
}

int cuMemcpyDtoH_v2(void *to, uintptr_t from, size_t size) { return memcpy(to, (void *)from, size), 0; }

int cuStreamIsCapturing(void *stream, int *capturing) { return *capturing = stream != NULL, 0; }

int cuThreadExchangeStreamCaptureMode(int *mode) { return *mode = 0; }

int cuFuncGetName(const char **name, struct function *f) { return *name = f->name, 0; }

int cuCtxSynchronize(void) { return 0; }

int cuCtxGetDevice(int *device) { return *device = 0; }

int cuDeviceGetName(char *name, int size, int device) { return (void)device, snprintf(name, size, "no \"GPU\""), 0; }

int cuDeviceGetAttribute(int *value, int which, int device) { return (void)device, *value = which == 75 ? 9 : 0, 0; }

static uint32_t calls;

/* call tells of a call of the API, before and after it. */
static void call(uint32_t id, const void *params, const char *symbol, void *context) {
  int result = 0;
  struct {
    int site;
    const char *function;
    const void *params;
    int *result;
    const char *symbol;
    void *context;
    uint32_t number;
    uint64_t *data;
    uint32_t correlation;
  } data = {.params = params, .result = &result, .symbol = symbol, .context = context, .correlation = ++calls};
  for (; data.site < 2; data.site++) {
    if (watched[0][id]) subscriber(NULL, 1, id, &data);
  }
}

static void launch(uint32_t id, struct function *f, int context, void *stream, void **values, void **extra) {
  struct {
    void *function;
    unsigned grid[3], block[3], shared;
    void *stream, **values, **extra;
  } params = {f, {2, 1, 1}, {8, 1, 1}, 64, stream, values, extra};
  call(id, &params, f->name, context ? x : NULL);
  if (!stream) ran(calls, f->name, 2, 8);
}

static void load(const char *path) {
  static char code[1 << 20];
  FILE *f = fopen(path, "rb");
  struct {
    uint32_t id;
    size_t size;
    const void *cubin;
  } module = {7, f ? fread(code, 1, sizeof code, f) : 0, code};
  struct {
    void *context, *stream, *module;
  } data = {NULL, NULL, &module};
  if (f) fclose(f);
  if (watched[1][6]) subscriber(NULL, 3, 6, &data);
}

/* large launches what is passed parts of large memory: floats, and what looks like numbers of rows. */
static void large(void) {
  struct function view = {"_Z4view4View4Pair", {{0, 8}, {8, 8}, {16, 8}}, NULL};
  void *low = pool + (4 << 18), *high = pool + (5 << 18), *third = rows + (1 << 18), *three[] = {&high, &low, &third};
  for (size_t i = 0; i < sizeof pool / sizeof *pool; i++) pool[i] = 1.5f;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) memcpy(rows + i, &i, sizeof *rows);
  launch(307, &view, 0, NULL, three, NULL);
}

void play(const char *cubin, int how) {
  struct function axpy = {"_Z4axpyIfEviT_PKS0_PS0_", {{0, 4}, {4, 4}, {8, 8}, {16, 8}}, NULL}, again = axpy, elsewhere = axpy;
  struct function view = {"_Z4view4View4Pair", {{0, 32}, {32, 4}}, NULL}, graph = {"_Z8in_graphPfy", {{0, 8}, {8, 8}}, NULL};
  struct function together = {"_Z8togetherPf", {{0, 8}}, NULL}, ranks = {"_Z5ranksPf", {{0, 8}}, NULL}, added = {"_Z7reversePfi", {{0, 8}, {8, 4}}, NULL};
  struct function nothing = {"_Z7nothingv", {{0, 0}}, NULL}, kernel = {nothing.name, {{0, 0}}, &nothing};
  int n = 3;
  float a = 2;
  void *to_x = x, *to_y = y + 4, *number = (void *)5;
  void *four[] = {&n, &a, &to_x, &to_y}, *one[] = {&to_y}, *reversed[] = {&to_y, &n}, *two[] = {&to_x, &number}, *other[] = {&to_x};
  struct {
    void *data;
    int n, none;
    void *out;
    double scale;
    short pair[2];
  } packed = {x, 3, 0, table, 0.5, {3, 4}};
  size_t size = 36;
  void *extra[] = {(void *)2, &size, (void *)1, &packed, NULL};

  load(cubin);
  if (how) {
    large();
    return;
  }
  launch(307, &axpy, 0, NULL, four, NULL);
  launch(442, &axpy, 0, NULL, four, NULL);
  launch(307, &again, 0, NULL, four, NULL);      /* another kernel of the name */
  launch(307, &elsewhere, 1, NULL, four, NULL); /* on another device, where it may be either */
  n = 4;
  launch(307, &axpy, 0, NULL, four, NULL); /* another value */
  to_x = x + 2;
  launch(307, &axpy, 0, NULL, four, NULL); /* another address is the same launch */
  n = 3, to_x = x;
  launch(307, &view, 0, NULL, NULL, extra);
  launch(307, &graph, 0, x, two, NULL); /* x stands for a stream that is captured */
  for (int i = 0; i < 4; i++) launch(478, &together, 0, NULL, i % 2 ? other : one, NULL); /* two memories take turns */
  launch(307, &kernel, 0, NULL, NULL, NULL);
  struct {
    int id;
    union {
      unsigned words[16];
      uint64_t align;
    } value;
  } cluster = {4, {{2, 1, 1}}};
  struct {
    unsigned grid[3], block[3], shared;
    void *stream, *attributes;
    unsigned count;
  } config = {{4, 2, 1}, {32, 1, 1}, 0, NULL, &cluster, 1};
  struct {
    void *config, *function, **values, **extra;
  } params = {&config, &ranks, one, NULL};
  call(652, &params, ranks.name, NULL);

  struct {
    int type, reserved[3];
    struct {
      void *function;
      unsigned grid[3], block[3], shared;
      void **values, **extra, *kernel, *context;
    } kernel;
  } node = {0, {0}, {&added, {3, 1, 1}, {64, 1, 1}, 0, reversed, NULL, NULL, NULL}};
  void *added_params[] = {NULL, NULL, NULL, NULL, &node, &node};
  call(712, added_params, NULL, NULL);
  call(723, added_params, NULL, NULL);
  node.type = 1; /* a copy of memory */
  call(723, added_params, NULL, NULL);
  added_params[4] = &node.kernel;
  node.kernel.function = NULL, node.kernel.kernel = &added;
  call(689, added_params, NULL, NULL);
  for (int i = 0; i < 40; i++) ran(0, added.name, 3, 64); /* graphs run */
}

#endif
