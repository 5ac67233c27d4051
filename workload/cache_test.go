package workload

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"gpuperf/features"
	"gpuperf/kernel"
	"gpuperf/kernel/script"
)

func kernels(t testing.TB, text string) []*kernel.Kernel {
	t.Helper()
	variants, err := script.Exec("test.star", text)
	if err != nil {
		t.Fatal(err)
	}
	var out []*kernel.Kernel
	for _, v := range variants {
		out = append(out, v.Kernel)
	}
	return out
}

// TestEqualKernelsAreCountedOnce: by content, not by object, and apart where anything differs.
func TestEqualKernelsAreCountedOnce(t *testing.T) {
	c := newCache(16)
	ask := func(text string, options features.Options) *features.Statistics {
		t.Helper()
		k := kernels(t, text)[0]
		s, err := c.statistics(k, k.Key(), options)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := ask(fitting, features.Options{})
	if again := ask(fitting, features.Options{}); again != first || c.made != 1 {
		t.Errorf("loaded again: counted %d times", c.made)
	}
	if ask(fitting, features.Options{NoMadd: true}) == first || c.made != 2 {
		t.Errorf("other options: counted %d times", c.made)
	}
	if ask(guarded, features.Options{}) == first || c.made != 3 {
		t.Errorf("without the assumption: counted %d times", c.made)
	}
	// at sizes
	k := kernels(t, fitting)[0]
	at := func(n int64) *features.Statistics {
		t.Helper()
		s, err := c.at(k, k.Key(), features.Options{}, map[string]int64{"n": n})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := at(64); at(64) != s || c.made != 6 { // with the occurrences, and how often it was asked for
		t.Errorf("at a size: %d entries made", c.made)
	}
	if at(64) == at(128) || c.made != 7 {
		t.Errorf("at another size: %d entries made", c.made)
	}
	// through the package
	a, b := NewKernel(kernels(t, fitting)[0]), NewKernel(kernels(t, fitting)[0])
	s, err := a.Statistics(features.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if u, err := b.Statistics(features.Options{}); err != nil || s != u {
		t.Errorf("two objects: %v", err)
	}
}

// TestManySizes: a kernel that is counted at many sizes is counted symbolically in the end, and has the same counts.
func TestManySizes(t *testing.T) {
	c := newCache(2 * manySizes)
	k := kernels(t, fitting)[0]
	at := func(n int64) *features.Statistics {
		t.Helper()
		s, err := c.at(k, k.Key(), features.Options{}, map[string]int64{"n": n})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for n := range int64(manySizes) {
		at(16 * (n + 1))
	}
	for at(16) != at(32) { // which they are when the symbolic counts are there
		time.Sleep(time.Millisecond)
	}
	fresh, err := features.Find(k, features.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int64{"n": 4096}
	want, err := fresh.CountAt(sizes)
	if err != nil {
		t.Fatal(err)
	}
	got := at(4096)
	for i, r := range want.Records {
		a, err := r.At(sizes)
		b, err2 := got.Records[i].At(sizes)
		if err != nil || err2 != nil || a != b || got.Records[i].Key != r.Key {
			t.Errorf("%v: %g, want %g (%v, %v)", r.Key, b, a, err, err2)
		}
	}
}

func TestCacheIsBounded(t *testing.T) {
	c := newCache(2)
	var list []*kernel.Kernel
	for i := range 3 {
		list = append(list, kernels(t, fmt.Sprintf("k = lp.make_kernel('{[i]: 0<=i<%d}', 'a[i] = 1.0f')", i+1))[0])
	}
	for _, at := range []struct{ kernel, made int }{{0, 1}, {1, 2}, {0, 2}, {2, 3}, {0, 3}, {1, 4}, {2, 5}} {
		k := list[at.kernel]
		if _, err := c.statistics(k, k.Key(), features.Options{}); err != nil || c.made != at.made || len(c.entries) > 2 || c.recent.Len() != len(c.entries) {
			t.Fatalf("kernel %d: %v; counted %d times, want %d; %d entries", at.kernel, err, c.made, at.made, len(c.entries))
		}
	}
	// errors are not kept
	k := kernels(t, "k = lp.make_kernel('{[i]: 0<=i<n}', 'a[i] = b[i]')")[0]
	for range 2 {
		if _, err := c.statistics(k, k.Key(), features.Options{}); err == nil {
			t.Fatal("a kernel without types was counted")
		}
	}
	if c.made != 7 || len(c.entries) > 1 {
		t.Errorf("after two errors: counted %d times, %d entries", c.made, len(c.entries))
	}
}

func TestCacheConcurrently(t *testing.T) {
	c := newCache(4)
	k := kernels(t, fitting)[0]
	var wg sync.WaitGroup
	all := make([]*features.Statistics, 8)
	for i := range all {
		wg.Go(func() { all[i], _ = c.statistics(k, k.Key(), features.Options{}) })
	}
	wg.Wait()
	for _, s := range all {
		if s == nil || s != all[0] || c.made != 1 {
			t.Fatalf("counted %d times", c.made)
		}
	}
}

// BenchmarkStatistics is the cost of a kernel's statistics: counted, and found again for a kernel that was loaded anew.
func BenchmarkStatistics(b *testing.B) {
	k := kernels(b, fitting)[0]
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			if _, err := newCache(1).statistics(k, k.Key(), features.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("again", func(b *testing.B) {
		c := newCache(1)
		for b.Loop() {
			if _, err := c.statistics(k, k.Key(), features.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
