static inline __device__ void copy_ahead(void *to, const void *from, bool there) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"((uint) __cvta_generic_to_shared(to)), "l"(from), "r"(there ? 16 : 0) : "memory"); }
#define end_copies() asm volatile("cp.async.commit_group;" ::: "memory")
#define await_copies(N) asm volatile("cp.async.wait_group " #N ";" ::: "memory")
