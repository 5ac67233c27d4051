package compile

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/internal/bounded"
	"gpuperf/kernel/expr"
	"gpuperf/scop"
)

// program is a C file with one nest, and a main that fills its arguments, calls it, and prints what it leaves in its arrays.
type program struct {
	name, file string
	nest       *scop.Nest
	sizes      []string // the integer parameters, which main takes as arguments
	dir        string
}

// newProgram puts the text of a C file with one function into a folder, with its main.
func newProgram(t testing.TB, name, text string) *program {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("there is no cc")
	}
	p := &program{name: name, dir: t.TempDir()}
	p.file = filepath.Join(p.dir, name+".c")
	write(t, p.file, text)
	f, err := cfront.Read(t.Context(), p.file, cfront.Options{})
	if err != nil {
		t.Fatal(err)
	}
	regions, err := f.Regions()
	if err != nil {
		t.Fatal(err)
	}
	if p.nest, err = scop.Build(f, regions[0]); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(p.dir, "main.c"), p.main(regions[0].Function))
	return p
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// main fills arrays by a generator of numbers from 0.5 to 1.5, and adds the extent to the diagonal of square ones, so that eliminations are well
// conditioned. With the environment variable PERTURB each number is changed by about so much of itself.
func (p *program) main(fn *cfront.Function) string {
	var b, params, args, body, prints strings.Builder
	b.WriteString(`#include <stdio.h>
#include <stdlib.h>
static unsigned long state = 1;
static double perturb;
static double next(void)
{
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    double v = 0.5 + (double) (state >> 40) / (1 << 24), r = (double) (state >> 20 & 0xfffff) / (1 << 19) - 1;
    return v * (1 + perturb * r);
}
`)
	n := 0
	for i, v := range fn.Params {
		if i > 0 {
			params.WriteString(", ")
			args.WriteString(", ")
		}
		args.WriteString(v.Name)
		switch {
		case len(v.Dims) > 0:
			params.WriteString("void *")
		default:
			params.WriteString(ctypes[v.DType])
			if v.DType.IsInteger() {
				n++
				p.sizes = append(p.sizes, v.Name)
				fmt.Fprintf(&body, "    %s %s = atoi(argv[%d]);\n", ctypes[v.DType], v.Name, n)
			} else {
				fmt.Fprintf(&body, "    %s %s = 0.25 * next();\n", ctypes[v.DType], v.Name)
			}
			continue
		}
		a := p.nest.Array(v.Name)
		if a == nil {
			fmt.Fprintf(&body, "    void *%s = calloc(1 << 20, 1);\n", v.Name)
			continue
		}
		t := ctypes[a.DType]
		var extents []string
		for _, e := range a.Shape {
			extents = append(extents, e.String())
		}
		fmt.Fprintf(&body, "    long count_%[1]s = (long) %[2]s;\n    %[3]s *%[1]s = malloc(count_%[1]s * sizeof(%[3]s));\n", v.Name, strings.Join(extents, " * "), t)
		value := "next()"
		switch a.DType {
		case expr.Int8:
			value = "(int) (next() * 1000) % 4"
		case expr.Int32:
			value = "next() * 1000"
		}
		if len(extents) == 1 && a.DType.IsFloat() {
			value = "next() / (2 + i)"
		}
		fmt.Fprintf(&body, "    for (long i = 0; i < count_%[1]s; i++) %[1]s[i] = %[2]s;\n", v.Name, value)
		if len(extents) == 2 && extents[0] == extents[1] && a.DType.IsFloat() {
			fmt.Fprintf(&body, "    for (long i = 0; i < %[2]s; i++) %[1]s[i * (%[2]s + 1l)] += %[2]s;\n", v.Name, extents[0])
		}
		fmt.Fprintf(&prints, "    printf(\"= %[1]s\\n\");\n    for (long i = 0; i < count_%[1]s; i++) printf(\"%%.17g\\n\", (double) %[1]s[i]);\n", v.Name)
	}
	fmt.Fprintf(&b, "void %s(%s);\nint main(int argc, char **argv)\n{\n    if (getenv(\"PERTURB\")) perturb = atof(getenv(\"PERTURB\"));\n", fn.Name, params.String())
	b.WriteString("    if (getenv(\"SEED\")) state = strtoul(getenv(\"SEED\"), NULL, 10);\n")
	fmt.Fprintf(&b, "%s    %s(%s);\n%s    return 0;\n}\n", body.String(), fn.Name, args.String(), prints.String())
	return b.String()
}

// compileFlags are those of C programs of the tests.
const compileFlags = "-O1 -ffp-contract=off -Wall -Werror=implicit-function-declaration"

// original is the program of the file as it is.
func (p *program) original(t testing.TB) string {
	t.Helper()
	out := filepath.Join(p.dir, "original")
	run(t, nil, "cc", append(strings.Fields(compileFlags), p.file, filepath.Join(p.dir, "main.c"), "-o", out, "-lm")...)
	return out
}

// written compiles the file for a language, and returns the new one.
func (p *program) written(t testing.TB, language string) string {
	t.Helper()
	out := filepath.Join(p.dir, language)
	if _, err := File(t.Context(), p.file, out, Options{Language: language}); bounded.Stopped(err) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(out, p.name+".c")
}

// openCL is the program of what the file is compiled to for OpenCL.
func (p *program) openCL(t testing.TB) string {
	t.Helper()
	if !haveOpenCL() {
		t.Skip("there are no headers of OpenCL, or no library to link with")
	}
	out := filepath.Join(p.dir, "device")
	run(t, nil, "cc", append(strings.Fields(compileFlags), p.written(t, "opencl"), filepath.Join(p.dir, "main.c"), "-o", out, "-lOpenCL", "-lm")...)
	return out
}

var cudaLaunchText = regexp.MustCompile(`kernel<<<(.*)>>>\(arguments\.\.\.\);`)

// cudaOnHost is the program of what the file is compiled to for CUDA, with a runtime that does all on the host, and with graphs of few launches.
func (p *program) cudaOnHost(t testing.TB) string {
	t.Helper()
	return onHost(t, p.written(t, "cuda"), filepath.Join(p.dir, "main.c"), filepath.Join(p.dir, "cuda-on-host"))
}

// onHost compiles a file that was written for CUDA, with its kernels and a main function.
func onHost(t testing.TB, file, main, out string) string {
	t.Helper()
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("there is no g++")
	}
	device := strings.TrimSuffix(file, ".c") + "_scop.cu"
	text := read(t, device)
	if !cudaLaunchText.MatchString(text) {
		t.Fatal("the helpers launch no kernel")
	}
	write(t, device, cudaLaunchText.ReplaceAllString(text, "run_kernel(kernel, $1, arguments...);"))
	var objects []string
	for _, source := range []string{file, main} {
		objects = append(objects, source+".o")
		run(t, nil, "cc", append(strings.Fields(compileFlags), "-c", source, "-o", source+".o")...)
	}
	flags := strings.Fields("-std=c++17 -O1 -w -ffp-contract=off -DSCOP_GRAPH=8 -Itestdata/cuda -x c++")
	run(t, nil, "g++", slices.Concat(flags, []string{device, "-x", "none"}, objects, []string{"-o", out, "-lm"})...)
	return out
}

func haveOpenCL() bool {
	for _, file := range []string{"/usr/include/CL/cl.h", "/usr/local/include/CL/cl.h"} {
		if _, err := os.Stat(file); err == nil {
			return true
		}
	}
	return false
}

// run runs a command and returns what it prints.
func run(t testing.TB, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, stderr.String())
	}
	return string(out)
}

// numbers are the arrays that a program prints.
func numbers(t testing.TB, text string) (names []string, arrays map[string][]float64) {
	t.Helper()
	arrays = map[string][]float64{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "= "); ok {
			names = append(names, name)
			continue
		}
		v, err := strconv.ParseFloat(line, 64)
		if err != nil {
			t.Fatal(err)
		}
		arrays[names[len(names)-1]] = append(arrays[names[len(names)-1]], v)
	}
	return names, arrays
}
