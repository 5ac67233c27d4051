/* What memory holds, beside the journal: small memory as a whole; larger one behind the places that a launch is passed, far where it looks like integers,
   as those of indices and counters do, which decide how long a kernel takes, and less far where it looks otherwise. perf drops later what decides nothing. */
#include "journal.h"

enum { looked_at = 65536, small_buffer = 4 << 20, behind = 8 << 20, integers_behind = 32 << 20 };

/* spent are bytes that were copied until now, of all that may be: an application with very many buffers is not held up for ever. */
static uint64_t spent;
static const uint64_t most_spent = (uint64_t)16 << 30;

/* unlike are those of them that do not look as if they decide: keys in floating point and bytes of images are such, and most other data. */
static uint64_t unlike;
static const uint64_t most_unlike = (uint64_t)4 << 30;

/* worth tells how many bytes of memory of a size are kept, behind the last place in it that a launch is passed. Sample is the beginning of what is passed,
   NULL where it is not known. */
static size_t worth(size_t size, const unsigned char *sample, size_t n) {
  size_t like = 0, other = 0, far = size < journal.limit ? size : journal.limit;
  if (spent + far > most_spent || (!journal.chosen && size > journal.limit)) return 0;
  if (!journal.chosen || size <= small_buffer) return far;
  for (size_t at = 0; sample && at + 4 <= n; at += 4) {
    int32_t v;
    memcpy(&v, sample + at, sizeof v);
    if (v > -(1 << 25) && v < 1 << 25) like += v != 0; /* numbers of either float format have bits of an exponent above these */
    else other++;
  }
  if (like > 0 && other * 10 <= like) return size <= journal.limit || far < integers_behind ? far : integers_behind;
  if (far > behind) far = behind;
  if (unlike + far > most_unlike) return 0;
  unlike += far;
  return far;
}

/* hash_words is a hash of much: of eight bytes at once. */
static uint64_t hash_words(const unsigned char *bytes, size_t n) {
  uint64_t h = HASH_START, word;
  size_t at = 0;
  for (; at + 8 <= n; at += 8) {
    memcpy(&word, bytes + at, 8);
    h = (h ^ word) * 1099511628211u, h ^= h >> 29;
  }
  return hash(h ^ n, bytes + at, n - at);
}

static int all_zeros(const unsigned char *bytes, size_t n) { return n == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, n - 1) == 0); }

/* saved are the contents that have files. */
struct saved {
  uint64_t hash;
  size_t size;
  char name[64];
  struct saved *next;
};
static struct saved *contents_saved;

/* save_contents puts into the line what memory of a size holds from a place on: zeros, or the name of a file, which all memory has that holds the same. */
static void save_contents(struct text *t, const unsigned char *bytes, size_t from, size_t n, size_t size) {
  spent += n;
  if (n < size) {
    put(t, ",\"part\":true,\"from\":%zu", from);
  } else if (all_zeros(bytes, n)) {
    put(t, ",\"zeros\":true");
    return;
  }
  uint64_t h = hash_words(bytes, n);
  pthread_mutex_lock(&journal.lock);
  struct saved *s = contents_saved;
  while (s && (s->hash != h || s->size != n)) s = s->next;
  pthread_mutex_unlock(&journal.lock);
  if (!s) {
    s = calloc(1, sizeof *s);
    if (!s) abort();
    s->hash = h, s->size = n;
    if (!write_file("bin", bytes, n, s->name)) {
      free(s);
      return;
    }
    pthread_mutex_lock(&journal.lock);
    s->next = contents_saved;
    contents_saved = s;
    pthread_mutex_unlock(&journal.lock);
  }
  put(t, ",\"file\":\"%s\"", s->name);
}
