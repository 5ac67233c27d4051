package ckerneltest

import (
	"fmt"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/ckernel"
	"gpuperf/features"
)

// options are those by which the example is loaded.
func (e Example) options() ckernel.Options {
	opt := ckernel.Options{C: cfront.Options{Instance: e.Instance}, Local: e.Local, Global: e.Global, Assume: e.Assume}
	if e.Instance == "" {
		opt.Kernel = e.Kernel
	}
	var dynamic []string
	for name, n := range e.Dynamic {
		dynamic = append(dynamic, name+"="+n)
	}
	opt.Dynamic = strings.Join(dynamic, ", ")
	if strings.HasSuffix(e.File, ".cu") && len(e.Dynamic) > 0 {
		opt.Dynamic = "4*" + dynamic[0][strings.Index(dynamic[0], "=")+1:]
	}
	return opt
}

// TestCorpus compares the counts of the examples' kernels, and what they compute, with runs of their text.
func TestCorpus(t *testing.T) {
	for _, e := range Corpus {
		t.Run(fmt.Sprintf("%s %s", e.Name(), strings.Join(e.Global, ",")), func(t *testing.T) {
			f, err := e.Read(examples)
			if err != nil {
				t.Fatal(err)
			}
			k, err := ckernel.Read(t.Context(), f, e.options())
			if err != nil {
				t.Fatal(err)
			}
			for _, noMadd := range []bool{true, false} {
				o, err := features.Find(k, features.Options{ExactBranches: true, FreeControl: true, Footprint: true, NoMadd: noMadd})
				if err != nil {
					t.Fatalf("%v\n%s", err, k)
				}
				var launches []Launch
				for _, at := range e.Sizes {
					l, err := e.Launch(f, at)
					if err != nil {
						t.Fatal(err)
					}
					l.NoMadd = noMadd
					launches = append(launches, l)
				}
				if err := sameAsRuns(k, o, e.Sizes, launches, nil); err != nil && !(e.WarpSynchronous && strings.Contains(err.Error(), "race")) {
					t.Errorf("%v\n%s", err, k)
				}
			}
		})
	}
}
