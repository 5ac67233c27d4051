// Traversals of graphs with K edges for each node, whose ends are bits of random numbers; a power of two nodes.

// A step of PageRank by what comes in.
__global__ void pull(const unsigned *edge, const float *rank, const int *degree, float *next, int n, int k, float damping) {
  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += blockDim.x * gridDim.x) {
    float sum = 0;
    for (int e = 0; e < k; e++) {
      unsigned u = edge[v * k + e] >> 1 & (n - 1);
      sum += rank[u] / degree[u];
    }
    next[v] = (1 - damping) / n + damping * sum;
  }
}

// The same by what goes out.
__global__ void push(const unsigned *__restrict__ edge, const float *__restrict__ rank, float *next, int n, int k) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  float share = rank[v] / k;
  for (int e = 0; e < k; e++) atomicAdd(next + (edge[v * k + e] >> 1 & (n - 1)), share);
}

// Breadth first: a frontier becomes the next one, a queue in global memory with a part of each warp.
__global__ void frontier(const unsigned *__restrict__ queue, const unsigned *__restrict__ edge, unsigned *seen, unsigned *next, unsigned *length, int count, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  unsigned v = i < count ? queue[i] >> 1 & (n - 1) : 0;
  for (int e = 0; e < k; e++) {
    unsigned u = edge[v * k + e] >> 1 & (n - 1);
    bool fresh = i < count && (atomicOr(seen + u / 32, 1u << u % 32) >> u % 32 & 1) == 0;
    unsigned vote = __ballot_sync(~0u, fresh), base = 0;
    if (vote == 0) continue;
    if (lane == __ffs(vote) - 1) base = atomicAdd(length, __popc(vote));
    base = __shfl_sync(~0u, base, __ffs(vote) - 1);
    if (fresh) next[(base + __popc(vote & (1u << lane) - 1)) & (n - 1)] = u;
  }
}

// A warp for each node: its neighbours by lanes.
__global__ void relax(const unsigned *__restrict__ edge, const float *__restrict__ weight, const float *__restrict__ distance, int *next, int n, int k) {
  int v = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  if (v >= n) return;
  float d = distance[v];
  for (int e = threadIdx.x & 31; e < k; e += 32) {
    unsigned u = edge[(size_t)v * k + e] >> 1 & (n - 1);
    float through = d + weight[(size_t)v * k + e];
    if (through < distance[u]) atomicMin(next + u, __float_as_int(through));
  }
}

// Union-find: parents of parents, until they are the same.
__global__ void compress(unsigned *parent, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  unsigned p = parent[v];
  for (int k = 0; k < 8 && p != parent[p & (n - 1)]; k++) p = parent[p & (n - 1)] / 2;
  parent[v] = p;
}

// The least hash of the neighbours tells who is in an independent set.
__global__ void independent(const unsigned *__restrict__ edge, unsigned char *__restrict__ state, int n, int k) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  unsigned mine = v * 2654435761u ^ v >> 7;
  bool least = true;
  for (int e = 0; e < k; e++) {
    unsigned u = edge[(size_t)e * n + v] >> 1 & (n - 1), other = u * 2654435761u ^ u >> 7;
    if (state[u] != 3 && other < mine) least = false;
  }
  state[v] = least ? 2 : 1;
}

// How many neighbours of two nodes are the same: both lists are sorted.
__global__ void common(const int *__restrict__ list, int *__restrict__ found, int pairs, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  const int *a = list + (size_t)i * k, *b = list + (size_t)(i * 7 % pairs) * k;
  int p = 0, q = 0, same = 0, u = 0, v = 0;
  while (p < k && q < k) {
    u = a[p] + 9 * p, v = b[q] + 9 * q;
    same += u == v;
    p += u <= v;
    q += u >= v;
  }
  found[i] = same;
}
