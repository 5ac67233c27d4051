package tune

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/emulate/launches"
	"gpuperf/internal/format"
	"gpuperf/samples"
	"gpuperf/scop"
	"gpuperf/scop/deps"
	"gpuperf/scop/offload"
	"gpuperf/scop/schedule"
)

// predicted is how long a program takes on a device, all launches one after the other, by emulation of what package compile makes of its kernels.
func predicted(t *testing.T, p *offload.Program, at map[string]int64, on *facts.Device) (sum float64, err error) {
	t.Helper()
	all, err := p.Launched(at, samples.CUDA)
	if err != nil {
		return 0, err
	}
	for _, l := range all {
		job, err := l.Job(device.Policy{})
		if err != nil {
			return 0, err
		}
		s := launches.OfSource(job, samples.CUDA, job.Entry)
		code, err := s.Compile(t.Context(), launches.UsualArch)
		if err != nil {
			return 0, err
		}
		r, err := s.Run(t.Context(), code, launches.Options{Device: on, Origin: launches.Source})
		if err != nil {
			return 0, err
		}
		sum += l.Times * r.Seconds()
	}
	return sum, nil
}

// straightforward maps the parallel loops of the text to work-items, one for each iteration, and nothing else.
func straightforward(n *scop.Nest, at map[string]int64) (p *offload.Program, parallel bool, err error) {
	a, err := deps.ByMemory(n)
	if err != nil {
		return nil, false, err
	}
	tree, err := schedule.InOrder(a)
	if err != nil {
		return nil, false, err
	}
	p, err = offload.Compile(n, tree, offload.Options{Sizes: at, Map: func(f offload.Form) offload.Mapping {
		parallel = parallel || f.Parallel > 0
		return offload.Mapping{Block: [][]int64{nil, {256}, {64, 4}, {64, 4, 1}}[f.Parallel], Share: 1}
	}})
	return p, parallel, err
}

// sizesOfNests are those of the recorded runs of the examples on an H200, by files.
func sizesOfNests(t *testing.T) map[string]map[string]int64 {
	t.Helper()
	entry := regexp.MustCompile(`(?m)^void (\w+)\(`)
	files := map[string]string{}
	for _, folder := range []string{"polybench", "nests"} {
		list, err := filepath.Glob("../../examples/" + folder + "/*.c")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range list {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			files[entry.FindStringSubmatch(string(text))[1]] = file
		}
	}
	out := map[string]map[string]int64{}
	for _, name := range []string{"scop_defaults", "scop_further"} {
		set, err := samples.Load("../../testdata/h200/" + name + ".jsonl.gz")
		if err != nil {
			t.Fatal(err)
		}
		defer set.Close()
		for r, err := range set.All() {
			if err != nil {
				t.Fatal(err)
			}
			if file := files[r.Kernel.Source]; file != "" && out[file] == nil {
				out[file] = r.Kernel.Sizes
			}
		}
	}
	return out
}

var number = regexp.MustCompile(`\b(\d+\.\d*)f?\b`)

// slowest is how many times as long as the straightforward mapping a default may be predicted to take: predictions of two mappings of a nest are off by as much.
const slowest = 1.2

// TestStraightforward: by predictions for an H200, no nest of the examples is much slower than with its parallel loops as they stand as work-items.
func TestStraightforward(t *testing.T) {
	if os.Getenv("LONG") == "" {
		t.Skip("it emulates all kernels of 45 nests; LONG=1 does")
	}
	on, _ := facts.Named(machine.Usual)
	all := sizesOfNests(t)
	if len(all) != 45 {
		t.Fatalf("%d nests have sizes", len(all))
	}
	for file, at := range all {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".c"), func(t *testing.T) {
			t.Parallel()
			n := inFloat(t, file)
			text, parallel, err := straightforward(n, at)
			if err != nil || !parallel {
				t.Skipf("nothing in its text is parallel, or %v", err)
			}
			p, err := offload.Find(t.Context(), n, offload.Options{Sizes: at})
			if err != nil {
				t.Fatal(err)
			}
			ours, err := predicted(t, p, at, on)
			if err != nil {
				t.Fatal(err)
			}
			plain, err := predicted(t, text, at, on)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s, straightforward %s: %.2f", format.Seconds(ours), format.Seconds(plain), plain/ours)
			if ours > slowest*plain {
				t.Errorf("%s takes %s, and %s as it stands", file, format.Seconds(ours), format.Seconds(plain))
			}
		})
	}
}

// inFloat is a nest with numbers in float.
func inFloat(t *testing.T, file string) *scop.Nest {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), filepath.Base(file))
	floats := strings.NewReplacer("double", "float", "sqrt(", "sqrtf(", "fmax(", "fmaxf(", "fmin(", "fminf(", "1e30", "1e30f").Replace(number.ReplaceAllString(string(text), "${1}f"))
	if err := os.WriteFile(path, []byte(floats), 0o644); err != nil {
		t.Fatal(err)
	}
	nests, err := scop.Load(t.Context(), path, cfront.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return nests[0]
}
