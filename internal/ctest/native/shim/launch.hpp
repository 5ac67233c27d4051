// Launches: work-groups one after the other, work-items as fibres that meet at barriers.
namespace native {

struct Dim3 {
	Var<unsigned> x, y, z;
};
inline Dim3 threadIdx, blockIdx, blockDim, gridDim;
constexpr int warpSize = 32;

inline Var<unsigned> &along(Dim3 &d, long axis) { return axis == 0 ? d.x : axis == 1 ? d.y : d.z; }

#define NATIVE_AXIS(CALL, EXPR)                                        \
	template <class D> Val<unsigned long> CALL(const D &d) {           \
		long a = long(read(d).v);                                      \
		(void)a;                                                       \
		return Val<unsigned long>((unsigned long)(EXPR));              \
	}
NATIVE_AXIS(get_local_id, along(threadIdx, a).v)
NATIVE_AXIS(get_group_id, along(blockIdx, a).v)
NATIVE_AXIS(get_local_size, along(blockDim, a).v)
NATIVE_AXIS(get_num_groups, along(gridDim, a).v)
NATIVE_AXIS(get_global_size, (unsigned long)along(gridDim, a).v *along(blockDim, a).v)
NATIVE_AXIS(get_global_id, (unsigned long)along(blockIdx, a).v *along(blockDim, a).v + along(threadIdx, a).v)
NATIVE_AXIS(get_global_offset, 0)

// Arrays.

struct Named {
	char *at;
	size_t bytes;
	const char *name, *space;
	long stride;
};
inline std::vector<Named> &file_arrays() {
	static std::vector<Named> all;
	return all;
}
template <class T> constexpr long stride_of() {
	if constexpr (std::is_array_v<T>) return stride_of<std::remove_all_extents_t<T>>();
	else if constexpr (is_vec<std::remove_cv_t<T>>::value) return sizeof(std::declval<T>().lane(0));
	else return sizeof(T);
}
struct FileArray {
	template <class T> FileArray(T &a, const char *name, const char *space) {
		file_arrays().push_back({(char *)&a, sizeof(a), name, space, stride_of<T>()});
	}
};
inline void enter(void *at, size_t bytes, const char *name, const char *space, long stride) {
	for (Region &r : now.regions)
		if (r.low == at) return;
	now.regions.push_back({(char *)at, (char *)at + bytes, name, space, stride, 0});
}
template <class T> void shared(T &a, const char *name) { enter((void *)&a, sizeof(a), name, "local", stride_of<T>()); }
alignas(64) inline char dynamic_memory[1 << 24];
template <class P> P dynamic(const char *name) {
	enter(dynamic_memory, sizeof(dynamic_memory), name, "local", stride_of<std::remove_pointer_t<P>>());
	return (P)dynamic_memory;
}

// Argument is one of a kernel: memory for pointers, a number for others. The memory is as long as an unsigned subscript of 32 bits reaches that has
// wrapped around, on both sides of element 0; the pages that are not touched cost nothing.
struct Argument {
	const char *name, *space;
	double value;
	template <class P> operator P *() const {
		constexpr size_t bytes = size_t(1) << 40; // elements of structures by a 32-bit index that wraps are still in the half of an array
		for (Region &r : now.regions)
			if (!std::strcmp(r.name, name)) return (P *)(r.low + r.base);
		char *at = (char *)mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (at == MAP_FAILED) {
			std::perror("mmap");
			_exit(4);
		}
		now.regions.push_back({at, at + bytes, name, space, stride_of<P>(), bytes / 2});
		return (P *)(at + bytes / 2);
	}
	template <class T> operator Var<T>() const { return Var<T>(converted<T>(value)); }
};

// Barriers.

struct Fibre {
	ucontext_t context;
	char *stack = nullptr;
	bool done = false, waiting = false;
	const void *at = nullptr; // the barrier that it waits at
	long barriers = 0;
	unsigned x, y, z;
};
constexpr size_t stack_bytes = 1 << 18;
inline std::vector<Fibre *> fibres;
inline Fibre *current = nullptr;
inline ucontext_t scheduler;
inline void (*item)() = nullptr;

inline void run_fibre() {
	item();
	current->done = true;
	swapcontext(&current->context, &scheduler);
}
inline void meet(const void *at) {
	step();
	current->barriers++;
	current->waiting = true;
	current->at = at;
	swapcontext(&current->context, &scheduler);
}
inline void resume(Fibre *f) {
	current = f;
	threadIdx.x.v = f->x, threadIdx.y.v = f->y, threadIdx.z.v = f->z;
	now.stack_low = f->stack, now.stack_high = f->stack + stack_bytes;
	swapcontext(&scheduler, &f->context);
}

struct Shape {
	long x, y, z;
};

inline long fewest_barriers, most_barriers;

inline void run_group(const Shape &l) {
	size_t n = l.x * l.y * l.z;
	while (fibres.size() < n) {
		Fibre *f = new Fibre;
		f->stack = (char *)mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		fibres.push_back(f);
	}
	for (size_t i = 0; i < n; i++) {
		Fibre *f = fibres[i];
		getcontext(&f->context);
		f->context.uc_stack.ss_sp = f->stack;
		f->context.uc_stack.ss_size = stack_bytes;
		f->context.uc_link = nullptr;
		f->done = f->waiting = false;
		f->barriers = 0;
		f->x = i % l.x, f->y = i / l.x % l.y, f->z = i / (l.x * l.y);
		makecontext(&f->context, run_fibre, 0);
	}
	for (bool again = true; again;) {
		again = false;
		const void *at = nullptr;
		bool first = true;
		for (size_t i = 0; i < n; i++) {
			Fibre *f = fibres[i];
			if (f->done) continue;
			f->waiting = false;
			resume(f);
			again = again || f->waiting;
		}
		for (size_t i = 0; i < n && again; i++) {
			Fibre *f = fibres[i];
			if (f->done || (!first && f->at != at)) now.divergent = true;
			if (!f->done) at = f->at, first = false;
		}
	}
	for (size_t i = 0; i < n; i++) {
		long b = fibres[i]->barriers;
		fewest_barriers = fewest_barriers < 0 || b < fewest_barriers ? b : fewest_barriers;
		most_barriers = b > most_barriers ? b : most_barriers;
	}
	now.used = 0;
}

// launch runs a kernel, and prints what it has done.
inline void launch(const Shape &groups, const Shape &local, void (*kernel)()) {
	item = kernel;
	fewest_barriers = most_barriers = -1;
	blockDim.x.v = local.x, blockDim.y.v = local.y, blockDim.z.v = local.z;
	gridDim.x.v = groups.x, gridDim.y.v = groups.y, gridDim.z.v = groups.z;
	for (long z = 0; z < groups.z; z++)
		for (long y = 0; y < groups.y; y++)
			for (long x = 0; x < groups.x; x++) {
				blockIdx.x.v = x, blockIdx.y.v = y, blockIdx.z.v = z;
				run_group(local);
			}
	now.stack_low = now.stack_high = nullptr;
}

inline void begin() {
	for (Region &r : now.regions)
		if (r.base) munmap(r.low, r.high - r.low);
	now.regions.clear();
	now.counts = Table{};
	now.starts.clear();
	now.free = 0;
	now.steps = 0;
	now.on_data = now.divergent = false;
	for (const Named &f : file_arrays()) enter(f.at, f.bytes, f.name, f.space, f.stride);
}

inline void report(int number, int size) {
	std::printf("run %d %d\n", number, size);
	for (const Count &c : now.counts.at) {
		if (c.name && !c.array) std::printf("op %s %s %ld %ld\n", c.name, c.type, c.work, c.evaluated);
		if (c.name && c.array) std::printf("mem %s %s %s %d %s %ld\n", c.name, c.type, c.array, c.lanes, c.store ? "store" : "load", c.evaluated);
	}
	std::printf("barriers %ld %ld\n", fewest_barriers, most_barriers);
	std::printf("flags %d %d\n", now.on_data, now.divergent);
	std::fflush(stdout);
}

} // namespace native

// Groups by name: what they say of themselves is free, and their exchanges are those of functions.hpp.
namespace cooperative_groups {

inline native::Val<unsigned> rank_in_block() {
	using namespace native;
	return Val<unsigned>(threadIdx.x.v + blockDim.x.v * (threadIdx.y.v + blockDim.y.v * threadIdx.z.v));
}

struct thread_block {
	native::Val<unsigned> thread_rank() const { return rank_in_block(); }
	native::Val<unsigned> size() const { return native::Val<unsigned>(native::blockDim.x.v * native::blockDim.y.v * native::blockDim.z.v); }
	const native::Dim3 &group_index() const { return native::blockIdx; }
	const native::Dim3 &thread_index() const { return native::threadIdx; }
	void sync(std::source_location at = std::source_location::current()) const { native::meet(at.function_name() + at.line()); }
};
inline thread_block this_thread_block() { return {}; }
inline void sync(const thread_block &b, std::source_location at = std::source_location::current()) { b.sync(at); }

template <unsigned N> struct thread_block_tile {
	native::Val<unsigned> thread_rank() const { return native::Val<unsigned>(rank_in_block().v % N); }
	native::Val<unsigned> meta_group_rank() const { return native::Val<unsigned>(rank_in_block().v / N); }
	native::Val<unsigned> size() const { return native::Val<unsigned>(N); }
	void sync() const {}
	template <class V, class L> auto shfl(const V &v, const L &l) const { return native::__shfl_sync(0, v, l); }
	template <class V, class L> auto shfl_down(const V &v, const L &l) const { return native::__shfl_down_sync(0, v, l); }
	template <class V, class L> auto shfl_up(const V &v, const L &l) const { return native::__shfl_up_sync(0, v, l); }
	template <class V, class L> auto shfl_xor(const V &v, const L &l) const { return native::__shfl_xor_sync(0, v, l); }
};
template <unsigned N> thread_block_tile<N> tiled_partition(const thread_block &) { return {}; }

} // namespace cooperative_groups

using namespace native;

#define NATIVE_BARRIER meet((const char *)__func__ + __LINE__)
#define __syncthreads() NATIVE_BARRIER
#define barrier(...) NATIVE_BARRIER
#define work_group_barrier(...) NATIVE_BARRIER
#define __syncwarp(...) ((void)0)
#define __threadfence() ((void)0)
#define __threadfence_block() ((void)0)
#define mem_fence(...) ((void)0)
