package cuda

import (
	"slices"
	"testing"
)

// Options that name an architecture have it instead of the device's.
func TestForArchitecture(t *testing.T) {
	for _, c := range []struct{ options, want []string }{
		{nil, []string{"--gpu-architecture=sm_90"}},
		{[]string{"-lineinfo"}, []string{"--gpu-architecture=sm_90", "-lineinfo"}},
		{[]string{"-arch=sm_90a"}, []string{"-arch=sm_90a"}},
		{[]string{"--gpu-architecture=sm_90a", "-O3"}, []string{"--gpu-architecture=sm_90a", "-O3"}},
	} {
		if got := forArchitecture("sm_90", c.options); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.options, got, c.want)
		}
	}
}
