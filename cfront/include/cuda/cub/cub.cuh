// Block and warp primitives of CUB (CCCL 2: cub/block, cub/warp), by the algorithms that these choose without another: a block is reduced by
// shuffles of its sub-groups and a sum over them by its first work-item (BLOCK_REDUCE_WARP_REDUCTIONS), and scanned by raking
// (BLOCK_SCAN_RAKING). Loads and stores that transpose exchange their elements in local memory.
#pragma once
namespace cub {
struct Sum { template <class T> __device__ T operator()(const T &a, const T &b) const { return a + b; } };
struct Max { template <class T> __device__ T operator()(const T &a, const T &b) const { return max(a, b); } };
struct Min { template <class T> __device__ T operator()(const T &a, const T &b) const { return min(a, b); } };
template <class K, class V> struct KeyValuePair {
  typedef K Key;
  typedef V Value;
  K key;
  V value;
};
struct ArgMax {
  template <class K, class V> __device__ KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a, const KeyValuePair<K, V> &b) const {
    if ((b.value > a.value) || ((a.value == b.value) && (b.key < a.key))) return b;
    return a;
  }
};
struct ArgMin {
  template <class K, class V> __device__ KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a, const KeyValuePair<K, V> &b) const {
    if ((b.value < a.value) || ((a.value == b.value) && (b.key < a.key))) return b;
    return a;
  }
};
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE };
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE };
template <class T> struct Uninitialized {
  T value;
  __device__ T &Alias() { return value; }
};
__device__ inline int rank_in_block() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
__device__ inline int LaneId() { return rank_in_block() % 32; }
template <class T> __device__ inline T shuffle_down(const T &x, int offset) { return __shfl_down_sync(0xffffffff, x, offset); }
template <class K, class V> __device__ inline KeyValuePair<K, V> shuffle_down(const KeyValuePair<K, V> &x, int offset) {
  KeyValuePair<K, V> y;
  y.key = __shfl_down_sync(0xffffffff, x.key, offset);
  y.value = __shfl_down_sync(0xffffffff, x.value, offset);
  return y;
}
template <class T, int threads = 32> struct WarpReduce {
  struct TempStorage { int nothing; };
  TempStorage &storage;
  __device__ WarpReduce(TempStorage &s) : storage(s) {}
  template <class Op> __device__ T Reduce(T x, Op op) {
    for (int offset = 1; offset < threads; offset *= 2) {
      T y = shuffle_down(x, offset);
      if (rank_in_block() % threads + offset < threads) x = op(x, y);
    }
    return x;
  }
  __device__ T Sum(T x) { return Reduce(x, cub::Sum()); }
  __device__ T Max(T x) { return Reduce(x, cub::Max()); }
  __device__ T Min(T x) { return Reduce(x, cub::Min()); }
};
template <class T, int x_threads, int algorithm = 2, int y_threads = 1, int z_threads = 1> struct BlockReduce {
  struct TempStorage { T partial[(x_threads * y_threads * z_threads + 31) / 32]; T whole; };
  TempStorage &storage;
  __device__ BlockReduce(TempStorage &s) : storage(s) {}
  template <class Op> __device__ T Reduce(T x, Op op) {
    const int threads = x_threads * y_threads * z_threads, width = threads < 32 ? threads : 32;
    int rank = rank_in_block(), lane = rank % 32;
    for (int offset = 1; offset < width; offset *= 2) {
      T y = shuffle_down(x, offset);
      if (lane + offset < width) x = op(x, y);
    }
    if (lane == 0) storage.partial[rank / 32] = x;
    __syncthreads();
    if (rank == 0)
      for (int w = 1; w < (threads + 31) / 32; w++) x = op(x, storage.partial[w]);
    return x;
  }
  template <class Op> __device__ T Reduce(T x, Op op, int valid) {
    const int threads = x_threads * y_threads * z_threads, width = threads < 32 ? threads : 32;
    int rank = rank_in_block(), lane = rank % 32;
    for (int offset = 1; offset < width; offset *= 2) {
      T y = shuffle_down(x, offset);
      if (lane + offset < width && rank + offset < valid) x = op(x, y);
    }
    if (lane == 0) storage.partial[rank / 32] = x;
    __syncthreads();
    if (rank == 0)
      for (int w = 1; w < (threads + 31) / 32; w++)
        if (w * 32 < valid) x = op(x, storage.partial[w]);
    return x;
  }
  template <int items, class Op> __device__ T Reduce(T (&x)[items], Op op) {
    T sum = x[0];
    for (int i = 1; i < items; i++) sum = op(sum, x[i]);
    return Reduce(sum, op);
  }
  __device__ T Sum(T x) { return Reduce(x, cub::Sum()); }
  __device__ T Sum(T x, int valid) { return Reduce(x, cub::Sum(), valid); }
  template <int items> __device__ T Sum(T (&x)[items]) {
    T sum = x[0];
    for (int i = 1; i < items; i++) sum = sum + x[i];
    return Reduce(sum, cub::Sum());
  }
};
template <class T, int x_threads, int algorithm = 0, int y_threads = 1, int z_threads = 1> struct BlockScan {
  struct TempStorage { T grid[x_threads * y_threads * z_threads]; T whole; };
  TempStorage &storage;
  __device__ BlockScan(TempStorage &s) : storage(s) {}
  template <class Op> __device__ void Exclusive(T x, T &out, T initial, Op op, T &whole) {
    const int threads = x_threads * y_threads * z_threads, width = threads < 32 ? threads : 32, segment = (threads + 31) / 32;
    int rank = rank_in_block();
    storage.grid[rank] = x;
    __syncthreads();
    if (rank < width) {
      T sum = storage.grid[rank * segment];
      for (int i = 1; i < segment; i++) sum = op(sum, storage.grid[rank * segment + i]);
      T own = sum;
      for (int offset = 1; offset < width; offset *= 2) {
        T y = __shfl_up_sync(0xffffffff, sum, offset);
        if (rank >= offset) sum = op(y, sum);
      }
      if (rank == width - 1) storage.whole = sum;
      T before = __shfl_up_sync(0xffffffff, sum, 1);
      before = rank == 0 ? initial : op(initial, before);
      for (int i = 0; i < segment; i++) {
        T one = storage.grid[rank * segment + i];
        storage.grid[rank * segment + i] = before;
        before = op(before, one);
      }
    }
    __syncthreads();
    out = storage.grid[rank];
    whole = storage.whole;
  }
  __device__ void ExclusiveSum(T x, T &out) {
    T whole;
    Exclusive(x, out, T(0), cub::Sum(), whole);
  }
  __device__ void ExclusiveSum(T x, T &out, T &whole) { Exclusive(x, out, T(0), cub::Sum(), whole); }
  __device__ void InclusiveSum(T x, T &out) {
    T whole, before;
    Exclusive(x, before, T(0), cub::Sum(), whole);
    out = before + x;
  }
  __device__ void InclusiveSum(T x, T &out, T &whole) {
    T before;
    Exclusive(x, before, T(0), cub::Sum(), whole);
    out = before + x;
  }
};
// Where an element of a work-item stands: in an order by work-items, in rows of the block, or in rows of its sub-groups.
template <int threads, int items, int algorithm> __device__ inline int place_in_block(int i) {
  int rank = rank_in_block();
  if (algorithm == 1 || algorithm == 3) return i * threads + rank;
  if (algorithm == 4) return rank / 32 * 32 * items + i * 32 + rank % 32;
  return rank * items + i;
}
template <int algorithm> __device__ inline void exchanged() {
  if (algorithm == 4)
    __syncwarp();
  else
    __syncthreads();
}
template <class T, int threads, int items, int algorithm = 0, int y_threads = 1, int z_threads = 1> struct BlockLoad {
  struct TempStorage { T grid[algorithm >= 3 ? threads * y_threads * z_threads * items : 1]; };
  TempStorage &storage;
  __device__ BlockLoad(TempStorage &s) : storage(s) {}
  __device__ void Exchange(T *x) {
    const int all = threads * y_threads * z_threads;
    if (algorithm < 3) return;
    for (int i = 0; i < items; i++) storage.grid[place_in_block<all, items, algorithm>(i)] = x[i];
    exchanged<algorithm>();
    for (int i = 0; i < items; i++) x[i] = storage.grid[rank_in_block() * items + i];
  }
  template <class P> __device__ void Load(P p, T (&x)[items]) {
    const int all = threads * y_threads * z_threads;
    for (int i = 0; i < items; i++) x[i] = p[place_in_block<all, items, algorithm>(i)];
    Exchange(x);
  }
  template <class P> __device__ void Load(P p, T (&x)[items], int valid) {
    const int all = threads * y_threads * z_threads;
    for (int i = 0; i < items; i++)
      if (place_in_block<all, items, algorithm>(i) < valid) x[i] = p[place_in_block<all, items, algorithm>(i)];
    Exchange(x);
  }
  template <class P, class D> __device__ void Load(P p, T (&x)[items], int valid, D otherwise) {
    const int all = threads * y_threads * z_threads;
    for (int i = 0; i < items; i++) x[i] = otherwise;
    for (int i = 0; i < items; i++)
      if (place_in_block<all, items, algorithm>(i) < valid) x[i] = p[place_in_block<all, items, algorithm>(i)];
    Exchange(x);
  }
};
template <class T, int threads, int items, int algorithm = 0, int y_threads = 1, int z_threads = 1> struct BlockStore {
  struct TempStorage { T grid[algorithm >= 3 ? threads * y_threads * z_threads * items : 1]; };
  TempStorage &storage;
  __device__ BlockStore(TempStorage &s) : storage(s) {}
  __device__ void Exchange(T *x) {
    const int all = threads * y_threads * z_threads;
    if (algorithm < 3) return;
    for (int i = 0; i < items; i++) storage.grid[rank_in_block() * items + i] = x[i];
    exchanged<algorithm>();
    for (int i = 0; i < items; i++) x[i] = storage.grid[place_in_block<all, items, algorithm>(i)];
  }
  template <class P> __device__ void Store(P p, T (&x)[items]) {
    const int all = threads * y_threads * z_threads;
    Exchange(x);
    for (int i = 0; i < items; i++) p[place_in_block<all, items, algorithm>(i)] = x[i];
  }
  template <class P> __device__ void Store(P p, T (&x)[items], int valid) {
    const int all = threads * y_threads * z_threads;
    Exchange(x);
    for (int i = 0; i < items; i++)
      if (place_in_block<all, items, algorithm>(i) < valid) p[place_in_block<all, items, algorithm>(i)] = x[i];
  }
};
}
