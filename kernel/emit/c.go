package emit

import (
	"strings"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// hostC is C11 with GCC's float16, where long has 64 bits. Functions of floats take the type of their operands by tgmath.h.
var hostC = dialect{
	title: "C",
	prelude: `#include <math.h>
#include <tgmath.h>
#undef I
#undef complex
#undef imaginary
typedef signed char schar;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
_Static_assert(sizeof(long) == 8, "long has 64 bits");
#define min(a, b) ((b) < (a) ? (b) : (a))
#define max(a, b) ((b) > (a) ? (b) : (a))
#define abs(a) ((a) < 0 ? -(a) : (a))
#define mad(a, b, c) fma(a, b, c)
#define rsqrt(a) (1 / sqrt(a))
#define exp10(a) pow(0 * (a) + 10, a)
`,
	axes:     "#define lid(N) ((%[1]s) 0)\n#define gid(N) ((%[1]s) 0)\n",
	kernel:   "static void ",
	alone:    true,
	restrict: "restrict ",
	align:    " __attribute__((aligned(%d)))",
	helper:   "static inline ",
	barriers: map[kernel.Space]string{kernel.Local: ";", kernel.Global: ";"},
	types: map[expr.DType]string{
		expr.Bool: "uchar", expr.Int8: "schar", expr.Int16: "short", expr.Int32: "int", expr.Int64: "long",
		expr.Uint8: "uchar", expr.Uint16: "ushort", expr.Uint32: "uint", expr.Uint64: "ulong",
		expr.Float16: "_Float16", expr.Float32: "float", expr.Float64: "double",
	},
	suffix:   map[expr.DType]string{expr.Float16: "f", expr.Float32: "f", expr.Float64: ""},
	explicit: map[expr.DType]string{expr.Float16: "(_Float16) %s"},
	funcs:    map[string]string{"abs": "fabs", "min": "fmin", "max": "fmax"},
	reserved: strings.Fields(`auto break case char const continue default do double else enum extern float for goto if inline int long register
		restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool _Complex _Imaginary _Float16
		asm main NULL NAN INFINITY HUGE_VAL lid gid uchar ushort uint ulong schar mad min max fma div abs labs exit free malloc calloc
		frexp ldexp ilogb scalbn logb modf nextafter nexttoward remainder remquo nearbyint lrint llrint lround llround nan signbit
		j0 j1 jn y0 y1 yn gamma drem significand carg cimag conj cproj creal I complex imaginary`),
}
