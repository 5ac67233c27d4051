package params_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/search"
	"gpuperf/search/params"
)

func TestConditions(t *testing.T) {
	known := []string{"a", "b"}
	for _, c := range []struct {
		text  string
		at    map[string]int64
		holds bool
	}{
		{"a * b <= 12", map[string]int64{"a": 3, "b": 4}, true},
		{"a * b <= 12", map[string]int64{"a": 3, "b": 5}, false},
		{"a * b <= 12", map[string]int64{"a": 99}, true}, // b is not known yet
		{"a % b == 0 or b == 1", map[string]int64{"a": 3, "b": 1}, true},
		{"not (a < b) and b != 2", map[string]int64{"a": 3, "b": 2}, false},
		{"a % b == 0", map[string]int64{"a": 3, "b": 0}, false}, // there is no value
		{"a * b <= (a > 2 ? 12 : 6)", map[string]int64{"a": 2, "b": 4}, false},
		{"a * b <= (a > 2 ? 12 : 6) && !(a == b)", map[string]int64{"a": 3, "b": 4}, true},
		{"not a == b", map[string]int64{"a": 3, "b": 3}, false},
		{"1 < a <= b == 4", map[string]int64{"a": 3, "b": 4}, true},
		{"a // b == 1", map[string]int64{"a": 3, "b": 2}, true}, // no comment begins there
	} {
		condition, err := params.ParseCondition(c.text, known)
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		if got := (params.List{condition}).Hold(c.at); got != c.holds {
			t.Errorf("%s at %v: %v, want %v", c.text, c.at, got, c.holds)
		}
	}
	for text, want := range map[string]string{"a + b": "a condition is needed here", "a < c": "there is no parameter c", "a <": "", "a < b + (a < b)": ""} {
		if _, err := params.ParseCondition(text, known); want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

const launch = `version: 1
source: k.cl
kernel: k
sizes: {n: 1024, local: 64}
define: {TILE: 8}
grid: [n / local]
block: [local]
args: [{buffer: y, dtype: float32, size: n}]
tune:
  parameters:
    - {name: local, values: [32, 64, 128]}
    - {name: tile, values: [1, 2, 4, 8], define: TILE}
  constraints: [tile * local <= 256]
`

// A space in a launch file: its configurations, and the launch of one.
func TestLaunchFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "k.yaml")
	load := func(text string) (*params.File, error) {
		for name, text := range map[string]string{"k.yaml": text, "k.cl": "__kernel void k(__global float *y) {}"} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		return params.Load(path)
	}
	f, err := load(launch)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Text(f.Base); got != "local=64,tile=1" {
		t.Errorf("starts with %s", got)
	}
	if n, more := search.Count(f.Space(), 100); n != 9 || more {
		t.Errorf("%d configurations, want 9", n)
	}
	c, err := search.Path(f.Space(), search.Config{{Choice: "tile", Option: "2"}, {Choice: "local", Option: "128"}})
	if err != nil {
		t.Fatal(err)
	}
	file, sizes := f.At(f.Configuration(c))
	job, err := file.Job(sizes)
	if err != nil {
		t.Fatal(err)
	}
	if job.Options != "-DTILE=2" || !slices.Equal(job.Local, []int64{128}) || !slices.Equal(job.Global, []int64{1024}) {
		t.Errorf("%s, %d of %d", job.Options, job.Local, job.Global)
	}
	for _, c := range []struct{ from, to, want string }{
		{"tune:", "assume: []\ntuna:", "tuna"},
		{"values: [32, 64, 128]", "values: []", "k.yaml:11:"},
		{"name: local, values", "name: depth, values", "depth is no size of the launch file, and defines no macro"},
		{"tile * local <= 256", "tile * local <= 16", "the space is empty: no values of the parameters fit the constraints"},
		{"values: [32, 64, 128]", "values: [32, 128]", "the space does not have what the launch file starts with: local=64"},
		{"tile * local <= 256", "tile * wide <= 16", "there is no parameter wide"},
	} {
		if _, err := load(strings.Replace(launch, c.from, c.to, 1)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: %v, want %q", c.to, c.from, err, c.want)
		}
	}
	// Where a constraint refuses what the launch file starts with, the first configuration that holds takes its place.
	f, err = load(strings.Replace(launch, "tile * local <= 256", "tile * local > 200", 1))
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Text(f.Base); got != "local=32,tile=8" {
		t.Errorf("it starts at %s", got)
	}
}
