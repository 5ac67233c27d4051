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
