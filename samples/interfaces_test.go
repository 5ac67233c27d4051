package samples

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gpuperf/internal/format"
	"gpuperf/internal/golden"
)

const interfacesPage = "../docs/interfaces.md"

// TestInterfacesPage: docs/interfaces.md has every kernel that was recorded by both interfaces, with its times. UPDATE=1 writes the table.
func TestInterfacesPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(interfacesPage)
	if err != nil {
		t.Fatal(err)
	}
	start := strings.Index(string(page), "| kernel |")
	before, rest := string(page[:start]), string(page[start:])
	_, after, _ := strings.Cut(rest, "\n\n")
	golden.Check(t, interfacesPage, before+interfacesTable(t)+"\n\n"+after)
}

// interfacesTable lists the recorded kernels, the slowest by CUDA against OpenCL first, with the geometric mean of how the times of the interfaces compare.
func interfacesTable(t *testing.T) string {
	t.Helper()
	cuda, opencl := recordedExamples(t, "cuda"), recordedExamples(t, "opencl")
	byRatio := slices.SortedFunc(maps.Values(cuda), func(a, b *Record) int {
		return cmp.Compare(b.Seconds()/opencl[b.Kernel.Key()].Seconds(), a.Seconds()/opencl[a.Kernel.Key()].Seconds())
	})
	lines := []string{"| kernel | sizes | CUDA | OpenCL | CUDA / OpenCL | registers | work-groups |", "|---|---|---|---|---|---|---|"}
	var logs float64
	for _, r := range byRatio {
		ratio := r.Seconds() / opencl[r.Kernel.Key()].Seconds()
		logs += math.Log(ratio)
		lines = append(lines, fmt.Sprintf("| `%s#%s` | %s | %s | %s | %.2f | %d, %d | %d |", r.Kernel.Source, r.Kernel.Variant,
			format.Sizes(r.Kernel.Sizes), format.Seconds(r.Seconds()), format.Seconds(opencl[r.Kernel.Key()].Seconds()), ratio,
			r.Compiled.Registers, opencl[r.Kernel.Key()].Compiled.Registers, r.Compiled.GroupsPerUnit))
	}
	mean := math.Exp(logs / float64(len(byRatio)))
	return strings.Join(append(lines, fmt.Sprintf("| all %d, geometric mean | | | | %.2f | | |", len(byRatio), mean)), "\n")
}

// recordedExamples are the kernels of scripts that were recorded by an interface, by identity.
func recordedExamples(t *testing.T, name string) map[string]*Record {
	t.Helper()
	set, err := Load("../testdata/h200/interfaces_" + name + ".jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	kernels := map[string]*Record{}
	defer set.Close()
	for r, err := range set.All() {
		if err != nil {
			t.Fatal(err)
		}
		if r.Kernel.Variant != "" {
			kernels[r.Kernel.Key()] = r
		}
	}
	return kernels
}
