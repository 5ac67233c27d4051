package export

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/device/devicetest"
	"gpuperf/kernel/interp"
	"gpuperf/lift"
	"gpuperf/lift/derive"
	"gpuperf/lift/explore"
	"gpuperf/lift/lower"
)

// cases are programs of each kind: several launches with temporaries, numbers by value, results of several components, results with
// elements that are not written, and local memory.
var cases = []struct {
	file, recipe string
	sizes        map[string]int64
}{
	{"dot", "strides of k", map[string]int64{"n": 4096}},
	{"gemv", "element for a work-group", map[string]int64{"n": 64, "m": 32}},
	{"blackscholes", "groups of l", map[string]int64{"n": 256}},
	{"jacobi2d_5pt", "rows", map[string]int64{"h": 34, "w": 34}},
	{"md", "glb0", map[string]int64{"n": 64, "k": 8}},
	{"filter", "first chunks of k, glb0", map[string]int64{"n": 256}},
	{"spmv", "segments of work-items, glb0", map[string]int64{"n": 96, "m": 16, "k": 32}},
	{"segments", "scan of segments", map[string]int64{"n": 128, "m": 16}},
	{"argmax", "chunks of k", map[string]int64{"n": 256}},
	{"moments", "component 0", map[string]int64{"n": 256}},
	{"normalize", "first", map[string]int64{"n": 256}},
	{"prefix", "chunks of k in groups of l", map[string]int64{"n": 256}},
	{"transpose", "glb0", map[string]int64{"h": 16, "w": 32}},
}

// what is the first variant of the recipe, without vectors.
func what(t *testing.T, file, recipe string, sizes map[string]int64) What {
	t.Helper()
	p, err := lift.Load("../../examples/lift/" + file + ".lift")
	if err != nil {
		t.Fatal(err)
	}
	r, err := derive.Derive(p, derive.Options{Sizes: sizes, Count: 60})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(r.Variants, func(v *derive.Variant) bool {
		return strings.Contains(v.Recipe, recipe) && !strings.Contains(v.Recipe, "vector")
	})
	if i < 0 {
		t.Fatalf("%s: no variant of the recipe %q", file, recipe)
	}
	return What{Program: p, Variant: r.Variants[i], Sizes: sizes}
}

// TestFunction compiles what is exported with a main, runs it, and compares all results with the semantics of the program: as C all, as OpenCL every
// third or with LONG=1 all.
func TestFunction(t *testing.T) {
	for _, as := range []string{"c", "opencl"} {
		t.Run(as, func(t *testing.T) {
			if _, err := exec.LookPath("cc"); err != nil {
				t.Skip("there is no cc")
			}
			libraries := []string{"-lm"}
			if as == "opencl" {
				devicetest.Open(t).Close()
				libraries = []string{"-lOpenCL"}
				if _, err := os.Stat("/usr/include/CL/cl.h"); err != nil {
					t.Skip("there are no headers of OpenCL")
				}
			}
			for i, c := range cases {
				if i%3 > 0 && os.Getenv("LONG") == "" {
					continue
				}
				t.Run(c.file, func(t *testing.T) { testFunction(t, what(t, c.file, c.recipe, c.sizes), as, libraries) })
			}
		})
	}
}

func testFunction(t *testing.T, w What, as string, libraries []string) {
	t.Helper()
	r, err := New(w, as)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := r.Write(dir); err != nil {
		t.Fatal(err)
	}
	buffers := inputs(t, w, r)
	for name, b := range buffers {
		if err := os.WriteFile(filepath.Join(dir, name+".in"), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "main.c"), []byte(mainOf(r)), 0o666); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("cc", append([]string{"-std=gnu11", "-Wall", "-Wextra", "-Werror", "main.c", r.name + ".c", "-o", "main"}, libraries...)...)
	command.Dir = dir
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := exec.Command("./main")
	run.Dir = dir
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := meaning(t, w, r, buffers)
	var results []*interp.Buffer
	for _, a := range r.Arguments {
		if a.Input != "" {
			continue
		}
		bytes, err := os.ReadFile(filepath.Join(dir, a.Name+".out"))
		if err != nil {
			t.Fatal(err)
		}
		b, err := interp.FromBytes(a.DType, bytes)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, b)
	}
	at, err := w.Program.AtSizes(w.Sizes)
	if err != nil {
		t.Fatal(err)
	}
	got := lower.Read(at.Body.Type, results)
	if err := lower.Compare(got, want, 1e-4); err != nil {
		t.Error(err)
	}
	if !kept(got, want) {
		t.Error("an element that the program does not write has changed")
	}
}

// kept reports whether elements that are not written are NaN, as they were.
func kept(got, want lift.Value) bool {
	w, several := want.(lift.Values)
	switch g := got.(type) {
	case lift.Num:
		return want != lift.Value(lift.Unwritten{}) || math.IsNaN(g.Float64())
	case lift.Values:
		for i, x := range g {
			if several {
				want = w[i]
			}
			if !kept(x, want) {
				return false
			}
		}
	}
	return true
}

// inputs are the bytes of all arguments but results.
func inputs(t *testing.T, w What, r *Result) map[string][]byte {
	t.Helper()
	at, err := w.Program.AtSizes(w.Sizes)
	if err != nil {
		t.Fatal(err)
	}
	segments := explore.Segments(at)
	all := map[string][]byte{}
	for i, a := range r.Arguments {
		if a.Input != "" {
			arg := segments[a.Name].Arg
			arg.DType, arg.Seed = string(a.DType), uint64(i+1)
			all[a.Name] = make([]byte, a.Bytes)
			arg.Fill(all[a.Name], 0)
		}
	}
	return all
}

// mainOf is a program that reads the inputs, calls the function, and writes the results, which begin with the bits of NaN.
func mainOf(r *Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include \"%s.h\"\n", r.name)
	b.WriteString(`static void *in(const char *name, size_t n)
{
    void *p = malloc(n);
    FILE *f = fopen(name, "rb");
    if (!p || !f || fread(p, 1, n, f) != n) exit(1);
    fclose(f);
    return p;
}
int main(void)
{
`)
	var args []string
	for _, a := range r.Arguments {
		t := hostTypes[a.DType]
		switch {
		case a.Input != "":
			fmt.Fprintf(&b, "    %s *%s = in(\"%s.in\", %d);\n", t, a.Name, a.Name, a.Bytes)
		default:
			fmt.Fprintf(&b, "    %s *%s = malloc(%d);\n    memset(%s, 255, %d);\n", t, a.Name, a.Bytes, a.Name, a.Bytes)
		}
		if a.Kind == ByValue {
			args = append(args, "*"+a.Name)
		} else {
			args = append(args, a.Name)
		}
	}
	// Twice: the second call finds kernels that are compiled already.
	for range 2 {
		fmt.Fprintf(&b, "    %s(%s);\n", r.Function, strings.Join(args, ", "))
	}
	for _, a := range r.Arguments {
		if a.Input == "" {
			fmt.Fprintf(&b, "    FILE *f_%[1]s = fopen(\"%[1]s.out\", \"wb\");\n    if (fwrite(%[1]s, 1, %[2]d, f_%[1]s) != %[2]d) return 1;\n    fclose(f_%[1]s);\n", a.Name, a.Bytes)
		}
	}
	b.WriteString("    return 0;\n}\n")
	return b.String()
}

// meaning is what the program computes of the inputs.
func meaning(t *testing.T, w What, r *Result, buffers map[string][]byte) lift.Value {
	t.Helper()
	at, err := w.Program.AtSizes(w.Sizes)
	if err != nil {
		t.Fatal(err)
	}
	var values []lift.Value
	for _, in := range at.Inputs {
		var parts []*interp.Buffer
		for _, a := range r.Arguments {
			if a.Input == in.Name {
				b, err := interp.FromBytes(a.DType, buffers[a.Name])
				if err != nil {
					t.Fatal(err)
				}
				parts = append(parts, b)
			}
		}
		values = append(values, lower.Read(in.Type, parts))
	}
	v, err := lift.Eval(at, nil, values, lift.EvalOptions{Float: true})
	if err != nil {
		t.Fatal(err)
	}
	return v
}
