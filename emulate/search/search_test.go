package search

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestLoad(t *testing.T) {
	f, err := Load("../../testdata/search/contraction-space.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Text(f.Base); got != "bx=64,by=4,bz=1,tx=1,ty=1,tz=1,cx=1,cy=1,cz=1,unroll=1" {
		t.Errorf("starts with %s", got)
	}
	if to := f.moved(f.Base, 3, 1); to != nil {
		t.Errorf("%s breaks bx * tx * cx <= 64", f.Text(to))
	}
	s, err := f.Sequence(Configuration{16, 4, 2, 2, 8, 1, 1, 1, 1, 4})
	if err != nil {
		t.Fatal(err)
	}
	if want := []int64{2 * 16, 2 * 4, 1024 * 2}; !slices.Equal(s.Job.Global, want) {
		t.Errorf("%d work-items, want %d", s.Job.Global, want)
	}
	if want := "-DTX=2 -DTY=8 -DTZ=1 -DUNROLL=4"; s.Job.Options != want {
		t.Errorf("options are %s, want %s", s.Job.Options, want)
	}
}

func TestMistakes(t *testing.T) {
	good, err := os.ReadFile("../../testdata/search/stencil-space.yaml")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, name := range []string{"stencil.yaml", "stencil.cu"} {
		text, err := os.ReadFile("../../testdata/search/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ from, to, want string }{
		{"version: 1\n", "", "the space has no version"},
		{"version: 1", "version: 2", "version"},
		{"launch: stencil.yaml\n", "", "the space has no launch"},
		{"block: x, values: [8,", "block: w, values: [8,", "expected an axis: x, y, z"},
		{"[8, 16,", "[16, 8,", "values go from the least to the greatest"},
		{"{name: bx, block: x,", "{name: bx,", "a parameter is one of block, thread and places, of an axis, or unroll"},
		{", define: UNROLL", "", "unroll is no size of the launch file, and defines no macro"},
		{"bx * by * bz >= 64", "bx * by", "a condition is needed here"},
		{"bx * by * bz >= 64", "bx * bw >= 64", "bw"},
		{"bx * by * bz >= 64", "bx * by * bz >= 512000000", "the space is empty"},
	} {
		text := strings.Replace(string(good), c.from, c.to, 1)
		if text == string(good) {
			t.Fatalf("%q is not there", c.from)
		}
		path := filepath.Join(folder, "space.yaml")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "space.yaml:") {
			t.Errorf("%q for %q: %v, want %q", c.to, c.from, err, c.want)
		}
	}
}
