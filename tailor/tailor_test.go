package tailor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/kernel"
	"gpuperf/kernel/script"
	"gpuperf/microbench"
	"gpuperf/models"
	"gpuperf/samples"
	"gpuperf/workload"
)

// h200 is what the driver and the data sheet say of the device that the examples are made for.
var h200 = Machine{
	Name: "NVIDIA H200", Units: 132, Cache: 62914560, Memory: 150109880320, Bandwidth: 4.8e12, Rate: 132 * 128 * 1.98e9, Lanes: 32,
}

// examples are the kernels whose model files stand in testdata.
var examples = []struct {
	name, script string
	kernels      []string // none: all
	sizes        []map[string]int64
	form         models.Form
}{
	{"matmul", "matmul/matmul.star", nil, sizesOf("n", 2048, 4096, 8192), models.LinearForm},
	{"matmul_prefetch", "matmul/matmul_prefetch.star", nil, sizesOf("n", 2048, 4096, 8192), models.OverlapForm},
	{"dg", "dg/dg.star", nil, sizesOf("nelements", 65536, 262144), models.LinearForm},
	{"finite_diff", "stencil/finite_diff.star", nil, sizesOf("n", 8064, 24192), models.PNormForm},
	{"seven_point", "stencil/seven_point.star", nil, sizesOf("n", 128, 256, 512), models.PNormForm},
	{"transpose", "transpose/transpose.star", nil, sizesOf("n", 2048, 4096, 8192, 16384), models.PNormForm},
	{"matvec", "matvec/matvec.star", nil, sizesOf("n", 4096, 8192, 16384, 32768), models.PNormForm},
	{"nbody", "nbody/nbody.star", nil, sizesOf("n", 16384, 32768, 65536, 131072), models.PNormForm},
	{"softmax", "softmax/softmax.star", nil, []map[string]int64{{"n": 16384, "m": 1024}, {"n": 65536, "m": 1024}, {"n": 16384, "m": 4096}}, models.PNormForm},
}

func sizesOf(name string, values ...int64) []map[string]int64 {
	var out []map[string]int64
	for _, v := range values {
		out = append(out, map[string]int64{name: v})
	}
	return out
}

// generators selects measurement kernels as the command does.
func generators(t testing.TB) func(models.Measurement) ([]*workload.Case, error) {
	t.Helper()
	collection, err := microbench.Load()
	if err != nil {
		t.Fatal(err)
	}
	return func(m models.Measurement) ([]*workload.Case, error) {
		match, err := microbench.ParseMatch(string(m.Match))
		if err != nil {
			return nil, err
		}
		filter, err := microbench.ParseFilter(m.Tags, match)
		if err != nil {
			return nil, err
		}
		variants, err := collection.Select(filter)
		if err != nil {
			return nil, err
		}
		var cases []*workload.Case
		shared := map[*kernel.Kernel]*workload.Kernel{}
		for _, v := range variants {
			ir, err := v.Kernel()
			if err != nil {
				return nil, err
			}
			if shared[ir] == nil {
				shared[ir] = workload.NewKernel(ir)
			}
			args := map[string]string{}
			for _, a := range v.Args {
				if _, size := v.Sizes[a.Name]; !size {
					args[a.Name] = a.Value.String()
				}
			}
			cases = append(cases, &workload.Case{
				Kernel: shared[ir], Name: v.Generator, Sizes: v.Sizes, Tags: v.Tags,
				Identity: samples.Identity{Source: v.Generator, Args: args, Sizes: v.Sizes},
			})
		}
		return cases, nil
	}
}

// targetsOf reads the kernels of an example.
func targetsOf(t testing.TB, path string, sizes []map[string]int64) []Target {
	t.Helper()
	variants, err := script.Load(filepath.Join("../examples", path))
	if err != nil {
		t.Fatal(err)
	}
	var out []Target
	for _, v := range variants {
		out = append(out, Target{Script: path, Variant: v, Sizes: sizes})
	}
	return out
}

func TestExamples(t *testing.T) {
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			set, err := Make(targetsOf(t, e.script, e.sizes), Options{Name: e.name, Form: e.form, Machine: h200}, generators(t))
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", e.name+".yaml")
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(golden, []byte(set.Text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), set.Text); d != "" {
				t.Errorf("%s (-want +got):\n%s", golden, d)
			}
		})
	}
}
