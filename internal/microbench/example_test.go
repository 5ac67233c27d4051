package microbench

import (
	"context"
	"strings"
	"testing"

	"gpuperf/features"
	"gpuperf/kernel"
	"gpuperf/kernel/emit"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/script"
)

// TestApplicationsAreTheExamples: the kernels that users find among the examples and those of the generators are the
// same, down to the tags of their accesses, so that what is calibrated with the one predicts the other.
func TestApplicationsAreTheExamples(t *testing.T) {
	c := load(t)
	for _, s := range []struct{ file, variant, filter string }{
		{"dg/dg.star", "dg_basic", "dg_diff variant:basic"},
		{"dg/dg.star", "dg_prefetch_u", "dg_diff variant:prefetch_u"},
		{"dg/dg.star", "dg_prefetch_diff_mat", "dg_diff variant:prefetch_diff_mat"},
		{"dg/dg.star", "dg_prefetch_diff_mat_transposed", "dg_diff variant:prefetch_diff_mat_T"},
		{"stencil/finite_diff.star", "finite_diff_16x16", "finite_diff lsize_0:16"},
		{"stencil/finite_diff.star", "finite_diff_18x18", "finite_diff lsize_0:18"},
		{"transpose/transpose.star", "transpose_naive", "transpose prefetch:False"},
		{"transpose/transpose.star", "transpose_tiled", "transpose prefetch:True"},
	} {
		variants, err := c.choose(s.filter+" dtype:float32", "")
		if err != nil {
			t.Fatal(err)
		}
		ours, err := variants[0].Kernel()
		if err != nil {
			t.Fatal(err)
		}
		examples, err := script.Options{}.Load(context.Background(), "../../examples/"+s.file)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, e := range examples {
			if e.Name == s.variant {
				found = true
				source, counts := rendered(t, e.Kernel)
				wantSource, wantCounts := rendered(t, ours)
				if source != wantSource || counts != wantCounts {
					t.Errorf("%s:\n%s%s\n%s:\n%s%s", s.variant, source, counts, s.filter, wantSource, wantCounts)
				}
			}
		}
		if !found {
			t.Errorf("%s has no variant %s", s.file, s.variant)
		}
	}
}

// rendered is the kernel's source without its name, and its accesses with their tags.
func rendered(t *testing.T, k *kernel.Kernel) (source, counts string) {
	t.Helper()
	nest, err := linear.New(k)
	if err != nil {
		t.Fatal(err)
	}
	text, err := emit.Write(nest, emit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	stats, err := features.Count(k, features.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range stats.Records {
		counts += r.Key.String() + ": " + r.Count.String() + "\n"
	}
	return strings.Replace(text.Text, text.Entry+"(", "(", 1), counts
}
