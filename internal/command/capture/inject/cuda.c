/* The library that the CUDA driver loads by CUDA_INJECTION64_PATH. It subscribes to CUPTI's callbacks of the driver API and writes
   the launches of kernels and the modules that are loaded into a journal. What it needs of CUDA and CUPTI is declared here, and found
   when the program runs, so that it is compiled without their headers. */
#include "records.h"
#include <elf.h>

typedef uint64_t device_pointer;

/* CUPTI's domains, sites and callbacks (cupti_callbacks.h, cupti_driver_cbid.h). */
enum { driver_api = 1, resource = 3 };
enum { enter = 0 };
enum { module_loaded = 6 };
enum {
  module_load = 18,
  module_load_data = 19,
  module_load_data_ex = 20,
  module_load_fat_binary = 21,
  launch_kernel = 307,
  launch_kernel_ptsz = 442,
  launch_cooperative = 477,
  launch_cooperative_ptsz = 478,
  graph_add_kernel = 502,
  launch_kernel_ex = 652,
  launch_kernel_ex_ptsz = 653,
  graph_add_kernel_v2 = 689,
  graph_add = 712,
  graph_add_v2 = 723,
};
static const int watched[] = {
    module_load,      module_load_data,      module_load_data_ex, module_load_fat_binary,
    launch_kernel,    launch_kernel_ptsz,    launch_cooperative,  launch_cooperative_ptsz,
    launch_kernel_ex, launch_kernel_ex_ptsz, graph_add_kernel,    graph_add_kernel_v2,
    graph_add,        graph_add_v2,
};

struct callback_data {
  int site;
  const char *function;
  const void *params;
  int *result;
  const char *symbol;
  const void *context;
  uint32_t context_number;
  uint64_t *data;
  uint32_t correlation; /* the number of the call, which records of what it does have too */
};

struct module_data {
  uint32_t id;
  size_t size;
  const void *cubin;
};

struct resource_data {
  void *context, *stream;
  struct module_data *module;
};

/* The parameters of cuLaunchKernel, of which those of cuLaunchCooperativeKernel are the beginning; those of cuLaunchKernelEx. */
struct launch_params {
  void *function;
  unsigned grid[3], block[3], shared;
  void *stream, **values, **extra;
};

struct attribute {
  int id;
  union {
    unsigned words[16];
    uint64_t align;
  } value;
};

struct config {
  unsigned grid[3], block[3], shared;
  void *stream;
  struct attribute *attributes;
  unsigned count;
};

struct launch_ex_params {
  const struct config *config;
  void *function, **values, **extra;
};

/* What is added to a graph. */
struct kernel_node {
  void *function;
  unsigned grid[3], block[3], shared;
  void **values, **extra;
  void *kernel, *context; /* not of the first version */
};

struct any_node {
  int type, reserved[3]; /* 0 is a kernel */
  struct kernel_node kernel;
};

enum { small = 65536 }; /* bytes of memory that may be looked through */
enum { attribute_cooperative = 2, attribute_cluster = 4 };

/* launch is a launch in whichever way it was asked for. */
struct launch {
  void *function;
  size_t grid[3], block[3], cluster[3];
  unsigned shared;
  void *stream, **values, **extra;
  int cooperative, graph; /* whether it is a node of a graph, which runs later */
  uint32_t correlation;
};

/* The driver's functions. */
static struct {
  call param_info, get_module, get_global, kernel_function, pointer_attributes, copy, is_capturing, exchange_mode, synchronize, get_device, device_name,
      device_attribute, function_name;
} cu;
static const struct {
  const char *name;
  call *place;
} functions[] = {
    {"cuFuncGetParamInfo", &cu.param_info},
    {"cuFuncGetModule", &cu.get_module},
    {"cuModuleGetGlobal_v2", &cu.get_global},
    {"cuKernelGetFunction", &cu.kernel_function},
    {"cuPointerGetAttributes", &cu.pointer_attributes},
    {"cuMemcpyDtoH_v2", &cu.copy},
    {"cuStreamIsCapturing", &cu.is_capturing},
    {"cuThreadExchangeStreamCaptureMode", &cu.exchange_mode},
    {"cuCtxSynchronize", &cu.synchronize},
    {"cuCtxGetDevice", &cu.get_device},
    {"cuDeviceGetName", &cu.device_name},
    {"cuDeviceGetAttribute", &cu.device_attribute},
    {"cuFuncGetName", &cu.function_name},
};

static __thread int inside;        /* a callback of this thread calls the driver itself */
static __thread uint32_t loaded;   /* the module that this thread has loaded last */

/* memory is an allocation that an argument points into. */
struct memory {
  device_pointer start;
  size_t size;
  unsigned type, managed;
};

/* find tells in which allocation an address lies. */
static int find(device_pointer address, struct memory *m) {
  enum { memory_type = 2, is_managed = 8, range_start = 11, range_size = 12 };
  unsigned wanted[] = {memory_type, range_start, range_size, is_managed};
  void *places[] = {&m->type, &m->start, &m->size, &m->managed};
  memset(m, 0, sizeof *m);
  if (address < 4096 || address >> 57) return 0;
  return cu.pointer_attributes(4u, wanted, places, address) == 0 && m->size > 0 && address >= m->start && address - m->start < m->size;
}

/* runs_later tells whether a launch goes into a graph. */
static int runs_later(const struct launch *l) {
  int capturing = 0;
  return l->graph || cu.is_capturing(l->stream, &capturing) != 0 || capturing;
}

/* contents copies what memory holds when the launch begins; the caller frees it. It is NULL where streams are captured into graphs, and
   nothing may be copied. */
static unsigned char *contents(const struct launch *l, device_pointer start, size_t size) {
  int mode = 2; /* relaxed */
  if (runs_later(l)) return NULL;
  unsigned char *bytes = malloc(size);
  if (!bytes) return NULL;
  cu.exchange_mode(&mode);
  if (cu.synchronize() != 0 || cu.copy(bytes, start, size) != 0) {
    free(bytes);
    bytes = NULL;
  }
  cu.exchange_mode(&mode);
  return bytes;
}

/* put_contents writes what memory of a size holds from a place on, and how many addresses are among it as far as it is small: they mean nothing elsewhere. */
static void put_contents(struct text *t, const unsigned char *bytes, size_t from, size_t n, size_t size) {
  int addresses = 0;
  for (size_t at = 0; size <= small && at + 8 <= size; at += 8) {
    struct memory m;
    device_pointer address;
    memcpy(&address, bytes + at, sizeof address);
    addresses += find(address, &m);
  }
  put(t, ",\"addresses\":%d", addresses);
  save_contents(t, bytes, from, n, size);
}

/* parameter is the bytes of a parameter; NULL is none. */
static const unsigned char *parameter(const struct launch *l, size_t i, size_t *offset, size_t *size) {
  const unsigned char *packed = NULL;
  for (void **e = l->values ? NULL : l->extra; e && *e; e += 2) {
    if (*e == (void *)1) packed = e[1];
  }
  if (cu.param_info(l->function, i, offset, size) != 0) return NULL;
  return packed ? packed + *offset : l->values ? l->values[i] : NULL;
}

/* values_of is a hash of the parameters without addresses: those change where nothing else does. */
static uint64_t values_of(const struct launch *l) {
  uint64_t h = HASH_START;
  size_t offset = 0, size = 0;
  const unsigned char *value;
  for (size_t i = 0; (value = parameter(l, i, &offset, &size)); i++) {
    size_t at = 0;
    while (at < size) {
      struct memory m;
      device_pointer address = 0;
      size_t n = 8 - ((offset + at) & 7);
      if (n > size - at) n = size - at;
      if (n == 8) memcpy(&address, value + at, 8);
      if (!find(address, &m)) h = hash(h, value + at, n);
      at += n;
    }
  }
  return h;
}

/* places_of finds the memory that parameters point into, each once. */
static struct places places_of(const struct launch *l) {
  struct places p = {0};
  size_t offset = 0, size = 0;
  const unsigned char *value;
  for (size_t i = 0; (value = parameter(l, i, &offset, &size)); i++) {
    for (size_t at = -offset & 7; at + 8 <= size; at += 8) {
      struct memory m;
      device_pointer address;
      memcpy(&address, value + at, sizeof address);
      if (!find(address, &m)) continue;
      int k = 0;
      while (k < p.count && p.at[k] != m.start) k++;
      if (k == p.count && k < most_places) p.at[p.count++] = m.start;
    }
  }
  return p;
}

/* part_of tells how many bytes of memory are kept, and from where on: of small memory all, of larger one what lies behind the places that are passed. */
static size_t part_of(const struct launch *l, const struct memory *m, device_pointer first, device_pointer last, size_t *from, int *copied) {
  unsigned char *sample = NULL;
  size_t left = m->start + m->size - first, n = left < looked_at ? left : looked_at;
  int large = journal.chosen && m->size > small_buffer;
  if (large && journal.limit > 0) sample = contents(l, first, n);
  size_t many = worth(m->size, sample, n);
  *copied |= sample != NULL;
  free(sample);
  *from = 0;
  if (!large || many == 0) return many;
  many += last - first;
  if (many > journal.limit) many = journal.limit;
  if (many > left) many = left;
  *from = first - m->start;
  return many;
}

/* put_params writes the parameters, and the allocations that they point into. It tells whether contents were copied. */
static int put_params(struct text *t, const struct launch *l) {
  struct memory found[256];
  device_pointer first[256], last[256]; /* of the addresses that are passed of each */
  int n = 0, copied = 0;
  size_t offset = 0, size = 0;
  const unsigned char *value;
  put(t, ",\"params\":[");
  for (size_t i = 0; (value = parameter(l, i, &offset, &size)); i++) {
    put(t, "%s{\"offset\":%zu,\"size\":%zu,\"hex\":", i ? "," : "", offset, size);
    put_hex(t, value, size);
    put(t, ",\"pointers\":[");
    const char *comma = "";
    for (size_t at = -offset & 7; at + 8 <= size; at += 8) {
      struct memory m;
      device_pointer address;
      memcpy(&address, value + at, sizeof address);
      if (!find(address, &m)) continue;
      int k = 0;
      while (k < n && found[k].start != m.start) k++;
      if (k == sizeof found / sizeof *found) break;
      if (k == n) first[n] = last[n] = address, found[n++] = m;
      if (address < first[k]) first[k] = address;
      if (address > last[k]) last[k] = address;
      put(t, "%s{\"offset\":%zu,\"memory\":%d,\"at\":%zu}", comma, at, k, (size_t)(address - m.start));
      comma = ",";
    }
    put(t, "]}");
  }
  put(t, "],\"memory\":[");
  for (int k = 0; k < n; k++) {
    put(t, "%s{\"bytes\":%zu,\"address\":%llu,\"host\":%s,\"managed\":%s", k ? "," : "", found[k].size, (unsigned long long)found[k].start, found[k].type == 1 ? "true" : "false", found[k].managed ? "true" : "false");
    unsigned char *bytes;
    size_t from, many = part_of(l, &found[k], first[k], last[k], &from, &copied);
    if (many > 0 && (bytes = contents(l, found[k].start + from, many))) {
      put_contents(t, bytes, from, many, found[k].size);
      free(bytes);
      copied = 1;
    }
    put(t, "}");
  }
  put(t, "]");
  return copied;
}

/* variable is memory that a module brings, with what it holds at first. */
struct variable {
  char *name;
  unsigned char *initial;
  size_t size;
  struct variable *next;
};

/* module is what the machine code of a module has. */
struct module {
  char **kernels;
  size_t count;
  struct variable *variables;
  struct module *next;
};
static struct module *modules;

static int has_kernel(const struct module *m, const char *name) {
  size_t i = 0;
  while (i < m->count && strcmp(m->kernels[i], name) != 0) i++;
  return i < m->count;
}

static void add_kernel(struct module *m, const char *name) {
  m->kernels = realloc(m->kernels, (m->count + 1) * sizeof *m->kernels);
  if (!m->kernels || !(m->kernels[m->count++] = strdup(name))) abort();
}

/* add_variable keeps what a variable holds at first: bytes of its section, or zeros. */
static void add_variable(struct module *m, const char *name, const Elf64_Sym *symbol, const Elf64_Shdr *section, const unsigned char *code) {
  struct variable *v = calloc(1, sizeof *v);
  if (!v || !(v->name = strdup(name)) || !(v->initial = calloc(1, symbol->st_size))) abort();
  v->size = symbol->st_size;
  if (section->sh_type != SHT_NOBITS) memcpy(v->initial, code + section->sh_offset + symbol->st_value, v->size);
  v->next = m->variables;
  m->variables = v;
}

/* within tells whether a part lies in something of a size. */
static int within(uint64_t at, uint64_t part, uint64_t size) { return at <= size && part <= size - at; }

/* read_symbols reads the symbol table of machine code, which is an ELF file. */
static struct module *read_symbols(const unsigned char *code, size_t size) {
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)code;
  struct module *m = calloc(1, sizeof *m);
  if (!m) abort();
  if (size < sizeof *header || memcmp(code, ELFMAG, SELFMAG) != 0 || code[EI_CLASS] != ELFCLASS64) return m;
  if (!within(header->e_shoff, header->e_shnum * sizeof(Elf64_Shdr), size)) return m;
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(code + header->e_shoff);
  for (int i = 0; i < header->e_shnum; i++) {
    if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= header->e_shnum) continue;
    const Elf64_Shdr *names = &sections[sections[i].sh_link];
    if (!within(sections[i].sh_offset, sections[i].sh_size, size) || !within(names->sh_offset, names->sh_size, size)) continue;
    const Elf64_Sym *symbols = (const Elf64_Sym *)(code + sections[i].sh_offset);
    for (size_t k = 0; k < sections[i].sh_size / sizeof *symbols; k++) {
      const Elf64_Sym *s = &symbols[k];
      if (s->st_name >= names->sh_size || s->st_shndx >= header->e_shnum) continue;
      const char *name = (const char *)code + names->sh_offset + s->st_name;
      const Elf64_Shdr *section = &sections[s->st_shndx];
      int type = ELF64_ST_TYPE(s->st_info), stored = section->sh_type != SHT_NOBITS;
      if (type == STT_FUNC) add_kernel(m, name);
      if (type != STT_OBJECT || s->st_size == 0 || !within(s->st_value, s->st_size, section->sh_size)) continue;
      if (!stored || within(section->sh_offset, section->sh_size, size)) add_variable(m, name, s, section, code);
    }
  }
  return m;
}

/* put_variables writes the variables of the module of a kernel that no longer hold what they held at first: small ones always, as they are
   parameters in all but name. */
static void put_variables(struct text *t, const struct launch *l, void *handle, const char *kernel) {
  const char *comma = "";
  put(t, ",\"variables\":[");
  pthread_mutex_lock(&journal.lock);
  struct module *m = modules;
  pthread_mutex_unlock(&journal.lock);
  while (m && !has_kernel(m, kernel)) m = m->next;
  for (struct variable *v = m ? m->variables : NULL; v; v = v->next) {
    device_pointer start = 0;
    size_t size = 0;
    if (cu.get_global(&start, &size, handle, v->name) != 0 || size != v->size || (size > small && size > journal.limit)) continue;
    unsigned char *bytes = contents(l, start, size);
    if (bytes && memcmp(bytes, v->initial, size) != 0) {
      put(t, "%s{\"name\":", comma);
      put_string(t, v->name);
      put(t, ",\"bytes\":%zu", size);
      put_contents(t, bytes, 0, size, size);
      put(t, "}");
      comma = ",";
    }
    free(bytes);
  }
  put(t, "]");
}

static void put_device(struct text *t) {
  int device = 0, major = 0, minor = 0;
  char name[256] = "";
  if (cu.get_device(&device) != 0) return;
  cu.device_name(name, (int)sizeof name, device);
  cu.device_attribute(&major, 75, device);
  cu.device_attribute(&minor, 76, device);
  put(t, ",\"device\":");
  put_string(t, name);
  put(t, ",\"arch\":\"sm_%d%d\"", major, minor);
}

static void launched(struct launch *l, const char *symbol, const void *context) {
  void *module = NULL, *function = NULL, *code = l->function;
  if (cu.get_module(&module, l->function) != 0 && cu.kernel_function(&function, l->function) == 0) {
    l->function = function; /* what was launched is a CUkernel */
    cu.get_module(&module, l->function);
  }
  if (!symbol && cu.function_name(&symbol, l->function) != 0) return;
  size_t shape[] = {l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2], l->cluster[0], l->cluster[1], l->cluster[2], l->shared};
  uint32_t grid[] = {l->grid[0], l->grid[1], l->grid[2]}, block[] = {l->block[0], l->block[1], l->block[2]};
  long number = 0;
  struct variant *way;
  int later = runs_later(l);
  struct places places = places_of(l);
  const struct seen *kernel = wanted(symbol, code, context, hash(HASH_START, shape, sizeof shape), values_of(l), &number, &way);
  pthread_mutex_lock(&journal.lock);
  way->sizes = sizes_of(grid, block);
  way->added += later;
  if (way->launches <= most_times) way->places[way->launches - 1] = places;
  if (!later) await(l->correlation, way);
  pthread_mutex_unlock(&journal.lock);
  if (!kernel) return;
  struct text t = {0};
  put(&t, "{\"event\":\"launch\",\"id\":%ld,\"number\":%ld,\"way\":%ld,\"shared\":%u,\"cooperative\":%s", kernel->id, number, way->number, l->shared,
      l->cooperative ? "true" : "false");
  put_sizes(&t, "grid", l->grid, 3);
  put_sizes(&t, "block", l->block, 3);
  if (l->cluster[0]) put_sizes(&t, "cluster", l->cluster, 3);
  put_device(&t);
  way->copied = put_params(&t, l);
  put_variables(&t, l, module, symbol);
  put(&t, ",\"handle\":%llu", (unsigned long long)(uintptr_t)module);
  finish(&t);
}

static void sizes(size_t *to, const unsigned *from) {
  for (int i = 0; i < 3; i++) to[i] = from[i];
}

/* node_of is the kernel that a call adds to a graph; NULL is none. */
static const struct kernel_node *node_of(int id, const void *const *params) {
  const void *added = params[id == graph_add_v2 ? 5 : 4]; /* after where the node goes, the graph, and the nodes before it */
  if (id == graph_add_kernel || id == graph_add_kernel_v2) return added;
  const struct any_node *any = added;
  return any && any->type == 0 ? &any->kernel : NULL;
}

static void on_node(int id, const struct callback_data *data) {
  if (data->function && strncmp(data->function, "cuGraphAdd", 10) != 0) return; /* numbers of callbacks are not documented */
  const struct kernel_node *k = node_of(id, data->params);
  if (!k) return;
  struct launch l = {.function = k->function, .shared = k->shared, .values = k->values, .extra = k->extra, .graph = 1};
  if (!l.function && id != graph_add_kernel) l.function = k->kernel;
  if (!l.function) return;
  sizes(l.grid, k->grid);
  sizes(l.block, k->block);
  l.correlation = data->correlation;
  launched(&l, NULL, data->context);
}

static void on_launch(int id, const struct callback_data *data) {
  struct launch l = {0};
  if (id == graph_add_kernel || id == graph_add_kernel_v2 || id == graph_add || id == graph_add_v2) {
    on_node(id, data);
    return;
  }
  if (id == launch_kernel_ex || id == launch_kernel_ex_ptsz) {
    const struct launch_ex_params *p = data->params;
    const struct config *c = p->config;
    l = (struct launch){.function = p->function, .shared = c->shared, .stream = c->stream, .values = p->values, .extra = p->extra};
    sizes(l.grid, c->grid);
    sizes(l.block, c->block);
    for (unsigned i = 0; i < c->count; i++) {
      if (c->attributes[i].id == attribute_cooperative) l.cooperative = c->attributes[i].value.words[0];
      if (c->attributes[i].id == attribute_cluster) sizes(l.cluster, c->attributes[i].value.words);
    }
  } else {
    const struct launch_params *p = data->params;
    l = (struct launch){.function = p->function, .shared = p->shared, .stream = p->stream, .values = p->values};
    sizes(l.grid, p->grid);
    sizes(l.block, p->block);
    l.cooperative = id == launch_cooperative || id == launch_cooperative_ptsz;
    if (!l.cooperative) l.extra = p->extra;
  }
  l.correlation = data->correlation;
  launched(&l, data->symbol, data->context);
}

/* on_module keeps the machine code of a module. */
static void on_module(const struct module_data *m) {
  struct text t = {0};
  put(&t, "{\"event\":\"module\",\"module\":%u", m->id);
  save(&t, "cubin", m->cubin, m->size);
  finish(&t);
  struct module *read = read_symbols(m->cubin, m->size);
  pthread_mutex_lock(&journal.lock);
  read->next = modules;
  modules = read;
  loaded = m->id;
  pthread_mutex_unlock(&journal.lock);
}

/* on_load tells which handle a module has that was loaded by itself. */
static void on_load(const struct callback_data *data) {
  void **const *handle = data->params; /* the first parameter is where the handle goes */
  if (data->site == enter) {
    loaded = 0;
  } else if (loaded && *data->result == 0) {
    struct text t = {0};
    put(&t, "{\"event\":\"handle\",\"handle\":%llu,\"module\":%u", (unsigned long long)(uintptr_t)**handle, loaded);
    finish(&t);
  }
}

static void on_callback(void *user, int domain, uint32_t id, const void *data) {
  (void)user;
  if (domain == resource) {
    if (id == module_loaded) on_module(((const struct resource_data *)data)->module);
    return;
  }
  if (inside) return;
  inside = 1;
  if (id <= module_load_fat_binary) {
    on_load(data);
  } else if (((const struct callback_data *)data)->site == enter) {
    on_launch(id, data);
  }
  inside = 0;
}

static void *open_cupti(void) {
  const char *names[] = {getenv("PERF_CAPTURE_CUPTI"), "libcupti.so", "libcupti.so.13", "libcupti.so.12"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    void *library = names[i] && *names[i] ? dlopen(names[i], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library) return library;
  }
  return NULL;
}

/* InitializeInjection is what the driver calls. */
int InitializeInjection(void) {
  if (!begin("cuda")) return 1;
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *cupti = open_cupti(), *subscriber;
  if (!cupti) return problem("no CUPTI", dlerror()), 1;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    *functions[i].place = driver ? (call)dlsym(driver, functions[i].name) : NULL;
    if (!*functions[i].place) return problem("old driver", functions[i].name), 1;
  }
  call subscribe = (call)dlsym(cupti, "cuptiSubscribe"), enable = (call)dlsym(cupti, "cuptiEnableCallback");
  if (!subscribe || !enable || subscribe(&subscriber, on_callback, NULL) != 0) return problem("no subscription", "cuptiSubscribe"), 1;
  enable(1u, subscriber, resource, module_loaded);
  for (size_t i = 0; i < sizeof watched / sizeof *watched; i++) enable(1u, subscriber, driver_api, watched[i]);
  listen_to_records(cupti);
  return 1;
}
