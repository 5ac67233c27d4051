package ckerneltest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

// TestCorpusIsWhole: each kernel function of the examples has a launch.
func TestCorpusIsWhole(t *testing.T) {
	files, err := filepath.Glob(examples + "/kernels/*.c[lu]")
	if err != nil {
		t.Fatal(err)
	}
	launched := map[string]bool{}
	for _, e := range Corpus {
		launched[e.Name()] = true
	}
	kernels := regexp.MustCompile(`(?s)__(?:kernel|global__)\b[^;{]*?\bvoid\s+(?:__launch_bounds__\(\d+\)\s*)?(\w+)\s*\(`)
	n := 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range kernels.FindAllStringSubmatch(string(text), -1) {
			n++
			if name := filepath.Base(path) + "#" + m[1]; !launched[name] {
				t.Errorf("%s has no launch", name)
			}
		}
	}
	if n < 40 {
		t.Errorf("%d kernel functions are found", n)
	}
}

// TestProgram: random kernel functions are read and run, and store something.
func TestProgram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Program(t)
		f, err := p.Read()
		if err != nil {
			t.Fatalf("%v\n%s", err, p.Text)
		}
		for _, at := range p.Sizes {
			l, err := p.Launch(f, at)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Run(l)
			if err != nil {
				t.Fatalf("at %v: %v\n%s", at, err, p.Text)
			}
			if r.Written["out"] == 0 {
				t.Fatalf("at %v nothing is stored\n%s", at, p.Text)
			}
		}
	})
}
