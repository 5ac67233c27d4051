package compile

import (
	_ "embed"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/kernel/emit"
	"gpuperf/kernel/emit/host"
	"gpuperf/kernel/expr"
)

//go:embed runtime/checks.h
var checks string

// dialect is how a host function is written for a device interface.
type dialect struct {
	emitted emit.Language
	helpers string
	// build makes a program of the files %s.
	build string
	// apart: kernels and host functions are a file of their own.
	apart bool
	// names are the types of elements on the device.
	names map[expr.DType]string
	// write writes a unit's kernels.
	write func(kernels string) string
	// setup begins a host function, after the checks of sizes.
	setup func(p *part, line func(string, ...any))
	// buffer declares the buffer %[1]s of elements of type %[2]s: name %[3]s, elements %[4]s, data %[5]s. back copies it to %[5]s.
	buffer, back, release string
	// loop and loopEnd stand around a loop of launches that is in no other; "" for nothing. %s is the region.
	loop, loopEnd string
	// launch writes a launch of a kernel of the part.
	launch func(p *part, kernel int, line func(string, ...any))
}

var dialects = map[string]*dialect{
	"opencl": {
		emitted: emit.OpenCLC, helpers: host.Helpers(emit.OpenCLC, "scop"), build: "cc %s ... -lOpenCL -lm",
		names: map[expr.DType]string{
			expr.Bool: "cl_uchar", expr.Int8: "cl_char", expr.Int16: "cl_short", expr.Int32: "cl_int", expr.Int64: "cl_long",
			expr.Uint8: "cl_uchar", expr.Uint16: "cl_ushort", expr.Uint32: "cl_uint", expr.Uint64: "cl_ulong",
			expr.Float16: "cl_half", expr.Float32: "cl_float", expr.Float64: "cl_double",
		},
		write: func(kernels string) string { return host.Source(kernels, "scop") },
		setup: openCLSetup, launch: openCLLaunch,
		buffer:  "cl_mem %[1]s = scop_buffer(\"%[3]s\", %[4]s, sizeof(%[2]s), %[5]s);",
		back:    "scop_back(\"%[3]s\", %[1]s, %[4]s, sizeof(%[2]s), %[5]s);",
		release: "clReleaseMemObject(%s);",
	},
	"cuda": {
		emitted: emit.CUDAC, helpers: host.Helpers(emit.CUDAC, "scop"), build: "nvcc %s ... -lm", apart: true,
		names: map[expr.DType]string{
			expr.Bool: "uchar", expr.Int8: "char", expr.Int16: "short", expr.Int32: "int", expr.Int64: "long",
			expr.Uint8: "uchar", expr.Uint16: "ushort", expr.Uint32: "uint", expr.Uint64: "ulong",
			expr.Float16: "half", expr.BFloat16: "bfloat16", expr.Float32: "float", expr.Float64: "double",
		},
		write: func(kernels string) string { return "#undef NAN\n#undef INFINITY\n" + kernels + "\n" },
		setup: func(_ *part, line func(string, ...any)) { line("scop_open();") }, launch: cudaLaunch,
		buffer:  "%[2]s *%[1]s = (%[2]s *) scop_buffer(\"%[3]s\", %[4]s, sizeof(%[2]s), %[5]s);",
		back:    "scop_back(\"%[3]s\", %[1]s, %[4]s, sizeof(%[2]s), %[5]s);",
		release: "cudaFree(%s);",
		loop:    "scop_loop();", loopEnd: "scop_loop_end(\"%s\");",
	},
}

// openCLSetup gets the kernels when the function is called for the first time.
func openCLSetup(p *part, line func(string, ...any)) {
	names := lists.Map(p.sources, func(s *emit.Source) string { return s.Entry })
	line("static cl_kernel %s;", strings.Join(names, ", "))
	line("if (!%s) {", names[0])
	for i, s := range p.sources {
		line("    %s = scop_kernel(scop_source, \"%s\");", names[i], s.Entry)
	}
	line("}")
}

// openCLLaunch sets the arguments that loops of the host change, which are those that are not set before all launches.
func openCLLaunch(p *part, kernel int, line func(string, ...any)) {
	s := p.sources[kernel]
	for i, x := range s.Params {
		if p.changing[x.Name] {
			line("scop_arg(%s, %d, cl_int, %s);", s.Entry, i, x.Name)
		}
	}
	g, l := p.groups(kernel), p.linear[kernel].Local
	line("scop_launch(\"%[1]s\", %[1]s, %[2]s, %[3]s, %[4]s, %[5]d, %[6]d, %[7]d);", s.Entry, g[0], g[1], g[2], l[0], l[1], l[2])
}

func cudaLaunch(p *part, kernel int, line func(string, ...any)) {
	s := p.sources[kernel]
	var args []string
	for _, x := range s.Params {
		args = append(args, ", "+p.argument(x)) // none where a kernel stores to nothing that its caller sees
	}
	g, l := p.groups(kernel), p.linear[kernel].Local
	line("scop_launch(\"%[1]s\", %[1]s, %[2]s, %[3]s, %[4]s, dim3(%[5]d, %[6]d, %[7]d), %[8]d%[9]s);",
		s.Entry, g[0], g[1], g[2], l[0], l[1], l[2], s.Dynamic, strings.Join(args, ""))
}
