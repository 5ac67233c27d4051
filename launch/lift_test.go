package launch

import (
	"fmt"
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/script"
)

// paddedStencil is a stencil on clamped data as a functional front end lowers it: a launch of fixed extent that strides over the
// data, of groups of gx by gy with lx by ly work-items, sizes that need not divide.
func paddedStencil(t testing.TB, points [][2]int, gx, gy, lx, ly int, more string) *kernel.Kernel {
	clamp := func(v string, d int) string { return fmt.Sprintf("min(max(%s + %d, 0), n-1)", v, d) }
	var terms []string
	for _, p := range points {
		terms = append(terms, fmt.Sprintf("a[%s, %s]", clamp("i", p[0]), clamp("j", p[1])))
	}
	text := fmt.Sprintf(`
knl = lp.make_kernel("{[i,j]: 0<=i,j<n}", "z[i,j] = %s",
    [lp.GlobalArg("a", "float32", shape="n, n"), lp.GlobalArg("z", "float32", shape="n, n"), "..."])
knl = lp.split_iname(knl, "i", %d, inner_tag="l.1")
knl = lp.split_iname(knl, "j", %d, inner_tag="l.0")
knl = lp.split_iname(knl, "i_outer", %d, inner_tag="g.1")
knl = lp.split_iname(knl, "j_outer", %d, inner_tag="g.0")
knl = lp.assume(knl, "n >= 8")
%s`, strings.Join(terms, " + "), ly, lx, gy, gx, more)
	variants, err := script.Exec("stencil.star", text)
	if err != nil {
		t.Fatal(err)
	}
	return variants[0].Kernel
}

func square(r int) (points [][2]int) {
	for y := -r; y <= r; y++ {
		for x := -r; x <= r; x++ {
			points = append(points, [2]int{y, x})
		}
	}
	return points
}

func TestStaticStencils(t *testing.T) {
	for _, test := range []struct{ r, gx, gy, lx, ly int }{{1, 2, 3, 8, 4}, {1, 1, 1, 32, 2}, {2, 3, 1, 5, 3}} {
		n, err := linear.New(paddedStencil(t, square(test.r), test.gx, test.gy, test.lx, test.ly, ""))
		if err != nil {
			t.Fatal(err)
		}
		if err := compareStatic(n, map[string]int64{"n": 37}, Options{Borders: true, Device: h200}); err != nil {
			t.Errorf("%+v: %v\n%s", test, err, n)
		}
	}
}

// tiledStencil fetches a tile with its border into local memory, by fewer work-items than it has elements: those of the first
// rows and columns fetch twice.
func tiledStencil(t testing.TB, lx, ly int) *kernel.Kernel {
	variants, err := script.Exec("tile.star", fmt.Sprintf(`
knl = lp.make_kernel("{[i,j]: 0<=i,j<n}", "z[i,j] = u[i,j+1] + u[i+1,j] - 4*u[i+1,j+1] + u[i+1,j+2] + u[i+2,j+1]")
knl = lp.add_dtypes(knl, "z, u: float32")
knl = lp.assume(knl, "n >= 1")
knl = lp.split_iname(knl, "i", %[2]d, outer_tag="g.1", inner_tag="l.1")
knl = lp.split_iname(knl, "j", %[1]d, outer_tag="g.0", inner_tag="l.0")
knl = lp.add_prefetch(knl, "u", ["i_inner", "j_inner"], fetch_bounding_box=True, default_tag="for")
knl = lp.split_iname(knl, "u_dim_0", %[2]d, inner_tag="l.1")
knl = lp.split_iname(knl, "u_dim_1", %[1]d, inner_tag="l.0")
`, lx, ly))
	if err != nil {
		t.Fatal(err)
	}
	return variants[0].Kernel
}

func TestStaticTile(t *testing.T) {
	for _, test := range []struct{ lx, ly int }{{16, 4}, {8, 8}, {32, 2}} {
		n, err := linear.New(tiledStencil(t, test.lx, test.ly))
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int64{31, 32, 50} {
			if err := compareStatic(n, map[string]int64{"n": size}, Options{Device: h200}); err != nil {
				t.Errorf("%+v: %v\n%s", test, err, n)
			}
		}
		v, err := vectorAt(n, map[string]int64{"n": 8192}, Options{Device: h200})
		if err != nil || !v.Exact {
			t.Errorf("%+v: %+v (%v)\n%s", test, v, err, n)
		}
	}
}

func BenchmarkStaticTile(b *testing.B) {
	n, err := linear.New(tiledStencil(b, 32, 8))
	if err != nil {
		b.Fatal(err)
	}
	p, err := New(n, Options{Device: h200})
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range []int64{8192, 8190} {
		b.Run(fmt.Sprintf("n=%d", size), func(b *testing.B) {
			for b.Loop() {
				if v, err := p.At(map[string]int64{"n": size}); err != nil || !v.Exact {
					b.Fatal(v, err)
				}
			}
		})
	}
}

// What a design point of a stencil costs: two thread configurations of two stencils.
func BenchmarkStaticStencil(b *testing.B) {
	for _, test := range []struct{ r, gx, gy, lx, ly int }{{1, 32, 64, 32, 8}, {1, 128, 128, 16, 16}, {2, 32, 64, 32, 8}, {2, 16, 512, 128, 2}} {
		k := paddedStencil(b, square(test.r), test.gx, test.gy, test.lx, test.ly, "")
		name := fmt.Sprintf("%d points, %dx%d of %dx%d/", (2*test.r+1)*(2*test.r+1), test.gx, test.gy, test.lx, test.ly)
		b.Run(name+"linearize", func(b *testing.B) {
			for b.Loop() {
				if _, err := linear.New(k); err != nil {
					b.Fatal(err)
				}
			}
		})
		n, err := linear.New(k)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name+"prepare", func(b *testing.B) {
			for b.Loop() {
				if _, err := New(n, Options{Device: h200}); err != nil {
					b.Fatal(err)
				}
			}
		})
		p, err := New(n, Options{Device: h200})
		if err != nil {
			b.Fatal(err)
		}
		for _, size := range []int64{4096, 8190} {
			b.Run(fmt.Sprintf("%sn=%d", name, size), func(b *testing.B) {
				for b.Loop() {
					v, err := p.At(map[string]int64{"n": size})
					if err != nil {
						b.Fatal(err)
					}
					if !v.Exact {
						b.Fatal("not exact")
					}
				}
			})
		}
	}
}
