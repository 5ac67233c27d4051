// --local 64 --groups 8
class Range {
  struct At {
    __device__ At(int index, int delta) : index_(index), delta_(delta) {}
    __device__ int operator*() const { return index_; }
    __device__ At &operator++() { index_ += delta_; return *this; }
    __device__ bool operator!=(const At &other) const {
      bool greater = index_ > other.index_;
      bool less = index_ < other.index_;
      if (!other.delta_) return less;
      if (!delta_) return greater;
      return less || greater;
    }
   private:
    int index_; const int delta_;
  };
 public:
  __device__ Range(int begin, int delta, int end) : begin_(begin), delta_(delta), end_(end) {}
  __device__ At begin() const { return At{begin_, delta_}; }
  __device__ At end() const { return At{end_, 0}; }
 private:
  int begin_, delta_, end_;
};
__device__ Range items(int n) { return Range(blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x, n); }
__global__ void k(float *y, int n) {
  for (int i : items(n)) y[i] = 2.0f * y[i];
}
