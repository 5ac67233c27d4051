package cfront_test

import (
	"strings"
	"testing"

	"gpuperf/cfront"
)

// TestGroups: operations on cooperative groups are calls and variables of CUDA, and groups are left out. A row is the body of a kernel.
func TestGroups(t *testing.T) {
	const (
		rank = "((((threadIdx.z * blockDim.y):uint32 + threadIdx.y):uint32 * blockDim.x):uint32 + threadIdx.x):uint32"
		size = "((blockDim.x * blockDim.y):uint32 * blockDim.z):uint32"
	)
	for _, c := range []struct{ functions, body, want string }{
		{"", "cg::thread_block b = cg::this_thread_block(); cg::sync(b); b.sync(); cg::this_thread_block().sync();", "__syncthreads(); __syncthreads(); __syncthreads()"},
		{"", "const auto &b = cooperative_groups::this_thread_block(); p[0] = b.thread_rank() + b.size();", "p[0] = (RANK + SIZE):uint32"},
		{"", "cg::thread_block b(cg::this_thread_block()); p[0] = b.group_index().y + b.thread_index().x + b.group_dim().z;", "p[0] = ((blockIdx.y + threadIdx.x):uint32 + blockDim.z):uint32"},
		{"", "namespace g = cooperative_groups; g::thread_block b = g::this_thread_block(); p[0] = g::thread_rank(b) + g::group_size(b);", "p[0] = (RANK + SIZE):uint32"},
		{"", "auto w = cg::tiled_partition<32>(cg::this_thread_block()); p[0] = w.shfl(p[0], 1) + w.shfl_up(p[1], 2) + w.shfl_down(p[2], 4) + w.shfl_xor(p[3], 8);", "p[0] = (((__shfl_sync(4294967295, p[0], 1):int32 + __shfl_up_sync(4294967295, p[1], 2):int32):int32 + __shfl_down_sync(4294967295, p[2], 4):int32):int32 + __shfl_xor_sync(4294967295, p[3], 8):int32):int32"},
		{"", "auto w = cg::tiled_partition<32>(cg::this_thread_block()); w.sync(); p[0] = w.any(n > 1) + w.all(n) + w.ballot(n == 2);", "__syncwarp(); p[0] = ((__any_sync(4294967295, (n > 1):int32):int32 + __all_sync(4294967295, n):int32):int32 + __ballot_sync(4294967295, (n == 2):int32):uint32):uint32"},
		{"", "cg::thread_block_tile<32, cg::thread_block> w = cg::tiled_partition<32>(cg::this_thread_block()); p[w.meta_group_rank()] = w.thread_rank() + w.size() + w.meta_group_size();", "p[(RANK / 32):uint32] = (((RANK % 32):uint32 + 32):uint32 + ((SIZE + 31):uint32 / 32):uint32):uint32"},
		{"", "auto w = cg::tiled_partition<32>(cg::this_thread_block()); auto h = cg::tiled_partition<1 << 3>(w); h.sync(); p[h.thread_rank()] = h.shfl_down(p[0], 4);", "__syncwarp((255 << (((RANK % 32):uint32 / 8):uint32 * 8):uint32):uint32); p[(RANK % 8):uint32] = __shfl_down_sync((255 << (((RANK % 32):uint32 / 8):uint32 * 8):uint32):uint32, p[0], 4, 8):int32"},
		{"using namespace cg;\n", "thread_block b = this_thread_block(); sync(b); thread_block_tile<32> w = tiled_partition<32>(b); w.sync();", "__syncthreads(); __syncwarp()"},
		{"__device__ void sync(int *p) {}\n", "auto b = cg::this_thread_block(); sync(p); cg::sync(b);", "function sync(int32 p[*]); kernel f(global int32 p[*], int32 n); sync(p); __syncthreads()"},
		{"__device__ int g(int x, const cg::thread_block &b, int y = 2) { b.sync(); return y; }\n", "auto b = cg::this_thread_block(); p[0] = g(1, b) + g(3, b, 4);", "function g(int32 x, int32 y) int32; __syncthreads(); return y; kernel f(global int32 p[*], int32 n); p[0] = (g(1, 2):int32 + g(3, 4):int32):int32"},
		{"template <int N> __device__ int g(cg::thread_block_tile<N> w, int x) { return w.shfl(x, N); }\n", "auto b = cg::this_thread_block(); p[0] = g(cg::tiled_partition<32>(b), n) + g(cg::tiled_partition<4>(b), n);", "function g<32>(int32 x) int32; return __shfl_sync(4294967295, x, 32):int32; function g<4>(int32 x) int32; return __shfl_sync((15 << (((RANK % 32):uint32 / 4):uint32 * 4):uint32):uint32, x, 4, 4):int32; kernel f(global int32 p[*], int32 n); p[0] = (g<32>(n):int32 + g<4>(n):int32):int32"},
		{"template <class G> __device__ void g(G w) { w.sync(); }\n", "auto b = cg::this_thread_block(); g(b); g(cg::tiled_partition<32>(b));", "function g<thread_block>(); __syncthreads(); function g<thread_block_tile<32>>(); __syncwarp(); kernel f(global int32 p[*], int32 n); g<thread_block>(); g<thread_block_tile<32>>()"},
		{"__device__ void g(cg::thread_block b) {}\n__device__ void g(cg::thread_block_tile<32> w) { w.sync(); }\n", "g(cg::this_thread_block()); g(cg::tiled_partition<32>(cg::this_thread_block()));", "function g(); function g(thread_block_tile<32>)(); __syncwarp(); kernel f(global int32 p[*], int32 n); g(); g(thread_block_tile<32>)()"},
		{"", "auto b = cg::this_thread_block(); auto wait = [&, b] { b.sync(); }; wait();", "f.wait(); function f.wait(); __syncthreads()"},

		{"", "auto grid = cg::this_grid(); grid.sync();", "__grid_sync(0):int32"},
		{"", "cg::grid_group grid = cg::this_grid(); p[grid.block_rank()] = n;", "p[((((blockIdx.z * gridDim.y):uint32 + blockIdx.y):uint32 * gridDim.x):uint32 + blockIdx.x):uint32] = n"},
		{"", "auto w = cg::tiled_partition<32>(cg::this_thread_block()); p[0] = cg::reduce(w, p[1], cg::plus<int>());", "p[0] = cg_reduce_add_32(p[1]):int32"},
		{"using namespace cooperative_groups;\n", "p[0] = reduce(tiled_partition<32>(this_thread_block()), p[1], plus<int>());", "p[0] = cg_reduce_add_32(p[1]):int32"},
		{"", "cg::nothing(p);", "not read: nothing of cooperative groups is not read"},
		{"", "auto b = cg::this_thread_block(); b.barrier_arrive();", "not read: barrier_arrive of thread_block of cooperative groups is not read"},
		{"", "auto w = cg::tiled_partition<16>(cg::this_thread_block()); p[0] = w.ballot(n);", "not read: ballot of thread_block_tile<16> of cooperative groups is not read"},
		{"", "auto w = cg::tiled_partition<64>(cg::this_thread_block());", "not read: thread_block_tile<64> of cooperative groups is not read"},
		{"", "auto w = cg::tiled_partition<12>(cg::this_thread_block());", "not read: thread_block_tile<12> of cooperative groups is not read"},
		{"", "auto w = cg::tiled_partition(cg::this_thread_block(), 32);", "not read: tiled_partition without <N> of cooperative groups is not read"},
		{"", "auto w = cg::tiled_partition<16>(cg::tiled_partition<8>(cg::this_thread_block()));", "not read: thread_block_tile<8> has no tiles of 16"},
		{"", "cg::thread_block_tile<32> w = cg::this_thread_block();", "not read: thread_block is no thread_block_tile<32>"},
		{"", "cg::thread_block b; b.sync();", "not read: a group of work-items should stand here"},
		{"", "auto b = cg::this_thread_block(); b.sync(1);", "not read: sync of thread_block takes no arguments"},
		{"", "auto w = cg::tiled_partition<32>(cg::this_thread_block()); w.shfl(1);", "not read: shfl of thread_block_tile<32> takes 2 arguments"},
		{"", "cg::sync(n);", "not read: a group of work-items should stand here"},
		{"__device__ cg::thread_block g(int *p) { p[0] = 1; return cg::this_thread_block(); }\n", "g(p).sync();", "function g(int32 p[*]); p[0] = 1; return unknown(a group); kernel f(global int32 p[*], int32 n); not read: a group that is computed of cooperative groups is not read"},
		{"__device__ void g(cg::thread_group w) { w.sync(); }\n", "g(cg::this_thread_block());", "not read: thread_group of cooperative groups is not read"},
		{"__device__ void g(cg::thread_block_tile<32> w) {}\n", "g(cg::this_thread_block());", "not read: no function g takes (thread_block)"},
	} {
		text := "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\nnamespace cg = cooperative_groups;\n" + c.functions + "__global__ void f(int *p, int n) {\n" + c.body + "\n}"
		got, err := functions(t, cfront.CUDA, "", text)
		got = strings.TrimPrefix(got, "kernel f(global int32 p[*], int32 n); ")
		got = strings.NewReplacer(rank, "RANK", size, "SIZE").Replace(got)
		if err != nil || got != c.want {
			t.Errorf("%s%s: %v\n got %s\nwant %s", c.functions, c.body, err, got, c.want)
		}
	}
}
