package offload

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/schedule"
)

// TestFloors: subscripts and bounds that are rounded quotients are right in kernels of all forms.
func TestFloors(t *testing.T) {
	const head = "void f(int n, int m, double A[n][m], double B[m][n], double C[n][n], double x[n], double y[n]) {\n#pragma scop\n%s\n#pragma endscop\n}\n"
	product := func(bounds, term string) string {
		return fmt.Sprintf("for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { C[i][j] = 0; for (int k = %s; k++) C[i][j] += %s; }", bounds, term)
	}
	for name, text := range map[string]string{
		"an operand":     product("0; k < m", "A[i][k] * B[k][j/2]"),
		"both operands":  product("0; k < m", "A[i/3][k] * B[k][(i + j)/2]"),
		"the sum's loop": product("0; k < m", "A[i][k/2] * B[k/3][j]"),
		"bounds":         product("i/2; k < m - j/3", "A[i][k] * B[k][j]"),
		"a time loop":    "for (int s = 0; s < m; s++) { for (int i = 1; i < n - 1; i++) y[i] = 0.3 * (x[i-1] + x[i] + x[i+1]) + x[i/2]; for (int i = 1; i < n - 1; i++) x[i] = 0.3 * (y[i-1] + y[i] + y[i+1]); }",
		"every second":   "for (int s = 0; s < m; s++) { for (int i = 1; i < n - 1; i++) y[i] = 0.3 * (x[i-1] + x[i] + x[i+1]); for (int i = 1; i < n - 1; i += 2) x[i] = 0.3 * (y[i-1] + y[i] + y[i+1]); }",
		"a wavefront":    "for (int i = 1; i < n; i++) for (int j = 1; j < n; j++) C[i][j] = C[i-1][j] + C[i][j-1] + x[i/2] * y[(i + j)/3];",
	} {
		n := nestOf(t, "floors.c", fmt.Sprintf(head, text))
		for _, m := range []func(Form) Mapping{small, ahead, inTurns} {
			p, err := find(n, schedule.Smart, Options{Map: m})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			t.Run(name, func(t *testing.T) { check(t, p, map[string]int64{"n": 17, "m": 9}) })
		}
	}
}

// TestAsWritten: where no kernels can be made of the order that is found, and only there, that of the text is taken; it is right either way.
func TestAsWritten(t *testing.T) {
	const text = `void f(int n, int m, double B[120][120], float C[120], int D[120]) {
  double s = 1, L[120];
#pragma scop
  for (int i = 0; i < 120; i++)
    L[i] = i - 3;
  for (int i = 0; i < n + m; i++)
    for (int j = n - i - 1; j > i/2 - 1; j = j - 2) {
      C[n - i + 40] *= D[(j + i)/2 + 40] = 3;
      for (int k = j; k < m + 1; k += 2) {
        s = B[i/2 + 40][i/2 + 40];
        L[j + 40] = D[i - j + 40];
        if (i >= 2)
          s++;
      }
    }
  for (int i = m - 1; i > 0; i = i - 3)
    B[i + 40][i + 40] = s + L[i + 40];
#pragma endscop
}
`
	n, again := nestOf(t, "parts.c", text), nestOf(t, "parts.c", text)
	found, failed := scop.Limited(t.Context(), again, searching, func(n *scop.Nest) (*Program, error) { return find(n, schedule.Smart, Options{}) })
	p, err := Find(t.Context(), n, Options{})
	if err != nil || (p.Original == nil) != (failed == nil && found.Original == nil) {
		t.Fatalf("found by a search: %v; the order of the text is taken as %v (%v)", failed, p.Original, err)
	}
	check(t, p, map[string]int64{"n": 6, "m": 5})
}

// TestSearchLimit: a search that exceeds its limit of work ends with the order of the text.
func TestSearchLimit(t *testing.T) {
	nests, err := scop.Load(t.Context(), "../../examples/polybench/symm.c", cfront.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := findOr(t.Context(), nests[0], Options{Map: small}, 200_000)
	if err != nil || p.Original == nil {
		t.Fatal(p, err)
	}
	if want := "the search for a better one takes more than its limit of work"; !strings.HasPrefix(p.Original.Error(), want) {
		t.Errorf("%v, want %s", p.Original, want)
	}
	check(t, p, map[string]int64{"m": 7, "n": 8})
	if _, err := findOr(t.Context(), nests[0], Options{}, 1000); !errors.Is(err, polycount.ErrBudget) {
		t.Errorf("not even that within the limit: %v", err)
	}
}
