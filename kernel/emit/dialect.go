package emit

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gpuperf/internal/rows"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// dialect is what differs between the C-like languages that kernels are written in.
type dialect struct {
	title string
	// prelude begins every source.
	prelude string
	// axes define lid(N) and gid(N), %s is the index type.
	axes string
	// kernel begins the function: %[1]d to %[3]d are the work-group's extents, unless a kernel is alone: of one work-item.
	kernel string
	alone  bool
	// resident begins one of which a multiprocessor is to have %[4]d work-groups at once; "" where a language cannot say so.
	resident string
	// Qualifiers of memory and pointers.
	global, constant, local, restrict string
	// pointsLocal qualifies what a pointer to local memory points to.
	pointsLocal string
	// align puts a variable at a multiple of %d bytes.
	align string
	// helper begins the definition of an auxiliary function.
	helper string
	// barriers are the statements by address space. The global one orders local memory too.
	barriers map[kernel.Space]string
	types    map[expr.DType]string
	vectors  vectors
	// matrices begins a source that has matrix instructions, "" where the language has none.
	matrices string
	// ahead begins a source that has copies to local memory that work-items do not wait for, "" where the language has none.
	ahead string
	// enable holds what the source must begin with to use a type.
	enable map[expr.DType]string
	// wrappers follow enable: functions of one and of two operands of the type, by the name %[1]s of that for others.
	wrappers map[expr.DType][2]string
	// suffix of float literals.
	suffix map[expr.DType]string
	// explicit types are no types of the language: values are converted to them as the format says, and literals too.
	explicit map[expr.DType]string
	// static is the most local memory that a kernel may declare, 0 for all that the device has. More is added to the launch.
	static int64
	// atomics are the statements of atomic updates by type and operation: %[1]s is the element, %[2]s the operand.
	atomics map[expr.DType]map[expr.OpKind]string
	// funcs renames functions of integers and floats for arguments of float type.
	funcs map[string]string
	// accuracy has options of the compiler.
	accuracy map[Accuracy]string
	// reserved names cannot be used for variables.
	reserved []string
}

var openCL = dialect{
	title: "OpenCL C 1.2",
	axes: "#define lid(N) ((%[1]s) get_local_id(N))\n" +
		"#define gid(N) ((%[1]s) get_group_id(N))\n",
	kernel:   "__kernel void __attribute__((reqd_work_group_size(%d, %d, %d)))\n",
	global:   "__global ",
	constant: "__constant ",
	local:    "__local ", pointsLocal: "__local ",
	restrict: "restrict ",
	align:    " __attribute__((aligned(%d)))",
	helper:   "static inline ",
	barriers: map[kernel.Space]string{
		kernel.Local:  "barrier(CLK_LOCAL_MEM_FENCE);",
		kernel.Global: "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
	},
	types: withVectors(map[expr.DType]string{
		expr.Bool: "uchar", // bool has no size that host and device agree on
		expr.Int8: "char", expr.Int16: "short", expr.Int32: "int", expr.Int64: "long",
		expr.Uint8: "uchar", expr.Uint16: "ushort", expr.Uint32: "uint", expr.Uint64: "ulong",
		expr.Float16: "half", expr.Float32: "float", expr.Float64: "double",
	}, ""),
	vectors: vectors{
		cast: "((%[1]s) (%[2]s))", convert: "convert_%[1]s(%[2]s)",
		load: "vload%[1]d(0, %[2]s)", store: "vstore%[1]d(%[3]s, 0, %[2]s)", wide: "*(%[1]s)",
	},
	enable: map[expr.DType]string{
		expr.Float16: "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n",
		expr.Float64: "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
	},
	suffix: map[expr.DType]string{expr.Float16: "h", expr.Float32: "f", expr.Float64: ""},
	atomics: map[expr.DType]map[expr.OpKind]string{
		expr.Int32:  atomics("atomic_", "(&%[1]s, %[2]s)"),
		expr.Uint32: atomics("atomic_", "(&%[1]s, %[2]s)"),
	},
	funcs:    map[string]string{"abs": "fabs", "min": "fmin", "max": "fmax"},
	accuracy: map[Accuracy]string{Exact: "-cl-fp32-correctly-rounded-divide-sqrt"},
	reserved: reserved("opencl"),
}

//go:embed text/reserved.txt
var reservedText string

// reserved are the words that a dialect has for itself.
func reserved(dialect string) (words []string) {
	for r := range rows.Of(reservedText) {
		if r[0] == dialect {
			words = append(words, strings.Fields(r[1])...)
		}
	}
	return words
}

// vectors say how a language writes operations on vectors.
type vectors struct {
	// cast takes a scalar for all lanes, convert converts lane by lane: %[1]s is the type, %[2]s the value.
	cast, convert string
	// load and store take %[1]d elements from the pointer %[2]s on; store has %[3]s for the value. wide loads from an aligned pointer %[1]s to a vector.
	load, store, wide string
	// define begins a source that uses vectors, and each type is defined by a line of type: %[1]s is its name, %[2]s that of its lanes, %[3]d
	// their number. "" where the language has vectors.
	define, typeOf string
}

// withVectors adds the names of vector types: "float4", or with a text between.
func withVectors(types map[expr.DType]string, between string) map[expr.DType]string {
	for t, name := range maps.Clone(types) {
		for _, n := range expr.Lanes {
			if v := t.Vector(n); v.Known() {
				types[v] = name + between + strconv.FormatInt(n, 10)
			}
		}
	}
	return types
}

// literal writes a float literal of the type.
func (d *dialect) literal(v float64, t expr.DType) string {
	bits := 64
	if t != expr.Float64 {
		bits = 32
	}
	s := strconv.FormatFloat(v, 'g', -1, bits)
	if name, ok := notNumbers[s]; ok {
		s = name
	} else {
		if !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
		s += d.suffix[t]
	}
	if format := d.explicit[t]; format != "" {
		return fmt.Sprintf(format, s)
	}
	return s
}

// notNumbers are the names of what has no digits.
var notNumbers = map[string]string{"NaN": "NAN", "+Inf": "INFINITY", "-Inf": "-INFINITY"}

// helper functions, by name; T is replaced by the type, which also ends the name: floor_div_int. Signed integers only,
// but for power.
var helpers = []struct{ name, text string }{
	{"floor_div", `T floor_div_T(T a, T b)
{
    T q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}
`},
	{"floor_mod", `T floor_mod_T(T a, T b)
{
    T r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
`},
	{"power", `T power_T(T a, T b)
{
    T r = 1;
    for (; b > 0; b >>= 1, a *= a)
        if (b & 1) r *= a;
    return r;
}
`},
	{"mod", `T mod_T(T a, T b)
{
    return a - b * floor(a / b);
}
`},
}

// claimed are the names of each dialect that no variable can have, whatever the kernel is; they are collected when they are first asked for.
var claimed = func() map[*dialect]func() map[string]bool {
	all := map[*dialect]func() map[string]bool{}
	for _, d := range dialects {
		all[d] = sync.OnceValue(d.claims)
	}
	return all
}()

// claims are the words that the language reserves, functions that every source may call, and the helpers.
func (d *dialect) claims() map[string]bool {
	names := map[string]bool{}
	for _, name := range slices.Concat(d.reserved, expr.Functions()) {
		names[name] = true
	}
	for _, h := range helpers {
		for _, t := range d.types {
			names[h.name+"_"+t] = true
		}
	}
	return names
}
