package features

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/kernel"
	"gpuperf/kernel/script"
)

// sameAt compares the symbolic counts of a kernel with those at sizes: they have the same records, and features the same values.
func sameAt(t rapid.TB, k *kernel.Kernel, opt Options, symbolic *Statistics, sizes map[string]int64) {
	t.Helper()
	o, err := Find(k, opt)
	if err != nil {
		t.Fatalf("%v", err)
	}
	numeric, err := o.CountAt(sizes)
	if err != nil {
		t.Fatalf("%v", err)
	}
	for _, r := range symbolic.Records {
		want, err := r.At(sizes)
		if err != nil {
			t.Fatalf("%v", err)
		}
		i := slices.IndexFunc(numeric.Records, func(n Record) bool { return n.Key == r.Key })
		if i < 0 {
			if _, prints := r.Key.(Footprint); prints && want == 0 {
				continue
			}
			t.Fatalf("at %v there is no record of %s", sizes, r.Key)
		}
		if got, err := numeric.Records[i].At(nil); err != nil || got != want {
			t.Fatalf("at %v %s is %v (%v), the symbolic count gives %v", sizes, r.Key, got, err, want)
		}
	}
	for _, text := range []string{
		"f_mem_access_global", "f_mem_access_global_load_lstrides:{0:1}", "f_mem_access_global_afr:>1", "f_mem_hoisted_global", "f_mem_footprint_global",
		"f_mem_sectors", "f_thread_groups", "f_loop_trips", "f_sync_barrier_local",
	} {
		id, err := ParseID(text)
		if err != nil {
			t.Fatalf("%v", err)
		}
		want, err := symbolic.Value(id, sizes)
		if err != nil {
			continue // too much work, or no such thing
		}
		if got, err := numeric.Value(id, sizes); err != nil || got != want {
			t.Fatalf("at %v %s is %v (%v), the symbolic count gives %v", sizes, id, got, err, want)
		}
	}
}

func TestExamplesAtSizes(t *testing.T) {
	for _, of := range []struct {
		scripts string
		options Options
	}{
		{"matmul/*.star", Options{}},
		{"matmul/*.star", Options{Least: true, Footprint: true}},
		{"dg/*.star", Options{ExactBranches: true}},
		{"stencil/*.star", Options{Least: true}},
		{"evaluation/general/p*.star", Options{SubgroupSize: 8}},
		{"evaluation/general/strided.star", Options{}},
		{"evaluation/general/strided.star", Options{ExactBranches: true}},
	} {
		files, err := filepath.Glob(filepath.Join("..", "examples", filepath.FromSlash(of.scripts)))
		if err != nil || len(files) == 0 {
			t.Fatalf("no examples %s: %v", of.scripts, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			variants, err := script.Exec(file, string(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range variants {
				t.Run(filepath.Base(file)+"/"+v.Name, func(t *testing.T) { sameAtSizes(t, v.Kernel, of.options) })
			}
		}
	}
}

// sameAtSizes compares at the same size for all parameters, where the kernel allows it.
func sameAtSizes(t *testing.T, k *kernel.Kernel, opt Options) {
	s, err := Count(k, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{1, 33, 251, 1024} {
		sizes := map[string]int64{}
		for _, p := range k.Params() {
			sizes[p] = n
		}
		if k.Assumptions != nil {
			if ok, err := k.Assumptions.Contains(sizes); err != nil || !ok {
				continue
			}
		}
		sameAt(t, k, opt, s, sizes)
	}
}
