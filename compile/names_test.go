package compile_test

import "testing"

// TestNames: a reference is another name of an array or a record, whose elements are values, in private memory, or in memory of the work-group.
func TestNames(t *testing.T) {
	const text = `struct Pair { int a, b; };
template <int N> __device__ void rotate(int (&v)[N][N], Pair &p, const int (&w)[N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) v[i][j] = v[i][j] * 3 + w[j];
  p.a += p.b; p.b = v[N - 1][0];
}
__device__ int picked(const int (&v)[4], int i) { return v[i & 3]; }
__global__ void k(const int *a, const unsigned *b, const int *c, unsigned *out, int n) {
  __shared__ int s[4];
  int t = threadIdx.x, x[2][2] = {{a[t], c[t]}, {1, 2}}, w[2] = {5, t}, y[4] = {a[t], 7, c[t], 9};
  if (t < 4) s[t] = 10 * t;
  __syncthreads();
  Pair p; p.a = 3; p.b = 4;
  rotate<2>(x, p, w); rotate<2>(x, p, w);
  int (&row)[2] = x[1]; row[1] += 100;
  out[t] = x[0][0] + x[0][1]; out[n + t] = x[1][0] + 7 * x[1][1]; out[2 * n + t] = p.a + picked(y, t); out[3 * n + t] = picked(s, t);
}`
	in := randomInputs(1)
	got, err := executed(t, text, in)
	if err != nil {
		t.Fatal(err)
	}
	for i := range items {
		a, c, u := word(in, i), word(in, 2*items+i), uint32(i)
		y := []uint32{a, 7, c, 9}
		for k, want := range []uint32{9*a + 20 + 9*c + 4*u, 29 + 7*(118+4*u), 15 + y[i&3], 10 * uint32(i&3)} {
			if x := word(got, k*items+i); x != want {
				t.Fatalf("output %d of work-item %d is %d, want %d", k, i, int32(x), int32(want))
			}
		}
	}
}
