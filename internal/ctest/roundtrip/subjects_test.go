package roundtrip_test

import (
	"context"
	"io/fs"
	"iter"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/internal/microbench"
	"gpuperf/kernel"
	"gpuperf/kernel/script"
	"gpuperf/lift"
	"gpuperf/lift/explore"
	"gpuperf/lift/lower"
	"gpuperf/models"
	"gpuperf/scop"

	"gpuperf/cfront"
)

const examples = "../../../examples"

// subject is a kernel of the project, at sizes of which some are given.
type subject struct {
	name   string
	kernel *kernel.Kernel
	sizes  map[string]int64
}

// files lists those of the examples with an ending.
func files(t testing.TB, ending string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(examples, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ending) {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// scripts are the kernels of the example scripts.
func scripts(t testing.TB) iter.Seq[subject] {
	return func(yield func(subject) bool) {
		for _, file := range files(t, ".star") {
			variants, err := script.Options{Memory: 8 << 30}.Load(context.Background(), file) // the process is what is measured, and kernels run beside
			if err != nil {
				if strings.Contains(err.Error(), "no kernel") {
					continue // a generator
				}
				t.Fatal(err)
			}
			for _, v := range variants {
				if !yield(subject{filepath.Base(file) + "#" + v.Name, v.Kernel, nil}) {
					return
				}
			}
		}
	}
}

// nests are the loop nests of the C files of the examples, which run in one work-item.
func nests(t testing.TB) iter.Seq[subject] {
	return func(yield func(subject) bool) {
		for _, file := range files(t, ".c") {
			list, err := scop.Load(context.Background(), file, cfront.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range list {
				k, err := n.Kernel()
				if err != nil {
					t.Fatal(err)
				}
				if !yield(subject{filepath.Base(file) + "#" + n.Name, k, nil}) {
					return
				}
			}
		}
	}
}

// measurements are the kernels of all generators: of each generator so many that differ, evenly spread over those that it makes.
func measurements(t testing.TB, each int) iter.Seq[subject] {
	return func(yield func(subject) bool) {
		all, err := microbench.Load()
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range all.Generators() {
			filter, err := microbench.ParseFilter([]string{g.Name}, models.Superset)
			if err != nil {
				t.Fatal(err)
			}
			variants, err := all.Select(filter)
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			variants = slices.DeleteFunc(variants, func(v microbench.Variant) bool {
				id := v.KernelID()
				again := seen[id]
				seen[id] = true
				return again
			})
			step := max(1, (len(variants)+each-1)/each)
			for i := 0; i < len(variants); i += step {
				k, err := variants[i].Kernel()
				if err != nil {
					t.Fatal(err)
				}
				if !yield(subject{variants[i].KernelID(), k, variants[i].Sizes}) {
					return
				}
			}
		}
	}
}

// sizes at which the programs of examples/lift are lowered.
var liftSizes = map[string]map[string]int64{
	"scal": {"n": 4096}, "asum": {"n": 4096}, "dot": {"n": 4096}, "gemv": {"n": 128, "m": 64}, "matmul": {"m": 64, "k": 32, "n": 64},
	"blackscholes": {"n": 1024}, "md": {"n": 128, "k": 8}, "stencil2d": {"h": 64, "w": 64}, "jacobi2d_5pt": {"h": 66, "w": 66},
	"jacobi2d_9pt": {"h": 66, "w": 66}, "gaussian": {"h": 68, "w": 68}, "gradient": {"h": 66, "w": 66}, "hotspot2d": {"h": 64, "w": 64},
	"srad1": {"h": 64, "w": 64}, "srad2": {"h": 64, "w": 64}, "heat3d": {"d": 18, "h": 18, "w": 18}, "hotspot3d": {"d": 8, "h": 32, "w": 16},
	"peak": {"n": 4096}, "prefix": {"n": 4096}, "argmax": {"n": 4096}, "normalize": {"n": 4096}, "moments": {"n": 4096}, "transpose": {"h": 64, "w": 64},
	"filter": {"n": 1024}, "segments": {"n": 512, "m": 32}, "spmv": {"n": 512, "m": 32, "k": 64}, "diffuse": {"h": 32, "w": 32},
}

// variants are the kernels of so many derived variants of each functional program, with an ND-range each.
func variants(t testing.TB, each int, seed int64) iter.Seq[subject] {
	return func(yield func(subject) bool) {
		for _, file := range files(t, ".lift") {
			name := strings.TrimSuffix(filepath.Base(file), ".lift")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p, err := lift.Parse(string(text))
			if err != nil {
				t.Fatal(err)
			}
			space, err := explore.NewSpace(p, file, liftSizes[name], explore.Options{Variants: each, Ranges: 1, Seed: seed})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, x := range space.Points {
				low, err := lower.Lower(x.Variant.Program, lower.Options{Sizes: liftSizes[name], Local: x.Local, Global: x.Global})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				for _, k := range low.Kernels {
					if !yield(subject{name + " " + x.Variant.Recipe + " " + x.Variant.ID + " " + k.Name, k, nil}) {
						return
					}
				}
			}
		}
	}
}

// sizesOf draws sizes that the kernel's assumptions allow, some of them multiples of the extents of work-groups.
func sizesOf(t testing.TB, s subject, n int) []map[string]int64 {
	t.Helper()
	k := s.kernel
	params := k.Params()
	if len(params) == 0 {
		return []map[string]int64{{}}
	}
	r := rand.New(rand.NewSource(int64(len(s.name)) + 7))
	var out []map[string]int64
	for try := 0; len(out) < n && try < 4000; try++ {
		unit := []int64{1, 1, 16, 48, 64, 224, 256, 1024, 4096, 12288, 65536}[r.Intn(11)]
		at := map[string]int64{}
		for _, p := range params {
			at[p] = unit * (1 + r.Int63n(40))
			if try%3 == 2 { // sizes need not have a unit in common
				at[p] = []int64{1, 3, 16, 64, 256, 1024}[r.Intn(6)] * (1 + r.Int63n(9))
			}
		}
		if k.Assumptions != nil {
			if in, err := k.Assumptions.Contains(at); err != nil || !in {
				continue
			}
		}
		out = append(out, at)
	}
	if len(out) == 0 && s.sizes != nil {
		out = append(out, s.sizes)
	}
	if len(out) == 0 {
		t.Errorf("%s: no sizes satisfy %s", s.name, k.Assumptions)
	}
	return out
}
