package campaign

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/internal/frontend"
)

// manyVariants are products of matrices and stencils, in tilings, unrolled or not, and layouts, for sizes from the least on.
func manyVariants(least int64) string {
	var text strings.Builder
	text.WriteString(`
def product(rows, columns, deep, each, a, b, unroll):
    knl = lp.make_kernel(
        "{[i,e,r,j,k]: 0<=i<n/%d and 0<=e<%d and 0<=r<%d and 0<=j<n and 0<=k<n}" % (each*rows, each, rows),
        "c[%d*i + %d*e + r, j] = sum(k, a[%d*i + %d*e + r, k]*b[k,j])" % (each*rows, rows, each*rows, rows),
        assumptions = "n >= LEAST and n % 256 = 0")
    knl = lp.split_iname(knl, "j", columns, outer_tag = "g.0", inner_tag = "l.0")
    knl = lp.tag_inames(knl, "i:g.1, e:ilp, r:l.1")
    knl = lp.split_iname(knl, "k", deep, inner_tag = "unr" if unroll else None)
    knl = lp.add_prefetch(knl, "a", "e, r, k_inner")
    knl = lp.add_prefetch(knl, "b", "k_inner, j_inner")
    knl = lp.add_dtypes(knl, "a, b, c: float32")
    return lp.tag_array_axes(lp.tag_array_axes(knl, "a", a), "b", b)

def stencil(rows, columns, each, tile, layout, unroll):
    knl = lp.make_kernel("{[i,e,r,j]: 0<=i<n/%d and 0<=e<%d and 0<=r<%d and 0<=j<n}" % (each*rows, each, rows),
        "res[I,j] = u[I,j+1] + u[I+1,j] - 4*u[I+1,j+1] + u[I+1,j+2] + u[I+2,j+1]".replace("I", "%d*i + %d*e + r" % (each*rows, rows)),
        assumptions = "n >= LEAST and n % 256 = 0")
    knl = lp.add_dtypes(knl, "res, u: float32")
    knl = lp.split_iname(knl, "j", columns, outer_tag = "g.0", inner_tag = "l.0")
    knl = lp.tag_inames(knl, "i:g.1, r:l.1" + (", e:unr" if unroll else ""))
    if tile:
        knl = lp.add_prefetch(knl, "u", "e, r, j_inner", fetch_bounding_box = True)
    return lp.tag_array_axes(lp.tag_array_axes(knl, "u", layout), "res", layout)
`)
	flags := []string{"False", "True"}
	for _, group := range [][2]int{{4, 64}, {8, 32}, {16, 16}} {
		for _, each := range []int{1, 2, 4, 8} {
			for _, unroll := range flags {
				for _, a := range []string{"C", "F"} {
					fmt.Fprintf(&text, "p%d_%d_%d_%s_%s = product(%d, %d, 16, %d, %q, \"C\", %s)\n", group[0], group[1], each, a, unroll, group[0], group[1], each, a, unroll)
					for _, tile := range flags {
						fmt.Fprintf(&text, "s%d_%d_%d_%s_%s_%s = stencil(%d, %d, %d, %s, %q, %s)\n", group[0], group[1], each, a, tile, unroll, group[0], group[1], each, tile, a, unroll)
					}
				}
			}
		}
	}
	return strings.ReplaceAll(text.String(), "LEAST", fmt.Sprint(least))
}

// BenchmarkRank ranks 144 variants of a script, none of which was seen before, by the model for any kernel: what `perf rank` does.
func BenchmarkRank(b *testing.B) {
	path := filepath.Join(b.TempDir(), "variants.star")
	profile, err := LoadProfile("h200")
	if err != nil {
		b.Fatal(err)
	}
	calibration, err := CalibrationOf(profile, "general")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	sizes := []map[string]int64{{"n": 4096}}
	for least := int64(1); b.Loop(); least++ { // what is counted is kept for equal kernels
		if err := os.WriteFile(path, []byte(manyVariants(least)), 0o600); err != nil {
			b.Fatal(err)
		}
		p, err := PredictorOf(profile, calibration)
		if err != nil {
			b.Fatal(err)
		}
		cases, err := Cases(context.Background(), frontend.Options{}, []string{path}, sizes)
		if err != nil {
			b.Fatal(err)
		}
		rankings, err := p.Rankings(cases, sizes, 0)
		if err != nil {
			b.Fatal(err)
		}
		if len(p.Ranked(rankings[0])) != 144 {
			b.Fatalf("%d of %d variants are ranked", len(rankings[0].Predictions), len(cases))
		}
	}
}
