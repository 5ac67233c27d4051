package roundtrip_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"slices"
	"testing"

	"gpuperf/internal/ctest/roundtrip"
	"gpuperf/internal/parallel"
	"gpuperf/kernel/emit"
)

// full asks for all kernels instead of a sample, symbolic for the values of symbolic counts instead of counts at sizes.
var full, symbolic = os.Getenv("LONG") != "", os.Getenv("LONG") == "symbolic"

// amount is how many kernels of a kind are read back.
func amount(sample, all int) int {
	if full {
		return all
	}
	return sample
}

// sampled is each n-th of a sequence.
func sampled(all iter.Seq[subject], n int) iter.Seq[subject] {
	return func(yield func(subject) bool) {
		i := 0
		for s := range all {
			if i++; (i-1)%n == 0 && !yield(s) {
				return
			}
		}
	}
}

// TestRoundTrip: kernels that are written as OpenCL C and as CUDA C and read back have the counts that they had: those of the examples' scripts and loop nests,
// of all generators, and derived variants of functional programs.
func TestRoundTrip(t *testing.T) {
	for _, kind := range []struct {
		name     string
		subjects iter.Seq[subject]
	}{
		{"scripts", sampled(scripts(t), amount(31, 1))},
		{"nests", sampled(nests(t), amount(13, 1))},
		{"measurements", sampled(measurements(t, amount(1, 1<<20)), amount(9, 1))},
		{"lift", sampled(variants(t, amount(1, 60), 3), amount(3, 1))},
	} {
		for language, name := range map[emit.Language]string{emit.OpenCLC: "opencl", emit.CUDAC: "cuda"} {
			t.Run(kind.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				all := slices.Collect(kind.subjects)
				ends := make([]error, len(all))
				parallel.For(len(all), func(i int) {
					ends[i] = roundtrip.Check(context.Background(), all[i].kernel, language, symbolic, sizesOf(t, all[i], 3))
				})
				n := map[string]int{}
				for i, err := range ends {
					n[became(err)]++
					if err != nil && !errors.Is(err, roundtrip.ErrNotCounted) {
						t.Errorf("%s: %v", all[i].name, err)
					}
				}
				t.Logf("kernels by what became of them: %v", n)
			})
		}
	}
}

// became says what became of a kernel in a word.
func became(err error) string {
	switch {
	case err == nil:
		return "equal"
	case errors.Is(err, roundtrip.ErrNotWritten):
		return "not written"
	case errors.Is(err, roundtrip.ErrNotRead):
		return "not read"
	case errors.Is(err, roundtrip.ErrNotCounted):
		return "not counted"
	}
	return "different"
}
