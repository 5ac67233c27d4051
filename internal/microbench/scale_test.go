package microbench

import (
	"math"
	"strings"
	"testing"

	"gpuperf/models"

	"pgregory.net/rapid"
)

func selectOne(t *testing.T, tags ...string) Variant {
	t.Helper()
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	f, err := ParseFilter(tags, models.Superset)
	if err != nil {
		t.Fatal(err)
	}
	all, err := c.Select(f)
	if err != nil || len(all) == 0 {
		t.Fatalf("%d variants, %v", len(all), err)
	}
	return all[0]
}

func TestScaled(t *testing.T) {
	for _, c := range []struct {
		tags   string
		factor float64
		want   string // among the arguments, or of the error
	}{
		{"matmul_sq lsize_0:16 lsize_1:16 groups_fit:True n:2048", 2, "n:4096"},
		{"matmul_sq lsize_0:16 lsize_1:16 groups_fit:True n:2048", 1, "n:2048"},
		{"matmul_sq lsize_0:16 lsize_1:16 groups_fit:True n:2048", 0.3, "n:608"}, // 614.4
		{"matmul_sq lsize_0:16 lsize_1:16 groups_fit:True n:2048", 1e-9, "n:16"}, // the least multiple
		{"empty_kernel num_groups:1024", 3, "num_groups:3072"},
		{"empty_kernel num_groups:1024", math.NaN(), "cannot be scaled by NaN"},
		{"empty_kernel num_groups:1024", 0, "cannot be scaled by 0"},
	} {
		v, err := selectOne(t, strings.Fields(c.tags)...).Scaled(c.factor)
		got := v.String()
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s by %g: %s, want %s", c.tags, c.factor, got, c.want)
		}
	}
}

// TestScaledIsAllowed: whatever the factor, the variant is one that its own tags select.
func TestScaledIsAllowed(t *testing.T) {
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range c.Generators() {
		f, err := ParseFilter([]string{g.Name}, models.Superset)
		if err != nil {
			t.Fatal(err)
		}
		all, err := c.Select(f)
		if err != nil {
			t.Fatal(err)
		}
		all = all[:min(len(all), 20)]
		rapid.Check(t, func(t *rapid.T) {
			v := rapid.SampledFrom(all).Draw(t, "variant")
			factor := math.Exp(rapid.Float64Range(-6, 6).Draw(t, "log factor"))
			scaled, err := v.Scaled(factor)
			if err != nil {
				return
			}
			for i, a := range scaled.Args {
				if _, ok := g.Args[i].Allowed.Parse(a.Value.String()); !ok {
					t.Errorf("%s by %g: %s is not allowed", v, factor, a)
				}
				if _, size := v.Sizes[a.Name]; !size && a != v.Args[i] {
					t.Errorf("%s by %g: %s is no size", v, factor, a)
				}
			}
			if why, err := g.check(scaled); why != "" || err != nil {
				t.Errorf("%s by %g: %s %v", v, factor, why, err)
			}
			if scaled.KernelID() != v.KernelID() {
				t.Errorf("%s by %g is another kernel: %s", v, factor, scaled)
			}
		})
	}
}

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		allowed Allowed
		x       float64
		more    int64
		want    int64
	}{
		{Allowed{Integers: true, Min: 1, Max: math.MaxInt64, MultipleOf: 1}, 2.5, 1, 3},
		{Allowed{Integers: true, Min: 1, Max: math.MaxInt64, MultipleOf: 16}, 23, 1, 16},
		{Allowed{Integers: true, Min: 1, Max: math.MaxInt64, MultipleOf: 16}, 1, 4, 64},
		{Allowed{Integers: true, Min: 20, Max: math.MaxInt64, MultipleOf: 16}, 1, 1, 32},
		{Allowed{Integers: true, Min: 1, Max: 100, MultipleOf: 16}, 1e30, 1, 96},
		{Allowed{Integers: true, Min: 1, Max: math.MaxInt64, MultipleOf: 1}, 1e300, 1, math.MaxInt64},
	} {
		if got := c.allowed.nearest(c.x, c.more); got != c.want {
			t.Errorf("%+v, %g, %d: %d, want %d", c.allowed, c.x, c.more, got, c.want)
		}
	}
}
