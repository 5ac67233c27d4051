package scop_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/scop"
)

// TestRefusals: what is not static control is refused where it stands, with the reason.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name, body, want string // the place ^ in the body
	}{
		{"return", `for (i = 0; i < n; i++) ^return;`, "return is not static control"},
		{"goto", `^x: a[0] = 1; goto x;`, "a label is not static control"},
		{"a square", `for (i = 0; ^i*i < n; i++) a[i] = 0;`, "a product of iterators or parameters is not affine"},
		{"an unknown call", `for (i = 0; i < n; i++) a[i] = ^g(i);`, "the call of g may have effects"},
		{"a function that returns from a loop", `for (i = 0; i < n; i++) a[i] = ^h(i);`, "the call of h, which does more than return an expression"},
		{"a call alone", `^g(3);`, "the call of g may have effects"},
		{"an inner assignment", `a[0] = 1 + (^j = 2);`, "an assignment inside of an expression"},
		{"an iterator that the body changes", `^for (i = 0; i < n; i++) { i = i + 1; }`, "i is assigned in the loop, other than in its head"},
		{"an iterator after a loop of many ends", `for (i = 0; i < n && i < m; i++) a[i] = 0; a[^i] = 1;`, "i is used outside of its loop"},
		{"the same iterator twice", `^for (i = 0; i < n; i++) for (i = 0; i < n; i++) a[i] = 0;`, "i is also the iterator of a loop"},
		{"a loop without end", `^for (i = 0; ; i++) a[i] = 0;`, "the loop has no condition"},
		{"a condition in the other direction", `for (i = 0; ^i > n; i++) a[i] = 0;`, "the condition is no bound of i in the direction of the loop"},
		{"a float iterator", `^for (d = 0; d < n; d++) a[0] = 0;`, "the iterator d is not an integer"},
		{"an unsigned iterator that falls", `^for (u = 5; u > 0; u--) a[u] = 0;`, "the loop decreases u, which has no sign"},
		{"an unsigned value", `for (u = 0; u < 9; u++) a[u] = ^u - 3;`, "`u - 3` has no sign in C and wraps around below 0 where u <= 2"},
		{"an unsigned condition", `for (u = 0; u < 9; u++) if (^u - 3 < 2) a[u] = 0;`, "`u - 3` has no sign in C and wraps around below 0"},
		{"an unsigned bound", `for (i = 0; i < ^9 - u && i < 9; i++) a[i] = 0;`, "has no sign in C and wraps around below 0"},
		{"an unsigned dividend", `for (u = 0; u < 9; u++) a[(^u - 5) / 2 + 4] = 0;`, "`u - 5` has no sign in C and wraps around below 0"},
		{"an int beside unsigned", `if (^-1 < u) a[0] = 0;`, "`-1` has no sign in C and wraps around below 0"},
		{"an unsigned choice", `for (u = 0; u < 9; u++) a[u] = a[u] > 2 ? ^u - 4 : 0;`, "`u - 4` has no sign in C and wraps around below 0"},
		{"a pointer", `for (i = 0; i < n; i++) ^p[i] = a[i];`, "p is a pointer, which may point to what another array has"},
		{"a pointer that moves", `for (i = 0; i < n; i++) ^*q++ = 0;`, "q is a pointer that is assigned"},
		{"a row", `^b[0] = a[0];`, ""},
		{"rows that are pointers", `for (i = 0; i < n; i++) ^ro[i][0] = 0;`, "the rows of ro are pointers, which may point to the same numbers"},
		{"a union", `a[0] = ^s.x;`, "a member of a struct has no place"},
		{"an address", `a[0] = *(^&d + 1);`, ""},
		{"a comma", `a[0] = (^a[1], a[2]);`, "the comma operator has no place in a loop nest"},
	} {
		t.Run(c.name, func(t *testing.T) {
			head := "union { float x; int i; } s;\ndouble g(int);\nint h(int x) { for (;;) return x; }\nvoid f(int n, int m, float a[100], int at[100], float b[9][9], float d, unsigned u, float *restrict q, float **rows) {\n  int i, j; float *p = a, **ro = rows;\n#pragma scop\n"
			before, after, _ := strings.Cut(c.body, "^")
			text := head + before + after + "\n#pragma endscop\n}\n"
			f, err := cfront.Parse(t.Context(), "test.c", text, cfront.Options{})
			if err != nil { // the types are wrong
				if c.want != "" {
					t.Fatal(err)
				}
				return
			}
			regions, err := f.Regions()
			if err != nil {
				t.Fatal(err)
			}
			n, err := scop.Build(f, regions[len(regions)-1])
			if err == nil {
				t.Fatalf("no error\n%s", n)
			}
			place := strings.SplitN(err.Error(), " ", 2)[0]
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if line, column := strings.Count(text[:len(head)+len(before)], "\n")+1, len(before)+1; place != fmt.Sprintf("test.c:%d:%d:", line, column) && c.want != "" {
				t.Errorf("at %s, want column %d of line %d\n%v", place, column, line, err)
			}
		})
	}
}

// TestOffer: the largest part that is static control is offered.
func TestOffer(t *testing.T) {
	text := `void f(int n, float a[n], float b[n]) {
#pragma scop
  a[0] = 1;
  for (;;) {
    for (int i = 0; i < n; i++) {
      a[i] = 0;
      b[i] = 1;
    }
    for (int i = 0; i < n; i++)
      b[i] += a[i];
    n--;
  }
#pragma endscop
}
`
	f, r := parseRegion(t, text)
	_, err := scop.Build(f, r)
	if err == nil || !strings.Contains(err.Error(), "around lines 5 to 11, which are static control") {
		t.Error(err)
	}
}

// TestPointers: arrays are different arrays; of pointers that must be known.
func TestPointers(t *testing.T) {
	for _, c := range []struct{ head, want string }{
		{"void f(int n, float *p, float a[n])", "p is a pointer, which may point to what another array has"},
		{"void f(int n, float *restrict p, float a[n])", ""},
		{"void f(int n, float p[n], float a[n])", ""},
		{"void f(int n, float *p, float *restrict a)", ""},
		{"void f(int n, float *p, double *a)", ""},
		{"float a[9]; void f(int n, float *p)", "p is a pointer"},
		{"void *malloc(unsigned long); void f(int n, float a[n]) { float *p = (float *)malloc(n * sizeof(float));", ""},
		{"void f(int n, float a[n]) { float *p = a + 1;", "p is a pointer, which may point to what another array has"},
		{"void f(int n, float b[n], float a[n]) { float *p; p = b + n; b[0] = *p;", "p is a pointer"},
		{"void *malloc(unsigned long); void f(int n, float a[n]) { float *p = malloc(n); p = a;", "p is a pointer that is assigned"},
	} {
		text := c.head
		if !strings.Contains(text, "{") {
			text += " {"
		}
		f, r := parseRegion(t, text+"\n#pragma scop\nfor (int i = 0; i < n; i++) p[i] = a[i];\n#pragma endscop\n}\n")
		switch _, err := scop.Build(f, r); {
		case err == nil && c.want != "", err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: got %v, want %q", c.head, err, c.want)
		}
	}
}

// TestFunctions: functions of the file that return an expression are as if it stood in the place of their calls.
func TestFunctions(t *testing.T) {
	for _, c := range []struct{ function, call, want string }{
		{"double g(double x, int y) { return x * x - y; }", "g(a[i], i)", "a[i]*a[i] - i"},
		{"double g(float x) { return x + 1; }", "g(a[i])", "cast(float64, cast(float32, a[i]) + 1)"},
		{"int g(int x) { return x / 2.5; }", "g(i)", "cast(int32, i/2.5d)"},
		{"double w[9]; double g(int x) { return w[x]; }", "g(i) + g(i + 1)", "w[i] + w[i + 1]"},
		{"double h(double x) { return -x; } double g(double x) { return h(x) * 2; }", "g(a[i])", "-a[i]*2"},
		{"double max(double x, double y) { return x < y ? x : y; }", "max(a[i], 2)", "a[i] if a[i] < cast(float64, 2) else cast(float64, 2)"},
		{"double min(double x, double y);", "min(a[i], 2)", "the call of min may have effects"},
		{"double g(double x) { return g(x - 1); }", "g(a[i])", "functions call each other more than 20 deep"},
		{"double g(double *x) { return x[1]; }", "g(a)", "g_result"},
		{"double g(double *x) { x++; return x[1]; }", "g(a)", "does more than return an expression"},
	} {
		f, r := parseRegion(t, c.function+"\nvoid f(int n, double a[n], double b[n]) {\n#pragma scop\nfor (int i = 0; i < n; i++) b[i] = "+c.call+";\n#pragma endscop\n}\n")
		n, err := scop.Build(f, r)
		got := ""
		if err == nil {
			got = n.Statements[len(n.Statements)-1].RHS.String()
		} else {
			got = err.Error()
		}
		if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
			t.Errorf("%s: %s is %s, want %s", c.function, c.call, got, c.want)
		}
	}
}

// TestTypes: values have the types in which C computes: iterators and literals do not decide them.
func TestTypes(t *testing.T) {
	for _, c := range []struct{ value, want string }{
		{"p[u] * u", "cast(uint32, p[u])*cast(uint32, u)"},
		{"p[u] < u", "1 if cast(uint32, p[u]) < cast(uint32, u) else 0"},
		{"p[u] >= 0u", "1 if cast(uint32, p[u]) >= 0 else 0"},
		{"q[u] * -1", "q[u]*cast(uint32, -1)"},
		{"u * 4000000000u", "cast(uint32, u)*4000000000"},
		{"w * 100000 * 100000", "(cast(int64, w)*100000)*100000"},
		{"p[w] < w", "1 if p[w] < cast(int64, w) else 0"},
		{"s * p[s]", "cast(int32, s)*p[s]"},
	} {
		i := regexp.MustCompile(`[uws]`).FindString(c.value)
		f, r := parseRegion(t, "void f(int n, int *restrict p, unsigned *restrict q, long *restrict to) {\n#pragma scop\nfor ("+map[string]string{"u": "unsigned", "w": "long", "s": "short"}[i]+
			" "+i+" = 0; "+i+" < 9; "+i+"++) to["+i+"] = "+c.value+";\n#pragma endscop\n}\n")
		n, err := Build(f, r)
		if err != nil || n.Statements[0].RHS.String() != c.want {
			t.Errorf("%s: %v, %v, want %s", c.value, n, err, c.want)
		}
	}
}

// TestRowsThatNothingReaches: rows that only statements have that never run.
func TestRowsThatNothingReaches(t *testing.T) {
	f, r := parseRegion(t, "void f(int n, double **rows, double a[9]) {\n#pragma scop\nfor (int i = 0; i < n; i++) { if (i >= n) rows[i][i] = 1; a[i] = 0; }\n#pragma endscop\n}\n")
	n, err := scop.Build(f, r)
	if err != nil || n.Array("rows") == nil {
		t.Fatal(n, err)
	}
}

// TestAnySubscript: a subscript that depends on data is printed as any, and in the other accesses of the array too.
func TestAnySubscript(t *testing.T) {
	f, r := parseRegion(t, "void f(int n, int at[n], double x[9][9], double a[n]) {\n#pragma scop\nfor (int i = 0; i < n; i++) a[i] = x[2][at[i]] + x[i][0];\n#pragma endscop\n}\n")
	n, err := scop.Build(f, r)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range n.Statements[0].Accesses {
		got = append(got, a.String())
	}
	if want := "at[i] x[2, *] x[i, *] a[i]"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := scop.Objects([]*scop.Nest{n})[0].Statements[0].Accesses[1].Index; strings.Join(got, ", ") != "2, *" {
		t.Errorf("as JSON %q", got)
	}
}
