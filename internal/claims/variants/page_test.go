package variants

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"gpuperf/samples"
)

// page is the text of a document, with one space between words.
type page struct{ name, text string }

func pageOf(t *testing.T, name string) page {
	t.Helper()
	text, err := os.ReadFile("../../../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return page{name, strings.Join(strings.Fields(string(text)), " ")}
}

// says is an error if the document has other figures than recordings give.
func (p page) says(t *testing.T, text string) {
	t.Helper()
	if !strings.Contains(p.text, text) {
		t.Errorf("docs/%s does not say: %s", p.name, text)
	}
}

// TestOtherPrograms holds the table of docs/functional.md of what was found in a budget of runs, and how near it is to the roof.
func TestOtherPrograms(t *testing.T) {
	page := pageOf(t, "functional.md")
	const bandwidth, rate = 4.8e12, 132 * 128 * 1.98e9 // bytes, and operations on float32 of which a multiply-add is one
	best := map[string]*samples.Record{}
	for _, file := range []string{"lift_blas", "lift_products", "lift_3d_search"} {
		maps.Copy(best, fastest(t, 10, []string{file}))
	}
	of := func(file, source, sizes string) *samples.Record {
		r := best[file+" "+source+" map["+sizes+"] "]
		if r == nil {
			t.Fatalf("no record of %s at %s in %s", source, sizes, file)
		}
		return r
	}
	for _, c := range []struct {
		row, file, source, sizes string
		numbers                  float64 // of 4 bytes that are moved, or operations of the arithmetic unit
		arithmetic               bool
	}{
		{"BlackScholes | 4 M options | 40", "lift_blas", "blackscholes.lift", "n:4194304", 3 << 22, false},
		{"matrix product | 1024² | 120", "lift_products", "matmul.lift", "k:1024 m:1024 n:1024", 1 << 30, true},
		{"matrix product | 2048² | 120", "lift_products", "matmul.lift", "k:2048 m:2048 n:2048", 1 << 33, true},
		{"matrix product | 4096² | 120", "lift_products", "matmul.lift", "k:4096 m:4096 n:4096", 1 << 36, true},
		{"heat3d | 514³ | 60", "lift_3d_search", "heat3d.lift", "d:514 h:514 w:514", 2 * 514 * 514 * 514, false},
		{"hotspot3d | 256³ | 60", "lift_3d_search", "hotspot3d.lift", "d:256 h:256 w:256", 3 << 24, false},
	} {
		seconds := of(c.file, c.source, c.sizes).Seconds()
		text := fmt.Sprintf("| %s | %s | %.0f %% (memory) |", c.row, threeDigits(seconds), 100*4*c.numbers/bandwidth/seconds)
		if c.arithmetic {
			text = fmt.Sprintf("| %s | %s, %.1f TFLOP/s | %.0f %% (arithmetic) |", c.row, threeDigits(seconds), 2*c.numbers/seconds/1e12, 100*c.numbers/rate/seconds)
		}
		page.says(t, text)
	}
	page.says(t, fmt.Sprintf("| MD | 12,288 particles, 128 neighbours each | 40 | %s |", threeDigits(of("lift_blas", "md.lift", "k:128 n:12288").Seconds())))
}

// TestPortable holds the table of docs/functional.md: what the best variant on a GPU takes there and on a CPU, and the best one on the CPU. Best is that of those
// that the exploration has timed again at its end and that ran on both.
func TestPortable(t *testing.T) {
	page := pageOf(t, "functional.md")
	type times struct{ last, again map[string]float64 } // of points, and of those that were timed again
	read := func(file string) map[string]times {
		all := map[string]times{}
		for r := range recordedPoints(t, file) {
			x, ok := all[r.Kernel.Source]
			if !ok {
				x = times{map[string]float64{}, map[string]float64{}}
				all[r.Kernel.Source] = x
			}
			if r.Status == samples.OK {
				x.last[r.Kernel.Key()] = r.Seconds()
				if r.Sentinel == nil {
					x.again[r.Kernel.Key()] = r.Seconds()
				}
			}
		}
		return all
	}
	best := func(own, other times) string {
		both := slices.DeleteFunc(slices.Sorted(maps.Keys(own.again)), func(key string) bool { return other.last[key] == 0 })
		return slices.MinFunc(both, func(a, b string) int { return cmp.Compare(own.again[a], own.again[b]) })
	}
	gpu, cpu := read("lift_portable_gpu.jsonl.gz"), read("lift_portable_cpu.jsonl.gz")
	for _, name := range []string{"scal", "asum", "dot", "gemv"} {
		text := "| " + name + " |"
		g, c := gpu[name+".lift"], cpu[name+".lift"]
		for _, key := range []string{best(g, c), best(c, g)} {
			text += fmt.Sprintf(" %s, %.0f µs |", threeDigits(g.last[key]), 1e6*c.last[key])
		}
		page.says(t, text)
	}
}

// threeDigits words seconds as tables of documents do: 72.0 µs, 387 µs, 2.99 ms.
func threeDigits(seconds float64) string {
	v, unit := 1e6*seconds, "µs"
	if v >= 999.5 {
		v, unit = v/1e3, "ms"
	}
	digits := 0
	for _, limit := range []float64{99.95, 9.995} {
		if v < limit {
			digits++
		}
	}
	return fmt.Sprintf("%.*f %s", digits, v, unit)
}
