package export

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/kernel/emit"
	"gpuperf/kernel/emit/host"
	"gpuperf/kernel/expr"
	"gpuperf/lift"
	"gpuperf/lift/derive"
	"gpuperf/samples"
)

// language is how the host function is written for a language of kernels.
type language struct {
	device samples.Interface // whose kernels it launches
	alone  bool              // kernels are functions of the host
	// host and kernels are the extensions of the file with the function and of that with the kernels; "" where the former has them.
	host, kernels string
	// build is a command that compiles the file with the function, by options of kernels.
	build func(options, file string) string
	// before is the text before the function: helpers and what has the kernels, whose file has a name.
	before func(r *Result, file string) string
	// setup begins the function; buffer makes the memory b_NAME of an array, back copies it to the argument, release frees it.
	setup                 func(r *Result, line printer)
	buffer, back, release func(a Array, line printer)
	launch                func(r *Result, l Launch, line printer)
	end                   string // the last statement, before memory is freed
}

type printer func(format string, args ...any)

// Languages are the names of the languages that variants are exported to.
func Languages() []string { return slices.Sorted(maps.Keys(languages)) }

// Accepts reports whether a variant can be exported to a language: C has no vectors.
func Accepts(v *derive.Variant, as string) bool {
	l := languages[as]
	return l == nil || !l.alone || v.Program.Body.Ops()&lift.Set(lift.AsVector, lift.AsScalar, lift.MapVec) == 0
}

var languages = map[string]*language{
	"opencl": {
		device: samples.OpenCL, host: ".c", kernels: ".cl", build: func(_, file string) string { return "cc -c " + file + " # link with -lOpenCL" },
		before: func(r *Result, _ string) string {
			options := ""
			if r.Options != "" {
				options = fmt.Sprintf("#define LIFT_OPTIONS %q\n", r.Options)
			}
			return options + host.Helpers(emit.OpenCLC, "lift") + "\n" + host.Source(r.Kernels, "lift")
		},
		setup: openCLSetup, launch: openCLLaunch,
		buffer: func(a Array, line printer) {
			line("cl_mem b_%s = lift_buffer(\"%s\", %d, sizeof(%s), %s);", a.Name, a.Name, a.Elements, hostTypes[a.DType], a.source())
		},
		back:    back,
		release: func(a Array, line printer) { line("clReleaseMemObject(b_%s);", a.Name) },
		end:     "lift_wait(\"%s\");",
	},
	"cuda": {
		device: samples.CUDA, host: ".cu", kernels: "_kernels.cu", build: func(options, file string) string {
			return strings.Join(append([]string{"nvcc", "-c"}, append(strings.Fields(options), file)...), " ")
		},
		before: func(_ *Result, file string) string {
			return host.Helpers(emit.CUDAC, "lift") + "\n#undef NAN\n#undef INFINITY\n#include \"" + file + "\"\n\n"
		},
		setup: func(_ *Result, line printer) { line("lift_open();") },
		buffer: func(a Array, line printer) {
			t := hostTypes[a.DType]
			if a.DType == expr.Float16 {
				t = "half"
			}
			line("%[1]s *b_%[2]s = (%[1]s *) lift_buffer(\"%[2]s\", %[3]d, sizeof(%[1]s), %[4]s);", t, a.Name, a.Elements, a.source())
		},
		back:    back,
		release: func(a Array, line printer) { line("cudaFree(b_%s);", a.Name) },
		launch: func(r *Result, l Launch, line printer) {
			g := l.groups()
			line("lift_launch(\"%[1]s\", %[1]s, %[2]d, %[3]d, %[4]d, dim3(%[5]d, %[6]d, %[7]d), %[8]d, %[9]s);",
				l.Kernel, g[0], g[1], g[2], l.Local[0], l.Local[1], l.Local[2], l.Dynamic, r.passed(l, "b_"))
		},
		end: "lift_wait(\"%s\");",
	},
	"c": {
		alone: true, host: ".c", build: func(_, file string) string { return "cc -O3 -march=native -c " + file + " # link with -lm" },
		before: func(r *Result, _ string) string {
			return "#include <stdio.h>\n#include <stdlib.h>\n" + r.Kernels + "\n"
		},
		buffer: func(a Array, line printer) {
			if a.Kind != Temporary {
				return
			}
			line("%[1]s *%[2]s = malloc(%[3]d * sizeof(%[1]s));", hostTypes[a.DType], cName(a.Name), a.Elements)
			line("if (!%s) {", cName(a.Name))
			line("    fprintf(stderr, \"perf lift: no memory for %d numbers\\n\");", a.Elements)
			line("    exit(EXIT_FAILURE);")
			line("}")
		},
		launch: func(r *Result, l Launch, line printer) { line("%s(%s);", l.Kernel, r.passed(l, "")) },
		release: func(a Array, line printer) {
			if a.Kind == Temporary {
				line("free(%s);", cName(a.Name))
			}
		},
	},
}

// source is what the memory of an array begins with.
func (a Array) source() string {
	if a.Kind == In || a.Kind == Updated {
		return cName(a.Name)
	}
	return "NULL"
}

func back(a Array, line printer) {
	line("lift_back(\"%s\", b_%s, %d, sizeof(%s), %s);", a.Name, a.Name, a.Elements, hostTypes[a.DType], cName(a.Name))
}

// groups are the numbers of work-groups.
func (l Launch) groups() (out [3]int64) {
	for d := range out {
		out[d] = l.Global[d] / l.Local[d]
	}
	return out
}

// passed are the arguments of a launch; memory has a prefix.
func (r *Result) passed(l Launch, prefix string) string {
	var list []string
	for _, name := range l.Arguments {
		switch a := r.array(name); {
		case a.Kind == ByValue:
			list = append(list, cName(name))
		case prefix != "":
			list = append(list, prefix+name)
		case a.DType == expr.Float16:
			list = append(list, "(void *) "+cName(name))
		default:
			list = append(list, cName(name))
		}
	}
	return strings.Join(list, ", ")
}

// openCLSetup gets the kernels when the function is called for the first time.
func openCLSetup(r *Result, line printer) {
	names := lists.Map(r.Launches, func(l Launch) string { return "k_" + l.Kernel })
	line("static cl_kernel %s;", strings.Join(names, ", "))
	line("if (!%s) {", names[0])
	for _, l := range r.Launches {
		line("    k_%[1]s = lift_kernel(lift_source, \"%[1]s\");", l.Kernel)
	}
	line("}")
}

func openCLLaunch(r *Result, l Launch, line printer) {
	for i, name := range l.Arguments {
		if a := r.array(name); a.Kind == ByValue {
			line("lift_arg(k_%s, %d, %s, %s);", l.Kernel, i, hostTypes[a.DType], cName(name))
		} else {
			line("lift_arg(k_%s, %d, cl_mem, b_%s);", l.Kernel, i, name)
		}
	}
	g := l.groups()
	line("lift_launch(\"%[1]s\", k_%[1]s, %[2]d, %[3]d, %[4]d, %[5]d, %[6]d, %[7]d);", l.Kernel, g[0], g[1], g[2], l.Local[0], l.Local[1], l.Local[2])
}

// hostTypes are the types of numbers in the function's arguments: half precision by its bits, truth values as bytes.
var hostTypes = map[expr.DType]string{
	expr.Bool: "uint8_t", expr.Int8: "int8_t", expr.Int16: "int16_t", expr.Int32: "int32_t", expr.Int64: "int64_t",
	expr.Uint8: "uint8_t", expr.Uint16: "uint16_t", expr.Uint32: "uint32_t", expr.Uint64: "uint64_t",
	expr.Float16: "uint16_t", expr.Float32: "float", expr.Float64: "double",
}

// keywords cannot be names of arguments.
var keywords = strings.Fields(`auto break case char const continue default do double else enum extern float for goto if inline int long register
	restrict return short signed sizeof static struct switch typedef union unsigned void volatile while class new delete this template
	private public operator namespace using try throw catch bool true false and or not xor typename half NULL`)

// cName is a name of the program in C.
func cName(name string) string {
	if slices.Contains(keywords, name) {
		return name + "_"
	}
	return name
}

// comment writes lines of comment.
func comment(b *strings.Builder, lines ...string) {
	for _, l := range lines {
		fmt.Fprintf(b, "// %s\n", l)
	}
}
