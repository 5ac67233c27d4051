package emit

import (
	_ "embed"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// hostPrelude has functions under the names that they have in OpenCL C.
//
//go:embed text/prelude.h
var hostPrelude string

// hostC is C11 with GCC's float16, where long has 64 bits. Functions of floats take the type of their operands by tgmath.h.
var hostC = dialect{
	title:    "C",
	prelude:  hostPrelude,
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
	reserved: reserved("c"),
}
