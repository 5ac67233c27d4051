package cuda

import (
	"os"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/device/runner"
)

const ptx = `.version 8.0
.global .align 4 .b8 _ZN2ns5tableE[64];
.const .align 4 .f32 offset;
.visible .entry _ZN2ns8instanceIfLi3EEEvPT_i(
	.param .u64 p
)
{
	ld.global.f32 %f1, [x];
}
.entry _Z5scalePfi() {}
.entry _Z5scalePdi() {}
.entry plain() {}
`

// TestSymbols: kernels and variables are found by what they are called in CUDA C.
func TestSymbols(t *testing.T) {
	for name, want := range map[string]string{
		"plain": "plain", "offset": "offset", "ns::table": "_ZN2ns5tableE", "ns::instance<float,3>": "_ZN2ns8instanceIfLi3EEEvPT_i",
		"_Z5scalePfi": "_Z5scalePfi", "scale(float *, int)": "_Z5scalePfi",
		"scale": "scale", // there are two
		"none":  "none",
	} {
		if got := symbol([]byte(ptx), name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if got, want := readable([]byte(ptx)), "ns::instance<float, 3>, ns::table, offset, plain, scale"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestInstancesOfNames(t *testing.T) {
	const want = "\nstatic const void *const perf_instance_1 __attribute__((used)) = (const void *) (k<float, 3>);"
	if got := instances([]string{"plain", "k<float, 3>", "&variable"}); got != want {
		t.Error(got)
	}
}

// TestSymbolsOfMachineCode: a cubin that nvcc made has the same names.
func TestSymbolsOfMachineCode(t *testing.T) {
	cubin, err := os.ReadFile("../../launchfile/testdata/cuda/instances.cubin")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"ns::instance<float, 3>": "_ZN2ns8instanceIfLi3EEEvPT_i", "ns::offset": "_ZN2ns6offsetE", "instance_ref": "_Z12instance_refPfi", "none": "none",
	} {
		if got := symbol(cubin, name); got != want {
			t.Errorf("%s is %s, want %s, of %s", name, got, want, readable(cubin))
		}
	}
}

// TestNoCompiler: where nvcc is missing the error says what to do.
func TestNoCompiler(t *testing.T) {
	t.Setenv("PATH", "")
	t.Setenv("CUDA_HOME", "/none")
	_, _, _, err := (&driver{}).compile(runner.Source{Compiler: device.NVCC})
	if err == nil || !strings.Contains(err.Error(), "there is no nvcc") || !strings.Contains(err.Error(), "name PTX or cubin") {
		t.Error(err)
	}
}
