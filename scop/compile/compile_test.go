package compile

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/cfront"
	"gpuperf/internal/golden"
	"gpuperf/kernel/emit"
	"gpuperf/kernel/emit/host"
)

var factor = cfront.Options{Define: []string{"FACTOR=3"}}

var kernelText = regexp.MustCompile(`(?s)(static const char scop_source\[\] =\n).*?(;\n\n//)|(#undef INFINITY\n).*?(\n// Lines)`)

// TestGolden compares what a small file is compiled to, without helpers and kernels. UPDATE=1 writes the golden files.
func TestGolden(t *testing.T) {
	for _, c := range []struct{ language, file, golden, helpers string }{
		{"opencl", "sample.c", "opencl.c.golden", host.Helpers(emit.OpenCLC, "scop")},
		{"cuda", "sample.c", "cuda.c.golden", ""},
		{"cuda", "sample_scop.cu", "cuda.cu.golden", host.Helpers(emit.CUDAC, "scop")},
	} {
		dir := t.TempDir()
		if _, err := File(t.Context(), "testdata/sample.c", dir, Options{Options: factor, Language: c.language}); err != nil {
			t.Fatal(err)
		}
		got := strings.Replace(read(t, filepath.Join(dir, c.file)), c.helpers, "// (helpers)\n", 1)
		got = kernelText.ReplaceAllString(got, "$1$3// (kernels)$2$4")
		golden.Check(t, filepath.Join("testdata", c.golden), got)
		if read(t, filepath.Join(dir, "sample.h")) != read(t, "testdata/sample.h") {
			t.Error("the header is another one")
		}
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSample: the compiled sample prints what the sample does.
func TestSample(t *testing.T) {
	if _, err := exec.LookPath("cc"); err != nil || !haveOpenCL() {
		t.Skip("there is no cc, or no OpenCL to compile with")
	}
	dir := t.TempDir()
	result, err := File(t.Context(), "testdata/sample.c", dir, Options{Options: factor, Language: "opencl"})
	if err != nil {
		t.Fatal(err)
	}
	original, device := filepath.Join(dir, "original"), filepath.Join(dir, "device")
	run(t, nil, "cc", "-DFACTOR=3", "testdata/sample.c", "-o", original, "-lm")
	run(t, nil, "cc", "-Wall", "-Werror", "-Wno-unknown-pragmas", "-Wno-unused-variable", "-Wno-unused-function", filepath.Join(dir, "sample.c"), "-o", device, "-lOpenCL", "-lm")
	if diff := cmp.Diff(run(t, nil, original), run(t, nil, device)); diff != "" {
		t.Errorf("(-original +device)\n%s", diff)
	}
	var text strings.Builder
	if err := result.Print(&text); err != nil || !strings.Contains(text.String(), "fill_3, lines 32 to 36, is left as it is: how often this loop runs is data") {
		t.Errorf("%v\n%s", err, text.String())
	}
	// Other macros at the compiler's command line are errors there, and no wrong results.
	for _, other := range []string{"-DFACTOR=4", "-DROWS=3", "-DTYPE=float"} {
		if out, err := exec.Command("cc", other, "-w", filepath.Join(dir, "sample.c"), "-o", device+"2", "-lOpenCL").CombinedOutput(); err == nil {
			t.Errorf("%s: no error\n%s", other, out)
		}
	}
	// What fails when the program runs ends it.
	for env, want := range map[string]string{
		"PERF_SCOP_DEVICE=999":              "there is no device 999",
		"PERF_SCOP_OPTIONS=-no-such-option": "compiling the kernels: OpenCL error",
	} {
		cmd := exec.Command(device)
		cmd.Env = append(os.Environ(), env)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v\n%s", env, err, out)
		}
	}
	cmd := exec.Command(device)
	cmd.Env = append(os.Environ(), "PERF_SCOP_TIME=1")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "perf scop: fill: 1 launches, 0.0") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestSuite: files whose macros make their loops, types and arrays are taken as they are, with the options that the compiler gets.
func TestSuite(t *testing.T) {
	if _, err := exec.LookPath("cc"); err != nil || !haveOpenCL() {
		t.Skip("there is no cc, or no OpenCL to compile with")
	}
	for _, defines := range [][]string{{"SMALL_SET"}, {"SMALL_SET", "FLOATS", "PARAMETERS"}} {
		dir := t.TempDir()
		if _, err := File(t.Context(), "testdata/suite.c", dir, Options{Options: cfront.Options{Include: []string{"testdata/include"}, Define: defines}, Language: "opencl"}); err != nil {
			t.Fatal(err)
		}
		flags := []string{"-Itestdata/include", "-w", "-ffp-contract=off"}
		original, device := filepath.Join(dir, "original"), filepath.Join(dir, "device")
		given := slices.Clone(flags)
		for _, d := range defines {
			given = append(given, "-D"+d)
		}
		run(t, nil, "cc", append(given, "testdata/suite.c", "-o", original)...)
		run(t, nil, "cc", append(slices.Clone(flags), filepath.Join(dir, "suite.c"), "-o", device, "-lOpenCL")...)
		if diff := cmp.Diff(run(t, nil, original), run(t, []string{"PERF_SCOP_OPTIONS=-D SCOP_NO_FMA"}, device)); diff != "" {
			t.Errorf("%v: (-original +device)\n%s", defines, diff)
		}
	}
}

// TestOpenExtents: no more of an array is copied than the region accesses, where its declaration does not tell how large it is.
func TestOpenExtents(t *testing.T) {
	if _, err := exec.LookPath("cc"); err != nil || !haveOpenCL() {
		t.Skip("there is no cc, or no OpenCL to compile with")
	}
	dir := t.TempDir()
	if _, err := File(t.Context(), "testdata/open.c", dir, Options{Language: "opencl"}); err != nil {
		t.Fatal(err)
	}
	original, device := filepath.Join(dir, "original"), filepath.Join(dir, "device")
	run(t, nil, "cc", "-w", "testdata/open_main.c", "testdata/open.c", "-o", original)
	run(t, nil, "cc", "-w", "testdata/open_main.c", filepath.Join(dir, "open.c"), "-o", device, "-lOpenCL")
	if diff := cmp.Diff(run(t, nil, original), run(t, nil, device)); diff != "" {
		t.Errorf("(-original +device)\n%s", diff)
	}
}

// TestLeft: regions that would not mean the same as kernels are left as they are, with the reason.
func TestLeft(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"int i;\n#pragma scop\nfor (i = 0; i < n && i < 2*g; i++) a[i] = 0;\n#pragma endscop\na[i] = 1;", "i counts a loop of the region, may be used after it"},
		{"int i, j;\n#pragma scop\nfor (i = 0, j = n; i < j; i++, j--) a[i] = 0;\n#pragma endscop\na[i] = 1;", "i counts a loop of the region, may be used after it"},
		{"\n#pragma scop\nfor (g = 0; g < n && g < 5; g++) a[g] = 0;\n#pragma endscop\n", "g counts a loop of the region"},
		{"\n#pragma scop\n#define TWO 2\na[0] = TWO;\n#pragma endscop\n", "#define in a region would be lost"},
		{"\n#pragma scop\na[0] = 1;\n#ifdef X\na[1] = 1;\n#pragma endscop\n#endif\n", "pragma"},
		{"double s; for (int t = 0; t < 3; t++) {\n#pragma scop\ns = 1;\na[0] = s;\n#pragma endscop\n}", ""},
		{"\n#pragma scop\ndouble b[3]; b[0] = a[0];\n#pragma endscop\na[1] = b[0];", "b is declared in the region and used after it"},
		{"\n#pragma scop\n#pragma endscop\n", "nothing runs in it"},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "f.c")
		write(t, file, "int g;\nvoid f(int n, double a[n]) {"+c.body+"}\n")
		_, err := File(t.Context(), file, filepath.Join(dir, "out"), Options{Language: "opencl"})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.body, err, c.want)
		}
	}
}
