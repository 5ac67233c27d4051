// Package native is for tests: it compiles kernel functions of OpenCL C and CUDA C for the machine at hand, runs them, and tells what they did.
//
// [Run] rewrites the text of a function token by token (rewrite.go, control.go) into C++ over the classes of shim/: numbers that count the
// operations on them, memory that counts its loads and stores, work-items as fibres that meet at barriers. g++ compiles it. It
// shares nothing with packages cfront and ckernel, so that it is a second opinion about what these read. What counts is what
// docs/reference/c.md writes down.
package native

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/lists"
)

//go:embed shim
var shim embed.FS

// Case is a kernel function with launches of it.
type Case struct {
	Text     string
	OpenCL   bool
	Kernel   string // its name, or an instance of a template
	Local    [3]int64
	Launches []Launch
}

// Launch is one launch.
type Launch struct {
	Groups [3]int64
	// Args are numbers by the names of parameters; those of floats that are not among them are 0.5.
	Args map[string]float64
	// Starts gives arrays linear values: a[i] = Starts[a][0]*i + Starts[a][1].
	Starts map[string][2]int64
	// Held: conditions on data are taken to hold.
	Held bool
}

// Op is an operation on a type: "add", "func:sqrt".
type Op struct{ Name, Type string }

// OpCount says how often an operation is done.
type OpCount struct {
	Work      int64 // as work for certain
	Evaluated int64 // at all, with what is done for subscripts, heads of loops and indices
}

// Access is a kind of access.
type Access struct {
	Array, Space, Type string
	Lanes              int64
	Store              bool
}

// Report is what a launch did, summed over its work-items.
type Report struct {
	Ops      map[Op]OpCount
	Accesses map[Access]int64
	// The fewest and the most barriers that a work-item met at.
	Fewest, Most int64
	OnData       bool   // a condition on data was evaluated
	Divergent    bool   // not all work-items of a group met at a barrier
	Endless      bool   // it did not end within MostSteps, or comes after one that did not; nothing else is known
	Crash        string // how the program ended before it did; nothing else is known
}

// Compiler finds g++; the error says why there is none.
func Compiler() (string, error) { return exec.LookPath("g++") }

// Run compiles the cases as one program, in a folder, and runs all their launches.
func Run(ctx context.Context, folder string, cases []Case) ([][]*Report, error) {
	compiler, err := Compiler()
	if err != nil {
		return nil, err
	}
	source, err := program(cases)
	if err != nil {
		return nil, err
	}
	file, binary := filepath.Join(folder, "native.cpp"), filepath.Join(folder, "native")
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, compiler, "-std=c++20", "-w", "-O0", "-fwrapv", "-fmax-errors=8", "-o", binary, file)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, &CompileError{err, string(out)}
	}
	all := lists.Map(cases, func(c Case) []*Report { return make([]*Report, len(c.Launches)) })
	for first := 0; first < len(cases); {
		var out bytes.Buffer
		cmd := exec.CommandContext(ctx, binary, strconv.Itoa(first))
		cmd.Stdout = &out
		failed := cmd.Run()
		last, err := read(&out, all, first)
		switch {
		case err != nil:
			return nil, err
		case failed == nil:
			return all, nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		}
		exit := (*exec.ExitError)(nil)
		if !errors.As(failed, &exit) {
			return nil, failed
		}
		end := &Report{Endless: exit.ExitCode() == endless}
		if !end.Endless {
			end.Crash = failed.Error()
		}
		for s := range all[last] {
			if all[last][s] == nil || s == len(all[last])-1 {
				all[last][s] = end
			}
		}
		first = last + 1
	}
	return all, nil
}

// CompileError is what g++ says of the program of some cases.
type CompileError struct {
	Err  error
	Says string
}

func (e *CompileError) Error() string { return fmt.Sprintf("g++: %v\n%s", e.Err, e.Says) }
func (e *CompileError) Unwrap() error { return e.Err }

var inKernel = regexp.MustCompile(`kernel_([0-9]+)`)

// Cases are the numbers of the cases that it says it of.
func (e *CompileError) Cases() (list []int) {
	for _, m := range inKernel.FindAllStringSubmatch(e.Says, -1) {
		n, _ := strconv.Atoi(m[1])
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// MostSteps is how many operations, accesses and barriers a launch may have.
const MostSteps = 20_000_000

// endless is the exit status of a program that stops at the limit of steps.
const endless = 3

// read reads what a program prints, and tells the kernel that it was at.
func read(out *bytes.Buffer, all [][]*Report, at int) (int, error) {
	var r *Report
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) == 0 {
			continue
		}
		n := func(i int) int64 {
			v, _ := strconv.ParseInt(f[i], 10, 64)
			return v
		}
		switch {
		case f[0] == "kernel" && len(f) == 2:
			at = int(n(1))
		case f[0] == "run" && len(f) == 3:
			r = &Report{Ops: map[Op]OpCount{}, Accesses: map[Access]int64{}}
			all[n(1)][n(2)] = r
		case f[0] == "op" && len(f) == 5:
			old := r.Ops[Op{f[1], f[2]}]
			r.Ops[Op{f[1], f[2]}] = OpCount{old.Work + n(3), old.Evaluated + n(4)}
		case f[0] == "mem" && len(f) == 7:
			r.Accesses[Access{f[3], f[1], f[2], n(4), f[5] == "store"}] += n(6)
		case f[0] == "barriers" && len(f) == 3:
			r.Fewest, r.Most = n(1), n(2)
		case f[0] == "flags" && len(f) == 3:
			r.OnData, r.Divergent = n(1) == 1, n(2) == 1
		case f[0] == "endless":
		default:
			return at, fmt.Errorf("the program printed %q", lines.Text())
		}
	}
	return at, lines.Err()
}

// program is the C++ program of the cases.
func program(cases []Case) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "#define NATIVE_MOST_STEPS %d\n", MostSteps)
	for _, name := range []string{"count", "number", "vector", "functions", "launch"} {
		part, err := shim.ReadFile("shim/" + name + ".hpp")
		if err != nil {
			return "", err
		}
		b.Write(part)
	}
	var calls strings.Builder
	for i, c := range cases {
		params, err := parameters(c.Text, c.Kernel)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\nnamespace kernel_%d {\n%s\n", i, rewrite(c.Text, c.OpenCL))
		var args []string
		for j, p := range params {
			space := "global"
			if p.local {
				space = "local"
			}
			fmt.Fprintf(&b, "Argument argument_%d{%q, %q, 0.5};\n", j, p.name, space)
			args = append(args, fmt.Sprintf("argument_%d", j))
		}
		fmt.Fprintf(&b, "void item() { %s(%s); }\n", instance(c.Kernel), strings.Join(args, ", "))
		fmt.Fprintf(&b, "void all() {\n")
		for s, l := range c.Launches {
			fmt.Fprintf(&b, "begin();\n")
			for j, p := range params {
				if v, ok := l.Args[p.name]; ok {
					fmt.Fprintf(&b, "argument_%d.value = %v;\n", j, v)
				}
			}
			for _, a := range slices.Sorted(maps.Keys(l.Starts)) {
				fmt.Fprintf(&b, "native::now.starts[%q] = {%d, %d};\n", a, l.Starts[a][0], l.Starts[a][1])
			}
			fmt.Fprintf(&b, "native::now.held = %t;\n", l.Held)
			fmt.Fprintf(&b, "launch({%d, %d, %d}, {%d, %d, %d}, item);\n", l.Groups[0], l.Groups[1], l.Groups[2], c.Local[0], c.Local[1], c.Local[2])
			fmt.Fprintf(&b, "report(%d, %d);\n", i, s)
		}
		fmt.Fprintf(&b, "}\n}\n")
		for _, m := range macros(c.Text) {
			fmt.Fprintf(&b, "#undef %s\n", m)
		}
		fmt.Fprintf(&calls, "if (first <= %d) { std::printf(\"kernel %[1]d\\n\"); std::fflush(stdout); kernel_%[1]d::all(); }\n", i)
	}
	fmt.Fprintf(&b, "int main(int, char **argv) {\nint first = std::atoi(argv[1]);\n%sreturn 0;\n}\n", calls.String())
	return b.String(), nil
}

// instance is the name of a kernel in the program, whose types are those of the shim.
func instance(kernel string) string {
	name, args, ok := strings.Cut(kernel, "<")
	if !ok {
		return kernel
	}
	return name + "<" + rewrite(args, false)
}

// parameter is one of a kernel.
type parameter struct {
	name  string
	local bool // it points to memory of a work-group
}

// parameters reads those of a kernel from its text.
func parameters(source, kernel string) (out []parameter, err error) {
	name, _, _ := strings.Cut(kernel, "<")
	list := tokens(source)
	for i, t := range list {
		if t.text != name || i+1 >= len(list) || list[i+1].text != "(" || i == 0 || list[i-1].text != "void" && list[i-1].text != ")" {
			continue
		}
		for _, p := range cut(list[i+2:closing(list, i+1)], ",") {
			one := parameter{}
			for j, t := range p {
				if localWords[t.text] && j+1 < len(p) {
					one.local = true
				}
				if t.kind == word && (j+1 == len(p) || p[j+1].text == "[") {
					one.name = t.text
				}
			}
			if one.name != "" && one.name != "void" {
				out = append(out, one)
			}
		}
		return out, nil
	}
	return nil, fmt.Errorf("there is no kernel %s in the text", kernel)
}

// macros are the names that a text defines.
func macros(source string) (out []string) {
	for _, t := range tokens(source) {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(strings.TrimPrefix(t.text, "#"), " \t"), "define"); ok && t.kind == directive {
			rest = strings.TrimLeft(rest, " \t")
			out = append(out, rest[:run(rest, func(c byte) bool { return isLetter(c) || isDigit(c) })])
		}
	}
	return out
}
