package emit

import (
	_ "embed"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// cudaC is CUDA C++ as NVRTC and nvcc compile it. Types have the names that they have in OpenCL C, by the prelude, and vectors of
// any width have the operators that they have there.
var cudaC = dialect{
	title: "CUDA C",
	prelude: `typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#define NAN __int_as_float(0x7fffffff)
#define INFINITY __int_as_float(0x7f800000)
#define mad(a, b, c) fma(a, b, c)
`,
	axes: "#define lid(N) ((%[1]s) lid_##N)\n" +
		"#define gid(N) ((%[1]s) gid_##N)\n" +
		"#define lid_0 threadIdx.x\n#define lid_1 threadIdx.y\n#define lid_2 threadIdx.z\n" +
		"#define gid_0 blockIdx.x\n#define gid_1 blockIdx.y\n#define gid_2 blockIdx.z\n",
	kernel:   "extern \"C\" __global__ void __launch_bounds__(%d * %d * %d)\n",
	resident: "extern \"C\" __global__ void __launch_bounds__(%d * %d * %d, %d)\n",
	constant: "const ",
	local:    "__shared__ ",
	restrict: "__restrict__ ",
	align:    " __attribute__((aligned(%d)))",
	helper:   "static inline __device__ ",
	barriers: map[kernel.Space]string{kernel.Local: "__syncthreads();", kernel.Global: "__syncthreads();"},
	types: withVectors(map[expr.DType]string{
		expr.Bool: "uchar", expr.Int8: "char", expr.Int16: "short", expr.Int32: "int", expr.Int64: "long",
		expr.Uint8: "uchar", expr.Uint16: "ushort", expr.Uint32: "uint", expr.Uint64: "ulong",
		expr.Float16: "half", expr.BFloat16: "bfloat16", expr.Float32: "float", expr.Float64: "double",
	}, "_x"),
	vectors: vectors{
		cast: "%[1]s(%[2]s)", convert: "%[1]s(%[2]s)",
		load: "vload<%[1]d>(%[2]s)", store: "vstore<%[1]d>(%[3]s, %[2]s)", wide: "vwide(%[1]s)",
		define: cudaVectors, typeOf: "typedef vec<%[2]s, %[3]d> %[1]s;\n",
	},
	matrices: cudaMatrices,
	ahead:    cudaCopies,
	enable:   map[expr.DType]string{expr.Float16: cudaHalf, expr.BFloat16: cudaBFloat},
	wrappers: map[expr.DType][2]string{expr.Float16: {"HALF_FUNCTION1(%[1]s)\n", "HALF_FUNCTION2(%[1]s)\n"}},
	suffix:   map[expr.DType]string{expr.Float16: "f", expr.BFloat16: "f", expr.Float32: "f", expr.Float64: ""},
	explicit: map[expr.DType]string{expr.Float16: "half(%s)", expr.BFloat16: "bfloat16(%s)"},
	static:   48 << 10,
	atomics: map[expr.DType]map[expr.OpKind]string{
		expr.Int32: atomics("atomic", "(&%[1]s, %[2]s)"), expr.Uint32: atomics("atomic", "(&%[1]s, %[2]s)"),
		expr.Int64: cudaAtomics64("long long"), expr.Uint64: cudaAtomics64("unsigned long long"),
		expr.Float32: cudaSums, expr.Float64: cudaSums,
	},
	funcs:    map[string]string{"abs": "fabs", "min": "fmin", "max": "fmax"},
	accuracy: map[Accuracy]string{AsOpenCL: "-prec-div=false -prec-sqrt=false"},
	reserved: reserved("cuda"),
}

// cudaVectors are vectors with operators on their lanes. A scalar stands for a vector of it. An assignment would load the lanes one by one: vwide
// loads the widest words.
//
//go:embed text/vectors.cuh
var cudaVectors string

// cudaHalf is half precision as OpenCL C has it: each operation rounds. CUDA's own type is in a header, which NVRTC does not find by
// itself. Quotients and functions are computed in float, whose rounding does not change that of a quotient.
//
//go:embed text/half.cuh
var cudaHalf string

// cudaBFloat is bfloat16, which kernels load and store: they compute with floats.
//
//go:embed text/bfloat16.cuh
var cudaBFloat string
