package native

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpuperf/internal/ctest/ckerneltest"
	"gpuperf/internal/frontend"
)

// TestExamples compares the counts of the kernel functions of examples, of those that tests of package ckernel have, and of those in which faults
// were found. Without LONG it takes a sixth of the first two.
func TestExamples(t *testing.T) {
	if _, err := Compiler(); err != nil {
		t.Skip(err)
	}
	var names []string
	var list []*function
	for i, e := range ckerneltest.Corpus { // its launches alone
		if os.Getenv("LONG") == "" && i%6 != 0 {
			continue
		}
		names, list = append(names, e.Name()), append(list, example(t, e))
		list[len(list)-1].alone = true
	}
	own, err := filepath.Glob("testdata/*.c[lu]") // of faults that were found
	if err != nil || len(own) == 0 {
		t.Fatal(own, err)
	}
	files, err := filepath.Glob("../../../ckernel/testdata/*.c[lu]")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for i, file := range files {
		if os.Getenv("LONG") != "" || i%6 == 0 || filepath.Base(file) == "chosen.cu" { // there was a fault in that one, too
			own = append(own, file)
		}
	}
	for _, file := range own {
		if notMade[filepath.Base(file)] != "" {
			continue
		}
		names, list = append(names, filepath.Base(file)), append(list, launched(t, file))
	}
	var all figures
	for i, o := range check(t, list) {
		all.add(list[i], o)
		if o.refused != nil && strings.Contains(o.refused.Error(), "takes more than") {
			t.Logf("%s: %v", names[i], o.refused)
			continue
		}
		if o.refused != nil || o.wrong != "" {
			t.Errorf("%s: refused: %v\n%s", names[i], o.refused, o.wrong)
		}
	}
	t.Log(&all)
}

// notMade are files that the classes which count cannot stand in, and why.
var notMade = map[string]string{
	"library.cu":      "headers of CUDA's libraries",
	"random.cu":       "headers of CUDA's libraries",
	"assembly.cu":     "inline assembly of another machine",
	"derived.cu":      "a structure derives from a vector, which is a class",
	"file_pointer.cu": "pointers of the file, which the host sets",
	"grid.cu":         "barriers of all work-groups",
	"handles.cu":      "textures",
	"nested.cu":       "a structure is passed by value",
	"pointers.cu":     "inline assembly of another machine",
	"packs.cu":        "of the arguments of the kernel itself, a pack has no names; testdata has the rest",
	"record.cu":       "a structure is passed by value",
	"record_local.cu": "a structure is in local memory, and one is passed by value",
	"outputs.cl":      "functions with two results of vectors",
	"vectors3.cl":     "functions and conversions of vectors that the classes lack",
	"known.cu":        "headers of PyTorch's extensions and of glm",
	"accessor.cu":     "headers of PyTorch's extensions",
	"tensor.cu":       "headers of PyTorch's extensions",
	"fence.cu":        "a fence in a loop is in no count, which is in part",
	"search.cu":       "a loop ends by data, of which arrays here have none",
	"votes.cu":        "functions over a sub-group",
	"concepts.cu":     "concepts of types, which are classes here",
	"held.cu":         "inline assembly of another machine",
	"converted.cu":    "numbers are classes here, converted as other classes are",
	"exchanged.cu":    "exchanges of structures",
	"lanes.cl":        "comparisons of vectors, which the classes lack",
	"carries.cl":      "comparisons of vectors, which the classes lack",
	"text.cl":         "strings are no arrays of the classes",
	"copies.cl":       "asynchronous copies, and shuffles of vectors",
	"union.cu":        "members of unions are no classes",
	"special.cu":      "templates are specialized for types, which are all classes here",
}

// example is a function of examples/kernels.
func example(t *testing.T, e ckerneltest.Example) *function {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../examples/kernels", e.File))
	if err != nil {
		t.Fatal(err)
	}
	f := &function{
		text: string(text), openCL: filepath.Ext(e.File) == ".cl", kernel: e.Kernel, local: e.Local, global: e.Global, assume: e.Assume, sizes: slices.Clone(e.Sizes), floats: e.Floats,
	}
	if e.Instance != "" {
		f.kernel = e.Instance
	}
	for name, elements := range e.Dynamic {
		f.shared = name + "=" + elements
		if n, err := strconv.Atoi(elements); err == nil && !f.openCL {
			f.shared = fmt.Sprint(4 * n)
		}
	}
	if n := len(f.sizes); n == 2 {
		sum := map[string]int64{}
		for name, v := range f.sizes[0] {
			sum[name] = v + f.sizes[1][name]
		}
		f.sizes = append(f.sizes, sum)
	}
	f.starts = func(at map[string]int64) map[string][2]int64 {
		out := map[string][2]int64{}
		for name, start := range e.Start {
			a, b, c := int64(start(at, 0)), int64(start(at, 1)), int64(start(at, 2))
			if c-b == b-a {
				out[name] = [2]int64{b - a, a}
			}
		}
		return out
	}
	return f
}

// memories are what the memory of a launch has where its averages say so.
var memories = map[string]func(at map[string]int64) map[string][2]int64{
	"rows.cl": func(at map[string]int64) map[string][2]int64 {
		return map[string][2]int64{"first": {at["nnz"] / at["n"], 0}}
	},
	"rows_by_warp.cu": func(map[string]int64) map[string][2]int64 { return map[string][2]int64{"first": {27, 0}} },
	"until.cl":        func(map[string]int64) map[string][2]int64 { return map[string][2]int64{"y": {0, 19}} }, // 8 steps of Newton's from 19
}

// launched is the function of a file whose first line says how it is launched, with values for all sizes.
func launched(t *testing.T, file string) *function {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f := &function{text: string(text), openCL: filepath.Ext(file) == ".cl", starts: memories[filepath.Base(file)]}
	line, _, _ := strings.Cut(f.text, "\n")
	for part := range strings.SplitSeq(strings.TrimPrefix(line, "// "), "--") {
		flag, value, _ := strings.Cut(strings.TrimSpace(part), " ")
		switch flag {
		case "local":
			for n := range strings.SplitSeq(value, ",") {
				v, err := strconv.ParseInt(n, 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				f.local = append(f.local, v)
			}
		case "global":
			f.global = strings.Split(value, ",")
		case "groups":
			for i, one := range strings.Split(value, ",") {
				f.global = append(f.global, fmt.Sprintf("(%s)*%d", one, f.local[i]))
			}
		case "shared":
			f.shared = value
		case "assume":
			f.assume = append(f.assume, value)
		case "instance":
			f.kernel = value
		case "bind":
			name, e, _ := strings.Cut(value, "=")
			f.bind = map[string]string{name: e}
		}
	}
	if f.kernel == "" {
		list := tokens(f.text)
		i := slices.IndexFunc(list, func(t token) bool { return t.text == "__global__" || t.text == "__kernel" || t.text == "kernel" })
		for ; i+1 < len(list) && list[i+1].text != "("; i++ {
		}
		f.kernel = list[i].text
	}
	var params []string
	if f.bind != nil {
		w, err := f.bound(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		params = w.IR.Params()
	} else {
		o := frontend.Options{Kernel: f.kernel, Local: numbers(f.local), Global: strings.Join(f.global, ","), Shared: f.shared, Assume: f.assume}
		kernels, err := o.Load(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		params = kernels[0].Kernel.Params()
	}
	f.alone = true
	for _, n := range []int64{128, 384, 256} {
		at := map[string]int64{}
		for i, p := range params {
			if at[p] = n; i > 0 {
				at[p] = n / 16
			}
		}
		if at["nnz"] > 0 {
			at["nnz"] = 3 * n
		}
		f.sizes = append(f.sizes, at)
	}
	return f
}
