// Package host is C text that programs need which launch generated kernels: helpers that find a device, make buffers, launch and wait, and the kernels
// as a string.
package host

import (
	_ "embed"
	"fmt"
	"strings"

	"gpuperf/kernel/emit"
)

//go:embed runtime/opencl.c
var openCL string

//go:embed runtime/cuda.cu
var cuda string

// Helpers are static functions for a language of kernels. All their names begin with that of the command which writes the program, as do
// messages and variables of the environment; in the files that name is scop.
func Helpers(language emit.Language, command string) string {
	text := map[emit.Language]string{emit.OpenCLC: openCL, emit.CUDAC: cuda}[language]
	return strings.NewReplacer("scop_", command+"_", "SCOP_", strings.ToUpper(command)+"_", "perf scop", "perf "+command).Replace(text)
}

// Source declares a string NAME_source of C with kernels in OpenCL C, for the helpers of a command.
func Source(kernels, command string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "static const char %s_source[] =\n", command)
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	for line := range strings.Lines("#ifdef " + strings.ToUpper(command) + "_NO_FMA\n#pragma OPENCL FP_CONTRACT OFF\n#endif\n" + kernels) {
		fmt.Fprintf(&b, "    \"%s\\n\"\n", escape.Replace(strings.TrimSuffix(line, "\n")))
	}
	return strings.TrimSuffix(b.String(), "\n") + ";\n\n"
}
