package microbench

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"gpuperf/features"
	"gpuperf/kernel"
)

// TestWorkRemoved: of an application's accesses to global memory those that are left keep tag, strides and number, and of
// all else nothing remains but additions and, where nothing else is stored, one store.
func TestWorkRemoved(t *testing.T) {
	c := load(t)
	variants, err := c.choose("remove_work dtype:float32", "")
	if err != nil {
		t.Fatal(err)
	}
	more, err := c.choose("remove_work dtype:float32 remove_vars:none", "")
	if err != nil {
		t.Fatal(err)
	}
	counted := map[string]*features.Statistics{}
	count := func(v Variant) *features.Statistics {
		t.Helper()
		if counted[v.KernelID()] == nil {
			k, err := v.Kernel()
			if err == nil {
				counted[v.KernelID()], err = features.Count(k, features.Options{})
			}
			if err != nil {
				t.Fatalf("%s: %v", v, err)
			}
		}
		return counted[v.KernelID()]
	}
	for _, v := range append(variants, more...) {
		filter := []string{strings.TrimSuffix(v.Generator, "_gmem")}
		for _, a := range v.Args {
			if a.Name != "remove_vars" && a.Name != "accumulators" {
				filter = append(filter, a.String())
			}
		}
		application, err := c.choose(strings.Join(filter, " "), "")
		if err != nil || len(application) != 1 {
			t.Fatalf("%s: application %v (%v)", v, application, err)
		}
		removed := strings.Split(v.text("remove_vars"), "+")
		want := accesses(t, application[0], count(application[0]))
		maps.DeleteFunc(want, func(m features.Mem, _ string) bool {
			return m.Space != kernel.Global || slices.Contains(removed, m.Variable)
		})
		if len(want) == 0 {
			t.Errorf("%s: nothing is left", v)
		}
		stores := slices.ContainsFunc(slices.Collect(maps.Keys(want)), func(m features.Mem) bool { return m.Direction == features.Store })
		got := accesses(t, v, count(v))
		for m := range got {
			if m.Variable == "read_tgt_dest" {
				if stores || m.Direction != features.Store || !strings.HasPrefix(string(m.LStrides), "0:1") {
					t.Errorf("%s: %s", v, m)
				}
				delete(got, m)
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: accesses are\n%v\nthose of the application\n%v", v, got, want)
		}
		for _, r := range count(v).Records {
			switch k := r.Key.(type) {
			case features.Op:
				if k.Op != "add" || k.DType != "float32" {
					t.Errorf("%s: operation %s is left", v, k)
				}
			case features.Sync:
				if k.Op != "kernel_launch" {
					t.Errorf("%s: %s is left", v, k)
				}
			}
		}
	}
}

// accesses are the numbers of the accesses to memory at the variant's sizes.
func accesses(t *testing.T, v Variant, s *features.Statistics) map[features.Mem]string {
	t.Helper()
	out := map[features.Mem]string{}
	for _, r := range s.Records {
		if m, ok := r.Key.(features.Mem); ok {
			n, err := r.Count.Eval(v.Sizes)
			if err != nil {
				t.Fatalf("%s: %s: %v", v, m, err)
			}
			out[m] = n.String()
		}
	}
	return out
}
