package complete

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArgumentAt(t *testing.T) {
	for _, c := range []struct {
		use  string
		want [][]string // for argument 0, 1, 2
	}{
		{"show KERNEL.star [--as nest|ir|opencl]", [][]string{{"KERNEL.star"}, nil, nil}},
		{"feature KERNEL.star FEATURE... -p n=2048", [][]string{{"KERNEL.star"}, {"FEATURE"}, {"FEATURE"}}},
		{"measure KERNEL.star -p n=2048 | TAG...", [][]string{{"KERNEL.star", "TAG"}, {"TAG"}, {"TAG"}}},
		{"calibrate MODEL... | --for KERNEL.star -p n=4096", [][]string{{"MODEL"}, {"MODEL"}, {"MODEL"}}},
		{"help [COMMAND... | PAGE [ENTRY...]]", [][]string{{"COMMAND", "PAGE"}, {"COMMAND", "ENTRY"}, {"COMMAND", "ENTRY"}}},
		{"card SET|MAP", [][]string{nil, nil, nil}},
	} {
		for i, want := range c.want {
			if diff := cmp.Diff(want, argumentAt(c.use, i)); diff != "" {
				t.Errorf("%s, argument %d: %s", c.use, i, diff)
			}
		}
	}
}
