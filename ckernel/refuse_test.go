package ckernel

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/internal/source"
)

// TestRefusals: what the IR cannot hold is refused where it stands, with the reason, and with what still takes the kernel.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name, body, want string // the place ^ in the body
	}{
		{"data in a bound", `for (int k = 0; ^k < d[i]; k++) y[i] = 0;`, "how many iterations the loop makes depends on data (declare the average, as in --assume 'trips(6) = 8'"},
		{"data in a condition of while", `while (^x[i] > 1.0f) x[i] = x[i] * 0.5f;`, "depends on data"},
		{"a break", `for (int k = 0; k < n; k++) { if (x[k] > 0.0f) ^break; y[k] = 0; }`, "a loop that ends in its middle (declare the average"},
		{
			"a break of some work-items, and a step in the condition", `int j = 0; ^do { y[j] = 0; if (i > j) break; } while (++j < n);`,
			"a loop whose condition changes a variable, and does not hold for all work-items alike",
		},
		{"a return in a loop", `for (int k = 0; k < n; k++) { if (x[k] > 0.0f) ^return; y[k] = 0; }`, "a return within a loop"},
		{"a condition that is no bound", `for (int k = 0; ^k * k < n; k++) y[k] = 0;`, ""},
		{"a step that varies", `for (int k = 1; ^k < n; k *= 2) y[k] = 0;`, "the value of k is not known"},
		{"no end", `^for (int k = 0; ; k++) y[k] = 0;`, "the loop has no condition"},
		{"a stride in sizes", `for (int k = i; ^k < m; k += n) y[k] = 0;`, ""},
		{"a product in a condition", `if (^i < n * m) y[i] = 0;`, "is compared with 0, which is not linear in sizes and indices"},
		{"two arrays", `__global float *p = x; for (int k = 0; k < n; k++) { ^p[i] = 0; if (x[k] > 0.0f) p = y; }`, "it is not known which array p points to"},
		{"an unknown function", `y[i] = ^g(3.0f);`, ""},
		{
			"conditions on data that grow by each iteration written out",
			`for (int r = 4096; ^r > 0; r >>= 1) { for (int c = 1; c < (1 << 20); c <<= 1) { if (x[c] > 1.0f || x[i + r] > 2.0f) break; if (x[c + i] > 3.0f) continue; y[i] += x[c]; } if (y[i] > 2.0f) continue; y[r] = 1.0f; }`,
			"the value of r is not known (declare the average number of iterations, as in --assume 'trips(6) = 8'",
		},
		{"goto", `^again: y[i] = 0; goto again;`, ""},
		{"switch", `^switch (n) { case 1 ... 3: y[0] = 1; case 2: y[1] = 1; }`, "a switch with a range of values has no place in a kernel"},
		{"unsigned", `unsigned u = n - m; unsigned v = m - n; if (^u < v) y[i] = 0;`, "numbers without sign are compared that may be below 0"},
		{"a division by zero", `y[^i / 0] = 1;`, "a division by zero"},
		{"pointers of two arguments compared", `if (^x < y) y[i] = 0;`, "pointers are compared"},
		{"a recursive function", `y[i] = again(1.0f);`, "again calls itself"},
		{"a vector of another type", `int4 w = vload4(i, d); float4 ^v = w; y[i] = v.x;`, "float4 takes no int4"},
		{"a vector of another type later", `float4 v = 1.0f; ^v = vload4(i, d); y[i] = v.x;`, "float4 takes no int4"},
		{"a vector for a number", `float ^v = vload4(i, x); y[i] = v;`, "float takes no float4"},
		{"vectors of two types", `float4 v = vload4(i, x); v = ^v * vload4(i, d); y[i] = v.x;`, "an operation on float4 and int4"},
		{"an undeclared name", `y[i] = x[i] * ^nowhere;`, "nowhere is not declared"},
		{"no number", `y[i] = ^1.0ff;`, "1.0ff is no number"},
		{"no statement", `y[i] = 1 ^2;`, `"2" stands where ";" should stand`},
		{"a function that cannot be read", `y[i] = broken(1.0f);`, "nowhere is not declared"},
	} {
		t.Run(c.name, func(t *testing.T) {
			head := "float again(float v) { return v > 0.0f ? again(v - 1.0f) : v; }\nfloat broken(float v) { return v * nowhere; }\n__kernel void f(int n, int m, __global int *d, __global float *x, __global float *y)\n{\n  int i = get_global_id(0);\n"
			before, after, placed := strings.Cut(c.body, "^")
			text := head + before + after + "\n}\n"
			f, err := cfront.Parse(t.Context(), "test.cl", text, cfront.Options{})
			if err != nil { // it is no OpenCL C
				if c.want != "" {
					t.Fatal(err)
				}
				return
			}
			_, err = Read(t.Context(), f, Options{Local: []int64{64}, Global: []string{"n"}})
			var at *source.Error
			if !errors.As(err, &at) {
				t.Fatalf("%v", err)
			}
			if !strings.Contains(err.Error(), c.want) && !strings.Contains(at.Msg+" ("+at.Hint+")", c.want) {
				t.Errorf("refused as\n%v\nwant %s", err, c.want)
			}
			if !strings.HasSuffix(at.Hint, elsewhere) && !cfront.Malformed(err) {
				t.Errorf("the hint is %q", at.Hint)
			}
			if want := len(head) + len(before); placed && c.want != "" {
				if got := offset(text, at.Pos); got != want {
					t.Errorf("refused at %q, want %q", text[got:], text[want:])
				}
			}
		})
	}
}

func offset(text string, at source.Pos) int {
	lines := strings.SplitAfter(text, "\n")
	return len(strings.Join(lines[:at.Line-1], "")) + at.Column - 1
}

// TestLaunches: a launch that does not fit the function is refused with what would.
func TestLaunches(t *testing.T) {
	const text = "__kernel void f(int n, __global float *y, __local float *part) { part[get_local_id(0)] = n; y[get_global_id(0)] = part[n % 7]; }\n"
	one := []int64{64}
	for _, c := range []struct {
		name string
		opt  Options
		want string
	}{
		{"no group", Options{Global: []string{"n"}}, "the size of the work-group is not known"},
		{"no grid", Options{Local: one}, "the number of work-items is not known"},
		{"a large group", Options{Local: []int64{1 << 30}, Global: []string{"n"}}, "a work-group of 1073741824 work-items along axis 0"},
		{"many axes", Options{Local: []int64{1, 1, 1, 1}, Global: []string{"n"}}, "a work-group of 4 axes"},
		{"a product", Options{Local: one, Global: []string{"n*m"}}, "is no linear expression in sizes"},
		{"no size", Options{Local: one, Global: []string{"n/2"}}, "is no size"},
		{"a bad expression", Options{Local: one, Global: []string{"n +"}}, "a value is missing"},
		{"an assumption", Options{Local: one, Global: []string{"n"}, Assume: []string{"n >"}}, "assumption n >"},
		{"an impossible one", Options{Local: one, Global: []string{"n"}, Assume: []string{"n > 3", "n < 2"}}, "no sizes satisfy the assumptions"},
		{"trips of no loop", Options{Local: one, Global: []string{"n"}, Assume: []string{"trips(9) = n"}, Dynamic: "part=64"}, "trips(9): no loop in that line"},
		{"trips without a value", Options{Local: one, Global: []string{"n"}, Assume: []string{"trips(9)"}}, "is not understood"},
		{"another name", Options{Kernel: "g", Local: one, Global: []string{"n"}}, `no kernel function "g"`},
		{"a part of an element", Options{Local: one, Global: []string{"n"}, Dynamic: "30"}, "no whole number of elements"},
		{"no such array", Options{Local: one, Global: []string{"n"}, Dynamic: "parts=64"}, "there is no array parts in local memory"},
		{"an array twice", Options{Local: one, Global: []string{"n"}, Dynamic: "part=64,part=32"}, "the size of local memory is given twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := cfront.Parse(t.Context(), "test.cl", text, cfront.Options{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = Read(t.Context(), f, c.opt)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

// TestDeepLoops: loops within loops take time in proportion to their number, and not twice as much for each more.
func TestDeepLoops(t *testing.T) {
	text := "__kernel void f(int n, __global float *y) {\n"
	const depth = 24
	for i := range depth {
		text += fmt.Sprintf("for (int k%d = 0; k%d < n; k%[1]d++)\n", i, i)
	}
	text += "y[k0 + k23] += 1.0f;\n}\n"
	f, err := cfront.Parse(t.Context(), "test.cl", text, cfront.Options{})
	if err != nil {
		t.Fatal(err)
	}
	k, err := Read(t.Context(), f, Options{Local: []int64{1}, Global: []string{"1"}})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(k.Inames()); n != depth {
		t.Errorf("%d inames", n)
	}
}

// TestAbsent: an unknown function is refused with the header that may define it.
func TestAbsent(t *testing.T) {
	const text = "#include <stdio.h>\n#include <cub/cub.cuh>\n#include <helper.cuh>\n__global__ void f(float *y) { y[threadIdx.x] = help(y[0]); }\n"
	f, err := cfront.Parse(t.Context(), "test.cu", text, cfront.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Read(t.Context(), f, Options{Local: []int64{64}, Global: []string{"n"}})
	want := "put its definition into the file; headers that were not found may declare it: helper.cuh; -I gives their folders; "
	var at *source.Error
	if !errors.As(err, &at) || !strings.HasPrefix(at.Hint, want) {
		t.Errorf("got %v\nwant %s", err, want)
	}
}
