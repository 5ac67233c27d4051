package offload

import (
	"encoding/csv"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/scop"
	"gpuperf/scop/schedule"
)

// products are nests with sums that matrix instructions make, and sizes at which they do.
var products = []struct {
	name, text string
	sizes      map[string]int64
}{
	{"product", `void f(int M, int N, int K, float a, float b, const _Float16 A[M][K], const _Float16 B[K][N], float C[M][N]) {
	for (int i = 0; i < M; i++) for (int j = 0; j < N; j++) { C[i][j] *= b; for (int k = 0; k < K; k++) C[i][j] += a * (float) A[i][k] * (float) B[k][j]; }
}`, map[string]int64{"M": 35, "N": 40, "K": 40}},
	{"both transposed", `void f(int M, int N, int K, const _Float16 A[K][M], const _Float16 B[N][K], float C[M][N]) {
	for (int i = 0; i < M; i++) for (int j = 0; j < N; j++) { C[i][j] = 0; for (int k = 0; k < K; k++) C[i][j] += (float) A[k][i] * (float) B[j][k]; }
}`, map[string]int64{"M": 40, "N": 33, "K": 24}},
	{"triangle of bfloat16", `void f(int N, int K, const __bf16 A[N][K], _Float16 C[N][N]) {
	for (int i = 0; i < N; i++) for (int j = 0; j <= i; j++) { float s = 0; for (int k = 8; k < K; k++) s += (float) A[i][k] * (float) A[j][k]; C[i][j] = s; }
}`, map[string]int64{"N": 37, "K": 40}},
}

// TestProducts: matrix instructions make what the text says, at sizes that their lines divide, and other kernels do at others.
func TestProducts(t *testing.T) {
	for i, c := range products {
		t.Run(c.name, func(t *testing.T) {
			matrices := 0
			p := productOf(t, c.text, Options{Map: func(f Form) Mapping {
				if !f.Matrix {
					return small(f)
				}
				matrices++
				return Mapping{Matrix: true, Block: []int64{2, 1}, Points: []int64{16, 32}, Depth: 32, Held: int64(2 + i)}
			}})
			if matrices != 1 {
				t.Fatalf("%d sums by matrix instructions", matrices)
			}
			for _, even := range []bool{true, false} {
				at := maps.Clone(c.sizes)
				if !even {
					at["K"]++
				}
				list, err := p.Plan(at)
				if err != nil {
					t.Fatal(err)
				}
				of := 0
				for _, r := range list {
					if strings.HasSuffix(r.Kernel.Name, "_even") {
						of++
					}
				}
				if of > 0 != even {
					t.Fatalf("at %v, %d launches with matrix instructions", at, of)
				}
				if even || os.Getenv("LONG") != "" { // the others are those of TestPolybench
					check(t, p, at)
				}
			}
		})
	}
}

func productOf(t *testing.T, text string, opt Options) *Program {
	t.Helper()
	file := filepath.Join(t.TempDir(), "f.c")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	nests, err := scop.Load(t.Context(), file, cfront.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := find(nests[0], schedule.Smart, opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestProductMappings: the mapping of matrix instructions that has the least price is among the fastest of the recorded ones. Those of 4096 chose what decides, the others judge it.
func TestProductMappings(t *testing.T) {
	f, err := os.Open("testdata/h200_matrix.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{1024, 2048, 4096} {
		f := Form{Kernel: "f", Parallel: 2, Tiles: true, Matrix: true, Operands: 2, Extent: [3]int64{n, n}, Terms: n, Bytes: 4}
		least, price, took := math.Inf(1), math.Inf(1), math.Inf(1)
		var m Mapping
		for _, row := range rows[1:] {
			us, err := strconv.ParseFloat(row[5], 64)
			if err != nil {
				t.Fatal(err)
			}
			if number(row[0]) != n {
				continue
			}
			least = min(least, us)
			one := Mapping{Matrix: true, Block: numbers(row[1]), Points: numbers(row[2]), Depth: number(row[3]), Held: number(row[4])}
			if p := f.on().Seconds(f.products(one)); p < price {
				m, price, took = one, p, us
			}
		}
		if took > 1.1*least {
			t.Errorf("n=%d: %+v took %g us, the fastest %g", n, m, took, least)
		}
		t.Logf("n=%d: %v of %v, %d terms: %g us, the fastest %g", n, m.Block, m.Points, m.Depth, took, least)
	}
}
