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

// NVRTC is told to keep nothing where it would.
func TestUncached(t *testing.T) {
	for _, c := range []struct {
		release [2]int32
		want    []string
	}{
		{[2]int32{0, 0}, nil}, {[2]int32{11, 8}, nil}, {[2]int32{12, 8}, nil}, {[2]int32{12, 9}, []string{"--no-cache"}}, {[2]int32{13, 0}, []string{"--no-cache"}},
	} {
		if got := (&compiler{release: c.release}).uncached(); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.release, got, c.want)
		}
	}
}
