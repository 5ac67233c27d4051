package cfront

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gpuperf/cfront/strung"

	"gpuperf/kernel/expr"
)

// dialect is what differs between the languages.
type dialect struct {
	predefined string
	types      map[string]*ctype
	variables  map[string]*ctype // built in
	// hosted: programs are read, not kernels: all their functions, each in its place, with the headers of C.
	hosted bool
	// kernels are the words that declare a kernel.
	kernels []string
	// plusPlus: the language has templates, references and what else C++ has.
	plusPlus bool
	// spaces are the qualifiers of address spaces.
	spaces map[string]Space
	// ignored are words of declarations that do not matter here.
	ignored []string
	// library is the folder of the package's own headers, for libraries of kernels.
	library string
	// known are the beginnings of the names of headers that are read as empty, as what they declare is known; others are those of further headers of
	// the toolkit.
	known, others []string
}

var dialects = map[Language]*dialect{C: hostC(), OpenCL: openCL(), CUDA: cuda()}

// Headers are the ends of the names of headers that may hold kernels. What they are written in shows in their text.
var Headers = []string{".cuh", ".h", ".hpp", ".hu", ".opencl"}

// languageOf is the language that the name of a file ends in; that of a header, a program, and kernels in strings shows in how these are declared.
func languageOf(path, text string, inStrings bool) Language {
	ext := filepath.Ext(path)
	has := func(word string) bool {
		return strings.Contains(text, word) && regexp.MustCompile(`\b`+word+`\b`).MatchString(strung.Uncommented(text))
	}
	switch {
	case ext == ".cl", ext == ".opencl":
		return OpenCL
	case ext == ".cu", ext == ".cuh", ext == ".hu":
		return CUDA
	case !slices.Contains(Headers, ext) && !slices.Contains(Programs, ext) && !inStrings:
	case has("__kernel"), inStrings && !has("__global__"):
		return OpenCL
	case has("__global__"), has("__device__"):
		return CUDA
	}
	return C
}

// constants are macros that both languages have, in their headers or built in.
const constants = `#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define M_E 2.7182818284590452354
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_PI_F 3.14159265358979323846f
#define M_PI_2_F 1.57079632679489661923f
#define M_E_F 2.7182818284590452354f
#define M_LOG2E_F 1.4426950408889634074f
#define M_SQRT2_F 1.41421356237309504880f
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.1920928955e-7f
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define HALF_MAX 65504.0f
#define CHAR_BIT 8
#define CHAR_MAX 127
#define CHAR_MIN (-128)
#define SCHAR_MAX 127
#define SCHAR_MIN (-128)
#define UCHAR_MAX 255
#define SHRT_MAX 32767
#define SHRT_MIN (-32768)
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807L
#define LONG_MIN (-9223372036854775807L - 1)
#define ULONG_MAX 18446744073709551615UL
#define NULL ((void *) 0)
`

// channels are the orders and types of the channels of images (cl.h).
const channels = `#define CLK_R 0x10B0
#define CLK_A 0x10B1
#define CLK_RG 0x10B2
#define CLK_RA 0x10B3
#define CLK_RGB 0x10B4
#define CLK_RGBA 0x10B5
#define CLK_BGRA 0x10B6
#define CLK_ARGB 0x10B7
#define CLK_INTENSITY 0x10B8
#define CLK_LUMINANCE 0x10B9
#define CLK_SNORM_INT8 0x10D0
#define CLK_SNORM_INT16 0x10D1
#define CLK_UNORM_INT8 0x10D2
#define CLK_UNORM_INT16 0x10D3
#define CLK_UNORM_SHORT_565 0x10D4
#define CLK_UNORM_SHORT_555 0x10D5
#define CLK_UNORM_INT_101010 0x10D6
#define CLK_SIGNED_INT8 0x10D7
#define CLK_SIGNED_INT16 0x10D8
#define CLK_SIGNED_INT32 0x10D9
#define CLK_UNSIGNED_INT8 0x10DA
#define CLK_UNSIGNED_INT16 0x10DB
#define CLK_UNSIGNED_INT32 0x10DC
#define CLK_HALF_FLOAT 0x10DD
#define CLK_FLOAT 0x10DE
`

// openCLMacros are those of the language (OpenCL C 3.0).
const openCLMacros = `#define __OPENCL_VERSION__ 300
#define __OPENCL_C_VERSION__ 120
#define CL_VERSION_1_0 100
#define CL_VERSION_1_1 110
#define CL_VERSION_1_2 120
#define CL_VERSION_2_0 200
#define CL_VERSION_3_0 300
#define __ENDIAN_LITTLE__ 1
#define __STDC_VERSION__ 199901L
#define cl_khr_fp16 1
#define cl_khr_fp64 1
#define cl_khr_int64_base_atomics 1
#define cl_khr_subgroups 1
#define MAXFLOAT 3.402823466e+38f
#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
#define CLK_IMAGE_MEM_FENCE 4
#define CLK_NORMALIZED_COORDS_FALSE 0
#define CLK_NORMALIZED_COORDS_TRUE 1
#define CLK_ADDRESS_NONE 0
#define CLK_ADDRESS_CLAMP_TO_EDGE 2
#define CLK_ADDRESS_CLAMP 4
#define CLK_ADDRESS_REPEAT 6
#define CLK_ADDRESS_MIRRORED_REPEAT 8
#define CLK_FILTER_NEAREST 16
#define CLK_FILTER_LINEAR 32
#define memory_order_relaxed 0
#define memory_order_acquire 2
#define memory_order_release 3
#define memory_order_acq_rel 4
#define memory_order_seq_cst 5
#define memory_scope_work_item 0
#define memory_scope_work_group 1
#define memory_scope_device 2
#define memory_scope_all_svm_devices 3
#define memory_scope_sub_group 4
#define ATOMIC_VAR_INIT(x) (x)
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define FLT_RADIX 2
#define FLT_MAX_EXP 128
#define FLT_MIN_EXP (-125)
#define DBL_DIG 15
#define DBL_MANT_DIG 53
#define M_PI_4_F 0.78539816339744830962f
#define M_1_PI_F 0.31830988618379067154f
#define M_2_PI_F 0.63661977236758134308f
#define M_2_SQRTPI_F 1.12837916709551257390f
#define M_SQRT1_2_F 0.70710678118654752440f
#define M_LN2_F 0.69314718055994530942f
#define M_LN10_F 2.30258509299404568402f
#define M_LOG10E_F 0.43429448190325182765f
`

func openCL() *dialect {
	d := &dialect{
		predefined: constants + channels + openCLMacros,
		types: withVectors(map[string]expr.DType{
			"char": expr.Int8, "uchar": expr.Uint8, "short": expr.Int16, "ushort": expr.Uint16, "int": expr.Int32, "uint": expr.Uint32,
			"long": expr.Int64, "ulong": expr.Uint64, "half": expr.Float16, "float": expr.Float32, "double": expr.Float64,
		}, 2, 3, 4, 8, 16),
		spaces: map[string]Space{
			"global": GlobalSpace, "local": LocalSpace, "constant": ConstantSpace, "private": PrivateSpace, "generic": "",
		},
		kernels: []string{"__kernel", "kernel"},
		ignored: strings.Fields(`volatile register inline __inline __inline__ read_only write_only read_write __read_only __write_only
			__read_write`),
	}
	maps.Copy(d.spaces, map[string]Space{
		"__global": GlobalSpace, "__local": LocalSpace, "__constant": ConstantSpace, "__private": PrivateSpace, "__generic": "",
	})
	for _, name := range opaque {
		d.types[name] = &ctype{form: otherForm, name: name}
	}
	// Variables of C11 atomics hold the numbers.
	for name, t := range map[string]expr.DType{
		"atomic_int": expr.Int32, "atomic_uint": expr.Uint32, "atomic_long": expr.Int64, "atomic_ulong": expr.Uint64,
		"atomic_float": expr.Float32, "atomic_double": expr.Float64, "memory_order": expr.Int32, "memory_scope": expr.Int32,
		"atomic_flag": expr.Int32, "atomic_size_t": expr.Uint64, "cl_mem_fence_flags": expr.Uint32, "event_t": expr.Uint64,
	} {
		d.types[name] = number(t)
	}
	return d
}

// cudaMacros are what the compiler and the headers of CUDA 12 define, and the names that HIP has for where a work-item is.
const cudaMacros = `#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#define __CUDA_ARCH__ 800
#define CUDA_VERSION 12000
#define CUDART_VERSION 12000
#define THRUST_VERSION 200000
#define CUB_VERSION 200000
#define __cplusplus 201703L
#define __LP64__ 1
#define assert(condition) ((void) 0)
#define __assert_fail(...) ((void) 0)
#define cudaSuccess 0
#define cudaErrorInvalidValue 1
#define cudaErrorMemoryAllocation 2
#define cudaErrorInvalidConfiguration 9
#define cudaErrorInvalidDevice 101
#define cudaErrorNotReady 600
#define cudaErrorNotSupported 801
#define cudaErrorUnknown 999
#define cudaBoundaryModeZero 0
#define cudaBoundaryModeClamp 1
#define cudaBoundaryModeTrap 2
#define cudaReadModeElementType 0
#define cudaFilterModeLinear 1
#define CUDART_PI_F 3.141592654f
#define CUDART_PI 3.1415926535897931e+0
#define CUDART_SQRT_TWO_F 1.414213562f
#define CUDART_L2E_F 1.442695041f
#define CUDART_LN2_F 0.693147181f
#define CUDART_INF_F INFINITY
#define CUDART_NAN_F NAN
#define CUDART_MAX_NORMAL_F 3.402823466e+38f
#define C10_LAUNCH_BOUNDS_1(n) __launch_bounds__(n)
#define C10_LAUNCH_BOUNDS_2(n, m) __launch_bounds__(n, m)
#define CUDA_KERNEL_ASSERT(condition) ((void) 0)
#define __builtin_expect(x, often) (x)
#define __builtin_popcount __popc
#define __builtin_popcountll __popcll
#define __builtin_clz __clz
#define __builtin_clzll __clzll
#define __builtin_ffs __ffs
#define __builtin_assume_aligned(p, ...) (p)
#define __cvta_generic_to_shared(p) ((unsigned long)(p))
#define __cvta_generic_to_global(p) ((unsigned long)(p))
#define __cvta_shared_to_generic(p) ((void *)(p))
#define __cvta_global_to_generic(p) ((void *)(p))
#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
`

func cuda() *dialect {
	d := &dialect{
		predefined: constants + cudaMacros,
		types: withVectors(map[string]expr.DType{
			"char": expr.Int8, "uchar": expr.Uint8, "short": expr.Int16, "ushort": expr.Uint16, "int": expr.Int32, "uint": expr.Uint32,
			"long": expr.Int64, "ulong": expr.Uint64, "longlong": expr.Int64, "ulonglong": expr.Uint64, "float": expr.Float32,
			"double": expr.Float64,
		}, 1, 2, 3, 4),
		plusPlus: true,
		library:  "cuda",
		kernels:  []string{"__global__"},
		spaces: map[string]Space{
			"__shared__": LocalSpace, "__constant__": ConstantSpace, "__device__": GlobalSpace, "__managed__": GlobalSpace,
		},
		ignored: strings.Fields(`volatile register inline __inline __inline__ __forceinline__ __noinline__ __host__ explicit virtual mutable
			friend __grid_constant__ C10_HOST_DEVICE C10_DEVICE C10_HOST C10_ALWAYS_INLINE GPU_LAMBDA thread_local typename noexcept`),
		known:  strings.Fields(`cuda sm_ device_ vector_ math_ cooperative_groups crt/ builtin_types driver_ host_defines host_config texture_ surface_ channel_descriptor`),
		others: strings.Fields(`curand nv/ mma helper_`),
	}
	for name, t := range map[string]string{"__half": "half", "half2": "", "__half2": ""} {
		d.types[name] = number(expr.Float16)
		if t == "" {
			d.types[name] = number(expr.Float16.Vector(2))
		}
	}
	for _, name := range []string{"__nv_bfloat16", "nv_bfloat16"} {
		d.types[name], d.types[name+"2"] = number(expr.BFloat16), number(expr.BFloat16.Vector(2))
	}
	for _, name := range []string{"cudaTextureObject_t", "cudaSurfaceObject_t", "hipTextureObject_t", "hipSurfaceObject_t"} {
		d.types[name] = &ctype{form: otherForm, name: "texture"}
	}
	for _, name := range []string{"cudaGraphConditionalHandle", "cudaStream_t", "cudaEvent_t", "hipStream_t", "hipEvent_t"} {
		d.types[name] = number(expr.Uint64)
	}
	d.types["cudaError_t"], d.types["hipError_t"] = number(expr.Int32), number(expr.Int32)
	triple := &ctype{form: recordForm, name: "dim3", record: d.types["uint3"].record}
	d.types["dim3"] = triple
	d.variables = map[string]*ctype{
		"threadIdx": d.types["uint3"], "blockIdx": d.types["uint3"], "blockDim": triple, "gridDim": triple,
	}
	return d
}

// header tells what to do with a header that is not found: whether it is read as empty, and whether what it declares is known all the same.
func (d *dialect) header(name string) (empty, known bool) {
	return !d.hosted, slices.ContainsFunc(d.known, func(p string) bool { return strings.HasPrefix(name, p) })
}

// toolkitHeaders are names of headers of CUDA's toolkit among those that begin as they do.
var toolkitHeaders = regexp.MustCompile(`^(cuda(\.h|_(runtime|fp|bf16|device_runtime|gl_interop|vdpau|egl|texture_types|surface_types|occupancy|profiler|pipeline|awbarrier|stdint)|GL|VDPAU|EGL|Profiler|rt_|/)` +
	`|sm_\d\d_|device_(functions|launch_parameters|types|atomic_functions|double_functions)|vector_(types|functions)|math_(functions|constants)|driver_(types|functions)|` +
	`(texture|surface)_(types|fetch_functions|indirect_functions|functions)|cooperative_groups(\.h|/)|crt/|builtin_types|host_defines|host_config|channel_descriptor)`)

// resembles reports that a header has a name which begins as those of the toolkit do, and is none of them: one of the program.
func (d *dialect) resembles(name string) bool {
	return slices.ContainsFunc(d.known, func(p string) bool { return strings.HasPrefix(name, p) }) && !toolkitHeaders.MatchString(name)
}

// toolkit reports whether a header is one of the toolkit, whose functions are for the host or known.
func (d *dialect) toolkit(name string) bool {
	return slices.ContainsFunc(slices.Concat(d.known, d.others), func(p string) bool { return strings.HasPrefix(name, p) })
}
