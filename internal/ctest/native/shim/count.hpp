// What a run counts: operations by name and type, accesses by array, space, type and direction.
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace native {

// Half is a number of 16 bits, kept as one of 32.
struct Half {
	float f;
	Half() : f(0) {}
	template <class T> explicit constexpr Half(T x) : f(float(x)) {}
	template <class T> requires std::is_arithmetic_v<T> explicit operator T() const { return T(f); }
};

template <class T> const char *type_name() {
	if constexpr (std::is_same_v<T, Half>) return "float16";
	else if constexpr (std::is_same_v<T, bool>) return "int32";
	else if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? "float32" : "float64";
	else if constexpr (std::is_signed_v<T>) return sizeof(T) == 1 ? "int8" : sizeof(T) == 2 ? "int16" : sizeof(T) == 4 ? "int32" : "int64";
	else return sizeof(T) == 1 ? "uint8" : sizeof(T) == 2 ? "uint16" : sizeof(T) == 4 ? "uint32" : "uint64";
}

template <class T> constexpr bool is_number = std::is_arithmetic_v<T> || std::is_same_v<T, Half>;
template <class T> constexpr bool is_float = std::is_floating_point_v<T> || std::is_same_v<T, Half>;

// Node is a tree of operations that have been evaluated and are not yet known to be work: those of a subscript never are.
struct Node {
	const char *op, *type;
	long n;
	Node *a, *b;
};

// Count is how often something was done: an operation by its name and type, or an access by space, type, array, lanes and direction.
struct Count {
	const char *name, *type, *array;
	int lanes;
	bool store;
	long work;      // is work for certain
	long evaluated; // is evaluated at all
};

// Table has the counts. The program is compiled without optimization, in which containers of the library take most of its time.
struct Table {
	static constexpr size_t places = 1 << 13;
	Count at[places];
	Count &of(const char *name, const char *type, const char *array = nullptr, int lanes = 0, bool store = false) {
		size_t place = ((size_t)name * 31 + (size_t)type * 17 + (size_t)array * 7 + lanes * 2 + store) % places;
		for (size_t tried = 0; tried < places; tried++, place = (place + 1) % places) {
			Count *c = &at[place];
			if (!c->name) *c = Count{name, type, array, lanes, store, 0, 0};
			if (c->name == name && c->type == type && c->array == array && c->lanes == lanes && c->store == store) return *c;
		}
		std::abort();
	}
};

struct Region {
	char *low, *high;
	const char *name, *space;
	long stride; // of its elements; 0 where they have values
	long base;   // where the element 0 is
};

struct State {
	Table counts;
	std::vector<Region> regions;
	std::vector<Node *> blocks;
	size_t used = 0;
	int free = 0; // nested: what is evaluated is the head of a loop
	bool held = false; // conditions on data are taken to hold
	bool on_data = false; // a condition on data was evaluated
	bool divergent = false; // not all work-items of a group met at a barrier
	long steps = 0;
	long barriers = 0; // of the current work-item
	char *stack_low = nullptr, *stack_high = nullptr;
	std::map<std::string, std::pair<long, long>> starts; // linear values of arrays
};

inline State now;

constexpr long most_steps = NATIVE_MOST_STEPS;
constexpr size_t block_nodes = 1 << 14;

inline Node *node(const char *op, const char *type, long n, Node *a, Node *b) {
	if (!op && !a) return b;
	if (!op && !b) return a;
	size_t block = now.used / block_nodes;
	if (block == now.blocks.size()) now.blocks.push_back(new Node[block_nodes]);
	Node *out = &now.blocks[block][now.used++ % block_nodes];
	*out = Node{op, type, n, a, b};
	return out;
}

inline void step() {
	if (++now.steps > most_steps) {
		std::printf("endless\n");
		std::fflush(stdout);
		_exit(3);
	}
}

// An operation of a type: counted where it becomes work.
template <class T> Node *operation(const char *op, long n, Node *a, Node *b) {
	step();
	now.counts.of(op, type_name<T>()).evaluated += n;
	if (now.free) return nullptr;
	return node(op, type_name<T>(), n, a, b);
}

// work counts what a value was made by, once, however often the value is used.
inline void work(Node *n) {
	while (n) {
		if (n->op) now.counts.of(n->op, n->type).work += n->n;
		work(n->a);
		Node *next = n->b;
		n->op = nullptr, n->a = n->b = nullptr;
		n = next;
	}
}

inline Region *region_of(const void *at) {
	char *p = (char *)at;
	if (p >= now.stack_low && p < now.stack_high) return nullptr;
	Region *r = now.regions.data();
	for (size_t left = now.regions.size(); left; left--, r++)
		if (p >= r->low && p < r->high) return r;
	return nullptr;
}

template <class T> void accessed(const Region *r, int lanes, bool store) {
	step();
	now.counts.of(r->space, type_name<T>(), r->name, lanes, store).evaluated++;
}

inline bool holds(bool data, bool is) {
	if (!data) return is;
	now.on_data = true;
	return now.held || is;
}

inline unsigned hash_of(const char *name, long i) {
	unsigned h = 7;
	for (; *name; name++) h = h * 31 + (unsigned char)*name;
	h ^= (unsigned)i * 2654435761u;
	h ^= h >> 15;
	h *= 2246822519u;
	return h ^ h >> 13;
}

// start is the value of an element before the launch: a small number, not 0, or a linear one.
template <class T> T start(const Region *r, const void *at) {
	long i = ((char *)at - (r->low + r->base)) / (r->stride ? r->stride : (long)sizeof(T));
	auto s = now.starts.find(r->name);
	if (s != now.starts.end()) return T(s->second.first * i + s->second.second);
	unsigned h = hash_of(r->name, i);
	if constexpr (is_float<T>) return T(float(h % 61 + 2) / 16.0f);
	else return T(h % 13 + 1);
}

} // namespace native
