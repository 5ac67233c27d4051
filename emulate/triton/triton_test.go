package triton

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/emulate/launches"
	"gpuperf/internal/source"
)

// ir is a kernel's function in Triton's IR, with an extent of the tensors.
const ir = `module {
  tt.func public @matmul(%%n: i32 {tt.divisibility = 16 : i32} loc("n"(#loc)), %%a: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("a"(#loc)), %%b_0: !tt.ptr<f32> loc("b"(#loc)), %%c: !tt.ptr<f32> loc("c"(#loc))) attributes {noinline = false} {
    %%cst = arith.constant dense<0.000000e+00> : tensor<%dx16xf32> loc(#loc1)
`

// cache makes a cache with kernels of the listing of testdata/sass, which have an extent and a number of warps each.
func cache(t testing.TB, configurations ...[2]int) string {
	t.Helper()
	listing, err := os.ReadFile("../../testdata/sass/matmul.sass")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for i, c := range configurations {
		at := filepath.Join(folder, fmt.Sprint("KERNEL", i))
		if err := os.Mkdir(at, 0o777); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			"matmul.json": fmt.Sprintf(`{"hash": "%d%dabcdef", "target": {"backend": "cuda", "arch": 90, "warp_size": 32}, "num_warps": %d, "num_ctas": 1, `+
				`"num_stages": 3, "shared": 2112, "name": "matmul"}`, i, i, c[1]),
			"matmul.ttir":         fmt.Sprintf(ir, c[0]),
			"matmul.sass":         string(listing),
			"__grp__matmul.json":  `{"child_paths": {}}`,
			"__triton_launcher.c": "",
		} {
			if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	return folder
}

const description = `version: 1
kernel: matmul
sizes: {n: 256}
grid: ["cdiv(n, BLOCK)", n / 16]
args:
  n: n
  a: {size: n * n}
  b: {size: n * n}
  c: {size: n * n}
  one: 1
configurations:
  - {BLOCK: 16, num_warps: 4}
  - {BLOCK: 32, num_warps: 4, FAST: True, name: "a"}
  - {BLOCK: 32, num_warps: 8, grid: [n / 8, 16]}
`

func rank(t testing.TB, folder, text string, sizes map[string]int64) (*Ranking, error) {
	t.Helper()
	device, err := facts.Sheet("NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	d, err := Parse("d.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	return d.Rank(t.Context(), Options{Cache: folder, Sizes: sizes, Each: launches.Options{Device: device}})
}

// Configurations find their machine code by options and by numbers in the IR, and are sorted by their times.
func TestRank(t *testing.T) {
	folder := cache(t, [2]int{16, 4}, [2]int{32, 4}, [2]int{32, 8})
	r, err := rank(t, folder, description, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Ranked) != 3 || len(r.All()) != 1 || !strings.Contains(r.All()[0], "registers") {
		t.Fatalf("%+v", r)
	}
	for i, one := range r.Ranked {
		if i > 0 && one.Result.Seconds < r.Ranked[i-1].Result.Seconds {
			t.Error("not sorted")
		}
		if block := one.values["BLOCK"]; (block == "16") != (one.Entry.Hash == "00abcdef") {
			t.Errorf("block %s has the machine code %s", block, one.Entry.Hash)
		}
	}
	var out bytes.Buffer
	if err := r.Write(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"matmul on NVIDIA H200: 3 configurations", "all have num_stages 3, num_ctas 1", "BLOCK", "22abcdef"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
	text, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(text), `"configuration":[{"name":"BLOCK","value":"32"},{"name":"num_warps","value":"8"},{"name":"num_stages","value":"3"},{"name":"num_ctas","value":"1"}]`) {
		t.Errorf("%v\n%s", err, text)
	}
}

// Sizes may be given, and one for which Triton would have compiled other code is warned of.
func TestSizes(t *testing.T) {
	folder := cache(t, [2]int{16, 4})
	text := strings.Split(description, "  - {BLOCK: 32")[0]
	small, err := rank(t, folder, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	large, err := rank(t, folder, text, map[string]int64{"n": 1000})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := small.Ranked[0].Result.Seconds, large.Ranked[0].Result.Seconds; b < 10*a {
		t.Error(a, b)
	}
	if all := strings.Join(large.All(), "\n"); !strings.Contains(all, "n is 1000, and the machine code was compiled for multiples of 16") {
		t.Error(all)
	}
}

// Without configurations each kernel of the cache is one.
func TestWholeCache(t *testing.T) {
	folder := cache(t, [2]int{16, 4}, [2]int{32, 8})
	text, _, _ := strings.Cut(description, "configurations")
	r, err := rank(t, folder, strings.Replace(text, "cdiv(n, BLOCK)", "n / num_warps", 1), nil)
	if err != nil || len(r.Ranked) != 2 {
		t.Fatal(r, err)
	}
	_, err = rank(t, folder, text, nil)
	if err == nil || !strings.Contains(err.Error(), `there is no size "BLOCK"`) || !strings.Contains(err.Error(), "perf_triton.py") {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	folder := cache(t, [2]int{16, 4}, [2]int{32, 4}, [2]int{32, 8})
	for _, c := range []struct{ replace, by, place, want string }{
		{"version: 1", "version: 2", "1:10", "a description of a Triton kernel of version 2"},
		{"version: 1\n", "", "1:1", "no version"},
		{"kernel: matmul", "kernel: matmull", "2:9", `no kernel "matmull"`},
		{"grid", "gird", "4:1", `unknown key "gird"`},
		{"cdiv(n, BLOCK)", "cdiv(m, BLOCK)", "4:14", `there is no size "m"`},
		{"n / 16]", "n / ]", "4:28", "a value is missing"},
		{"  n: n", "  m: n", "6:3", "the kernel takes n, and args do not have it"},
		{"a: {size: n * n}", "a: n", "7:6", "a is a pointer"},
		{"a: {size: n * n}", "a: {size: n * k}", "7:17", `no size "k"`},
		{"a: {size: n * n}", "a: {dtype: float8, size: n}", "7:14", `"float8" is no type of elements`},
		{"  one: 1", "  d: {size: n}", "10:3", "the kernel does not take d"},
		{"n: n\n", "n: 3000000000\n", "6:6", "does not fit int32"},
		{"BLOCK: 16, num_warps: 4", "BLOCK: 16, num_warps: 16", "12:5", "no machine code of this configuration"},
		{"BLOCK: 16, num_warps: 4", "num_warps: 4", "4:17", `there is no size "BLOCK"`},
		{"BLOCK: 16, num_warps: 4", "BLOCK: 32, num_warps: 4", "13:5", "another configuration has the machine code of this one"},
		{"BLOCK: 16, num_warps: 4", "BLOCK: 16, hash: 99", "12:5", "no machine code of this configuration"},
		{"BLOCK: 16, num_warps: 4", "a: 16, num_warps: 4", "12:6", "a stands among args"},
		{"sizes: {n: 256}", "sizes: {n: 256, BLOCK: 3}", "3:17", "BLOCK has a value already"},
		{"configurations:\n", "configurations: 5 #", "11:17", "expected a list"},
	} {
		text := strings.Replace(description, c.replace, c.by, 1)
		if c.replace == "configurations:\n" {
			text, _, _ = strings.Cut(text, "5 #")
			text += "5\n"
		}
		_, err := rank(t, folder, text, nil)
		var at *source.Error
		if !errors.As(err, &at) || !strings.Contains(err.Error(), c.want) || fmt.Sprintf("%d:%d", at.Pos.Line, at.Pos.Column) != c.place {
			t.Errorf("%s: want %s %q, got %v", c.by, c.place, c.want, err)
		}
	}
	_, err := rank(t, cache(t, [2]int{16, 4}, [2]int{16, 4}, [2]int{32, 4}, [2]int{32, 8}), description, nil)
	if err == nil || !strings.Contains(err.Error(), "d.yaml:12:5: 2 kernels of the cache may be this configuration") {
		t.Error(err)
	}
	for _, bad := range []string{filepath.Join(folder, "nothing"), t.TempDir()} {
		if _, err := rank(t, bad, description, nil); err == nil {
			t.Errorf("%s is no cache", bad)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "KERNEL0", "matmul.json"), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := rank(t, folder, description, nil); err == nil || !strings.Contains(err.Error(), "matmul.json cannot be read") {
		t.Error(err)
	}
}

// What of a cache cannot be used is told where it is missed.
func TestLeftOut(t *testing.T) {
	with := func(change func(at string)) string {
		folder := cache(t, [2]int{16, 4}, [2]int{32, 4}, [2]int{32, 8})
		change(filepath.Join(folder, "KERNEL0", "matmul"))
		return folder
	}
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const missing = "the machine code of this one"
	for _, c := range []struct {
		name, want, hint string
		change           func(at string)
	}{
		{"no code", missing, "matmul.json is left out: there is neither a cubin nor a listing beside it", func(at string) { os.Remove(at + ".sass") }},
		{"no JSON", missing, "matmul.cubin is left out: there is no matmul.json beside it", func(at string) { write(at+".cubin", ""); os.Remove(at + ".json") }},
		{"other keys", missing, "it has no key shared", func(at string) { write(at+".json", `{"name": "matmul", "num_warps": 4}`) }},
		{"another GPU", missing, "it was compiled for hip", func(at string) {
			write(at+".json", `{"name": "matmul", "num_warps": 4, "shared": 0, "target": {"backend": "hip", "arch": "gfx942"}}`)
		}},
		{"a list", "matmul.json cannot be read", "it should be an object", func(at string) { write(at+".json", "[]") }},
		{"no cubin", "matmul.cubin: ", "", func(at string) { write(at+".cubin", "no") }},
		{"other files", "", "", func(at string) { write(at+"2.json", "[1]"); write(at+"3.json", "{}") }},
		{"an old target", "", "", func(at string) {
			write(at+".json", `{"name": "matmul", "num_warps": 4, "num_stages": 3, "shared": 2112, "target": ["cuda", 90]}`)
		}},
	} {
		_, err := rank(t, with(c.change), description, nil)
		if text := said(err); c.want == "" && err != nil || !strings.Contains(text, c.want) || !strings.Contains(text, c.hint) {
			t.Errorf("%s: %s", c.name, text)
		}
	}
	folder := with(func(at string) { os.Remove(at + ".sass") })
	text, _, _ := strings.Cut(description, "configurations")
	r, err := rank(t, folder, strings.Replace(text, "cdiv(n, BLOCK)", "n / num_warps", 1), nil)
	if err != nil || !strings.Contains(strings.Join(r.All(), "\n"), "is left out") {
		t.Error(r, err)
	}
	if l, err := List(folder); err != nil || len(l.List) != 1 || len(l.List[0].Entries) != 2 || len(l.All()) != 1 {
		t.Error(l, err)
	}
}

// said is an error with its hint.
func said(err error) string {
	var at *source.Error
	if errors.As(err, &at) {
		return err.Error() + "\n" + at.Hint
	}
	return fmt.Sprint(err)
}

// Arguments are read from IR with and without names, and types that launch files lack are bytes.
func TestSignature(t *testing.T) {
	const text = `  tt.func public @f(%arg0: !tt.ptr<bf16, 1> {tt.divisibility = 16 : i32} loc("/a,b(.py":1:0), %arg1: i64, %x: !tt.ptr<f8E4M3FN>, %s: f32 loc("s"(#loc))) attributes`
	got := signature(text, "f")
	want := []Argument{
		{"", "uint16", true, 16, "!tt.ptr<bf16,"}, {"", "int64", false, 0, "i64"}, {"x", "uint8", true, 0, "!tt.ptr<f8E4M3FN>"}, {"s", "float32", false, 0, "f32"},
	}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i, w := range want {
		if got[i] != w {
			t.Errorf("%+v, want %+v", got[i], w)
		}
	}
	if signature(text, "g") != nil || signature("tt.func public @f(", "f") == nil {
		t.Error("a function that is not there, or is cut off")
	}
	if n := numbers("tensor<128x64xf16> dense<32> arith.constant 8 : i32 {end = 256 : i32}"); !n[128] || !n[64] || !n[32] || !n[8] || !n[256] || n[16] {
		t.Error(n)
	}
}
