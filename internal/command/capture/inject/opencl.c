/* The library that stands before libOpenCL by LD_PRELOAD. It keeps what kernels are passed, and writes their launches into a journal.
   What it needs of OpenCL is declared here, so that it is compiled without its headers. */
#include "contents.h"

typedef int32_t status;
typedef void *object;

/* Names of what is asked for (cl.h). */
enum {
  device_name = 0x102B,
  queue_device = 0x1091,
  mem_size = 0x1102,
  program_source = 0x1164,
  build_options = 0x1182,
  kernel_name = 0x1190,
  kernel_args = 0x1191,
  kernel_context = 0x1193,
  kernel_program = 0x1194,
  arg_address = 0x1196,
  arg_type = 0x1198,
  arg_name = 0x119A,
};

/* The functions that stand in the way, and those that they ask. */
static struct {
  object (*create_buffer)(object, uint64_t, size_t, void *, status *);
  object (*create_buffer_with)(object, const uint64_t *, uint64_t, size_t, void *, status *);
  object (*create_sub_buffer)(object, uint64_t, uint32_t, const void *, status *);
  status (*build)(object, uint32_t, const object *, const char *, void (*)(object, void *), void *);
  status (*set_arg)(object, uint32_t, size_t, const void *);
  status (*set_arg_svm)(object, uint32_t, const void *);
  object (*clone_kernel)(object, status *);
  status (*enqueue)(object, object, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t, const object *, object *);
  status (*enqueue_task)(object, object, uint32_t, const object *, object *);
  status (*mem_info)(object, uint32_t, size_t, void *, size_t *);
  status (*kernel_info)(object, uint32_t, size_t, void *, size_t *);
  status (*arg_info)(object, uint32_t, uint32_t, size_t, void *, size_t *);
  status (*program_info)(object, uint32_t, size_t, void *, size_t *);
  status (*build_info)(object, object, uint32_t, size_t, void *, size_t *);
  status (*queue_info)(object, uint32_t, size_t, void *, size_t *);
  status (*device_info)(object, uint32_t, size_t, void *, size_t *);
  status (*read)(object, object, uint32_t, size_t, size_t, void *, uint32_t, const object *, object *);
} cl;

static const struct {
  const char *name;
  void *place;
} functions[] = {
    {"clCreateBuffer", &cl.create_buffer},
    {"clCreateBufferWithProperties", &cl.create_buffer_with},
    {"clCreateSubBuffer", &cl.create_sub_buffer},
    {"clBuildProgram", &cl.build},
    {"clSetKernelArg", &cl.set_arg},
    {"clSetKernelArgSVMPointer", &cl.set_arg_svm},
    {"clCloneKernel", &cl.clone_kernel},
    {"clEnqueueNDRangeKernel", &cl.enqueue},
    {"clEnqueueTask", &cl.enqueue_task},
    {"clGetMemObjectInfo", &cl.mem_info},
    {"clGetKernelInfo", &cl.kernel_info},
    {"clGetKernelArgInfo", &cl.arg_info},
    {"clGetProgramInfo", &cl.program_info},
    {"clGetProgramBuildInfo", &cl.build_info},
    {"clGetCommandQueueInfo", &cl.queue_info},
    {"clGetDeviceInfo", &cl.device_info},
    {"clEnqueueReadBuffer", &cl.read},
};

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_functions(void) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) *(void **)functions[i].place = dlsym(RTLD_NEXT, functions[i].name);
  begin("opencl");
}

static void ready(void) { pthread_once(&once, find_functions); }

/* arg is what a kernel was passed for a parameter. */
struct arg {
  size_t size;
  unsigned char *value; /* NULL is local memory, or no memory at all */
  int svm;
};

/* kernel is a kernel object with its arguments. */
struct kernel {
  object id;
  struct arg *args;
  uint32_t count;
  struct kernel *next;
};

static struct kernel *kernels;
static object *buffers; /* all that were ever made */
static size_t buffer_count, buffer_room;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static object made(object buffer) {
  pthread_mutex_lock(&lock);
  if (buffer && buffer_count == buffer_room) {
    buffer_room = 2 * buffer_room + 64;
    buffers = realloc(buffers, buffer_room * sizeof *buffers);
    if (!buffers) abort();
  }
  if (buffer) buffers[buffer_count++] = buffer;
  pthread_mutex_unlock(&lock);
  return buffer;
}

static int is_buffer(object id) {
  size_t i = 0;
  while (i < buffer_count && buffers[i] != id) i++;
  return i < buffer_count;
}

/* kernel_of finds the arguments of a kernel object; they are made if need be. */
static struct kernel *kernel_of(object id) {
  struct kernel *k = kernels;
  while (k && k->id != id) k = k->next;
  if (k) return k;
  k = calloc(1, sizeof *k);
  if (!k) abort();
  k->id = id;
  k->next = kernels;
  return kernels = k;
}

static void keep(object id, uint32_t i, struct arg a) {
  struct kernel *k = kernel_of(id);
  if (i >= k->count) {
    k->args = realloc(k->args, (i + 1) * sizeof *k->args);
    if (!k->args) abort();
    memset(k->args + k->count, 0, (i + 1 - k->count) * sizeof *k->args);
    k->count = i + 1;
  }
  free(k->args[i].value);
  k->args[i] = a;
}

static struct arg copied(size_t size, const void *value) {
  struct arg a = {.size = size};
  if (value && (a.value = malloc(size + 1))) memcpy(a.value, value, size);
  return a;
}

/* text_of asks for something that is text; the caller frees it. */
#define text_of(ask, ...)                                                      \
  ({                                                                           \
    size_t size = 0;                                                           \
    char *text = NULL;                                                         \
    if (ask && ask(__VA_ARGS__, 0, NULL, &size) == 0) {                        \
      text = calloc(1, size + 1);                                              \
      if (text) ask(__VA_ARGS__, size, text, NULL);                            \
    }                                                                          \
    text ? text : calloc(1, 1);                                                \
  })

static void put_text(struct text *t, const char *key, char *value) {
  put(t, ",\"%s\":", key);
  put_string(t, value);
  free(value);
}

static void put_args(struct text *t, object queue, const struct kernel *k, uint32_t count) {
  object found[256];
  int n = 0;
  put(t, ",\"params\":[");
  for (uint32_t i = 0; i < count; i++) {
    struct arg a = i < k->count ? k->args[i] : (struct arg){0};
    uint32_t address = 0;
    if (cl.arg_info) cl.arg_info(k->id, i, arg_address, sizeof address, &address, NULL);
    put(t, "%s{\"size\":%zu,\"space\":\"%s\",\"svm\":%s", i ? "," : "", a.size,
        address == 0x119B ? "global" : address == 0x119C ? "local" : address == 0x119D ? "constant" : address == 0x119E ? "private" : "",
        a.svm ? "true" : "false");
    put_text(t, "name", text_of(cl.arg_info, k->id, i, arg_name));
    put_text(t, "type", text_of(cl.arg_info, k->id, i, arg_type));
    object id = NULL;
    if (a.value && a.size == sizeof id) memcpy(&id, a.value, sizeof id);
    if (a.value) {
      put(t, ",\"hex\":");
      put_hex(t, a.value, a.size);
    }
    if (id && is_buffer(id)) {
      int m = 0;
      while (m < n && found[m] != id) m++;
      if (m < (int)(sizeof found / sizeof *found)) {
        if (m == n) found[n++] = id;
        put(t, ",\"pointers\":[{\"memory\":%d}]", m);
      }
    }
    put(t, "}");
  }
  put(t, "],\"memory\":[");
  for (int m = 0; m < n; m++) {
    size_t size = 0;
    cl.mem_info(found[m], mem_size, sizeof size, &size, NULL);
    put(t, "%s{\"bytes\":%zu", m ? "," : "", size);
    size_t many = size > 0 ? worth(size, NULL, 0) : 0;
    void *bytes = many > 0 ? malloc(many) : NULL;
    if (bytes && cl.read(queue, found[m], 1, 0, many, bytes, 0, NULL, NULL) == 0) save_contents(t, bytes, 0, many, size);
    free(bytes);
    put(t, "}");
  }
  put(t, "]");
}

static uint64_t shape_of(uint32_t dimensions, const size_t *offset, const size_t *global, const size_t *local) {
  uint64_t h = hash(HASH_START, global, dimensions * sizeof *global);
  if (local) h = hash(h, local, dimensions * sizeof *local);
  return offset ? hash(h, offset, dimensions * sizeof *offset) : h;
}

/* values_of is a hash of the arguments that are no buffers. */
static uint64_t values_of(object kernel) {
  uint64_t h = HASH_START;
  pthread_mutex_lock(&lock);
  const struct kernel *k = kernel_of(kernel);
  for (uint32_t i = 0; i < k->count; i++) {
    const struct arg *a = &k->args[i];
    object id = NULL;
    if (a->value && a->size == sizeof id) memcpy(&id, a->value, sizeof id);
    if (!id || !is_buffer(id)) h = a->value && !a->svm ? hash(h, a->value, a->size) : hash(h, &a->size, sizeof a->size);
  }
  pthread_mutex_unlock(&lock);
  return h;
}

static void launched(object queue, object id, uint32_t dimensions, const size_t *offset, const size_t *global, const size_t *local) {
  if (journal.file < 0) return;
  char *name = text_of(cl.kernel_info, id, kernel_name);
  object program = NULL, device = NULL, context = NULL;
  cl.kernel_info(id, kernel_program, sizeof program, &program, NULL);
  cl.kernel_info(id, kernel_context, sizeof context, &context, NULL);
  long number = 0;
  struct variant *way;
  const struct seen *kernel = wanted(name, program, context, shape_of(dimensions, offset, global, local), values_of(id), &number, &way);
  if (kernel) {
    uint32_t count = 0;
    cl.kernel_info(id, kernel_args, sizeof count, &count, NULL);
    cl.queue_info(queue, queue_device, sizeof device, &device, NULL);
    struct text t = {0};
    put(&t, "{\"event\":\"launch\",\"id\":%ld,\"number\":%ld,\"way\":%ld", kernel->id, number, way->number);
    put_sizes(&t, "global", global, dimensions);
    if (local) put_sizes(&t, "local", local, dimensions);
    if (offset) put_sizes(&t, "begin", offset, dimensions);
    put_text(&t, "device", text_of(cl.device_info, device, device_name));
    put_text(&t, "options", text_of(cl.build_info, program, device, build_options));
    char *source = text_of(cl.program_info, program, program_source);
    if (*source) save(&t, "cl", source, strlen(source));
    free(source);
    pthread_mutex_lock(&lock);
    put_args(&t, queue, kernel_of(id), count);
    pthread_mutex_unlock(&lock);
    finish(&t);
  }
  free(name);
}

/* What follows stands in the place of OpenCL's functions. */

object clCreateBuffer(object context, uint64_t flags, size_t size, void *host, status *error) {
  ready();
  return made(cl.create_buffer(context, flags, size, host, error));
}

object clCreateBufferWithProperties(object context, const uint64_t *properties, uint64_t flags, size_t size, void *host, status *error) {
  ready();
  return made(cl.create_buffer_with(context, properties, flags, size, host, error));
}

object clCreateSubBuffer(object buffer, uint64_t flags, uint32_t type, const void *region, status *error) {
  ready();
  return made(cl.create_sub_buffer(buffer, flags, type, region, error));
}

/* clBuildProgram asks for the names and types of parameters too, which changes no code. */
status clBuildProgram(object program, uint32_t n, const object *devices, const char *options, void (*done)(object, void *), void *user) {
  ready();
  struct text t = {0};
  put(&t, "%s -cl-kernel-arg-info", options ? options : "");
  status result = cl.build(program, n, devices, t.at, done, user);
  free(t.at);
  return result;
}

status clSetKernelArg(object kernel, uint32_t i, size_t size, const void *value) {
  ready();
  status result = cl.set_arg(kernel, i, size, value);
  if (result != 0) return result;
  pthread_mutex_lock(&lock);
  keep(kernel, i, copied(size, value));
  pthread_mutex_unlock(&lock);
  return result;
}

status clSetKernelArgSVMPointer(object kernel, uint32_t i, const void *value) {
  ready();
  status result = cl.set_arg_svm(kernel, i, value);
  if (result != 0) return result;
  pthread_mutex_lock(&lock);
  keep(kernel, i, (struct arg){.size = sizeof value, .svm = 1});
  pthread_mutex_unlock(&lock);
  return result;
}

object clCloneKernel(object kernel, status *error) {
  ready();
  object clone = cl.clone_kernel(kernel, error);
  pthread_mutex_lock(&lock);
  for (uint32_t i = 0; clone && i < kernel_of(kernel)->count; i++) {
    struct arg a = kernel_of(kernel)->args[i], b = copied(a.size, a.value);
    b.svm = a.svm;
    keep(clone, i, b);
  }
  pthread_mutex_unlock(&lock);
  return clone;
}

status clEnqueueNDRangeKernel(object queue, object kernel, uint32_t dimensions, const size_t *offset, const size_t *global,
                              const size_t *local, uint32_t n, const object *events, object *event) {
  ready();
  if (global && dimensions >= 1 && dimensions <= 3) launched(queue, kernel, dimensions, offset, global, local);
  return cl.enqueue(queue, kernel, dimensions, offset, global, local, n, events, event);
}

status clEnqueueTask(object queue, object kernel, uint32_t n, const object *events, object *event) {
  ready();
  size_t one = 1;
  launched(queue, kernel, 1, NULL, &one, &one);
  return cl.enqueue_task(queue, kernel, n, events, event);
}
