package offload

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// parted is a line of testdata/h200_parts.jsonl.gz: how long the kernel of a product of LARGE took by a mapping of its tiles on an H200, and the launch that adds up its parts, both in microseconds of
// several launches. As launches of a graph overlap, that one adds less.
type parted struct {
	Kernel     string
	Form       Form
	Mapping    Mapping
	US, Adding float64
}

const overlap = 2.5 // microseconds, of the totals of the same runs

func (p parted) total() float64 { return p.US + max(0, p.Adding-overlap) }

func partings(t *testing.T) (of map[string][]parted) {
	t.Helper()
	f, err := os.Open("testdata/h200_parts.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	of = map[string][]parted{}
	for d := json.NewDecoder(z); ; {
		var p parted
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return of
		} else if err != nil {
			t.Fatal(err)
		}
		of[p.Kernel] = append(of[p.Kernel], p)
	}
}

// TestParts: sums that are in parts by default take less for it, among the recorded mappings. Kernels of four programs chose what decides about it, those of the others judge it.
func TestParts(t *testing.T) {
	chose := []string{"gemm", "mm3", "covariance", "trmm"}
	sums, counts := map[bool]float64{}, map[bool]float64{}
	for name, list := range partings(t) {
		f := list[0].Form
		whole, _ := f.tiled(1)
		var took [2]float64
		for i, m := range []Mapping{whole, onePlace(f)} {
			at := slices.IndexFunc(list, func(p parted) bool {
				return slices.Equal(p.Mapping.Block, m.Block) && slices.Equal(p.Mapping.Points, m.Points) && p.Mapping.Depth == m.Depth && p.Mapping.Parts == m.Parts
			})
			if at < 0 {
				t.Fatalf("%s: %+v was not recorded", name, m)
			}
			took[i] = list[at].total()
		}
		program, _, _ := strings.Cut(name, "_")
		own := slices.Contains(chose, program)
		sums[own], counts[own] = sums[own]+math.Log(took[1]/took[0]), counts[own]+1
		t.Logf("%s: whole sums take %.1f us, %d parts %.1f", name, took[0], onePlace(f).Parts, took[1])
		if took[1] > 1.08*took[0] {
			t.Errorf("%s takes %.1f us in parts, and %.1f in whole sums", name, took[1], took[0])
		}
	}
	for own, most := range map[bool]float64{true: 0.97, false: 0.98} {
		if mean := math.Exp(sums[own] / counts[own]); !(mean < most) {
			t.Errorf("in the geometric mean of %.0f kernels (which chose: %v), defaults take %.3f times as long as whole sums", counts[own], own, mean)
		}
	}
}
