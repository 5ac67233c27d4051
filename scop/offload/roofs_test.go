package offload

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/internal/format"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/ops"
	"gpuperf/samples"
	"gpuperf/scop"
)

// roof is the least that a nest takes by what it cannot do without: memory, arithmetic, and steps that wait for each other.
type roof struct {
	bytes, operations float64
	steps             int
	seconds           map[string]float64
	binds             string
}

// perStep is the least that an H200 takes for a step that all work-groups wait for, in seconds: by a launch of a graph, or a barrier over the grid.
func perStep(t *testing.T) float64 {
	t.Helper()
	text, err := os.ReadFile("../../testdata/h200/barrier.csv")
	if err != nil {
		t.Fatal(err)
	}
	least := math.Inf(1)
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSpace(line), ",")
		if ns, err := strconv.ParseFloat(fields[len(fields)-1], 64); err == nil {
			least = min(least, 1e-9*ns)
		}
	}
	return least
}

// roofOf is the roof of a nest at the sizes of a record.
func roofOf(t *testing.T, n *scop.Nest, p *Program, r *samples.Record) roof {
	t.Helper()
	at := r.Kernel.Sizes
	d, _ := facts.Named(machine.Usual)
	out := roof{bytes: compulsory(t, n, at), operations: operationsOf(t, n, at), steps: stepsOf(t, p, at)}
	rate, memory := bandwidth, "DRAM"
	if l2, ok := machine.L2Peak(d); ok && out.bytes < d.Value(facts.L2Bytes) {
		rate, memory = l2.Rate, "L2"
	}
	peak, _ := machine.ArithmeticPeak(d, "float32", "madd", "op/s")
	out.seconds = map[string]float64{memory: out.bytes / rate, "arithmetic": out.operations / peak.Rate, "steps": float64(out.steps) * perStep(t)}
	for _, what := range []string{memory, "arithmetic", "steps"} {
		if out.binds == "" || out.seconds[what] > out.seconds[out.binds] {
			out.binds = what
		}
	}
	return out
}

// operationsOf are those on floating-point numbers, a multiply-add as one.
func operationsOf(t *testing.T, n *scop.Nest, at map[string]int64) (sum float64) {
	t.Helper()
	k, err := n.Kernel()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range n.Statements {
		points, err := s.Domain.Fix(at)
		if err != nil {
			t.Fatal(err)
		}
		count, err := points.Count()
		if err != nil {
			t.Fatal(err)
		}
		times, err := count.Eval(nil)
		if err != nil {
			t.Fatal(err)
		}
		runs, _ := times.Float64()
		v := ops.Visitor{Kernel: k, Found: func(_ string, t expr.DType, n int64) {
			if t.IsFloat() {
				sum += float64(n) * runs
			}
		}}
		for _, x := range k.Statements {
			if x.ID != s.Name {
				continue
			}
			if err := v.Visit(x.RHS); err != nil {
				t.Fatal(err)
			}
		}
	}
	return sum
}

// stepsOf are the launches of a program with one for each step that others wait for: the loops of work-groups are the host's, and no launch has several steps of a stencil.
func stepsOf(t *testing.T, p *Program, at map[string]int64) int {
	t.Helper()
	n, tree := p.inSteps()
	q, err := compileTree(n, tree, Options{Sizes: at, Map: func(f Form) Mapping {
		m := Default(f)
		m.Steps, m.Parts = 0, 1
		return m
	}})
	if err != nil {
		t.Fatal(err)
	}
	runs, err := q.Plan(at)
	if err != nil {
		t.Fatal(err)
	}
	return len(runs)
}

// TestRoofs: docs/howto/c-loops.md has the roofs of all examples on an H200, and how far from them the recorded times are. LONG=1 looks at all nests, and with UPDATE=1 writes the table.
func TestRoofs(t *testing.T) {
	const page, head = "../../docs/howto/c-loops.md", "| nest | bytes | operations | steps | roof | binds | launches | time | over the roof |\n|---|---|---|---|---|---|---|---|---|\n"
	have, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	var ratios []float64
	add := func(name string, n *scop.Nest, r *samples.Record) {
		x := roofOf(t, n, made(t, n, r), r)
		ratio := r.Summary.Median / x.seconds[x.binds]
		if ratio < 0.9 && x.binds != "steps" { // of which one launch may have several
			t.Errorf("%s takes %s, which is below its roof of %s by %s", name, format.Seconds(r.Summary.Median), format.Seconds(x.seconds[x.binds]), x.binds)
		}
		ratios = append(ratios, ratio)
		row := fmt.Sprintf("| `%s` | %s | %s | %d | %s | %s | %d | %s | %.1f |\n", name, format.Rough(x.bytes, "B"), format.Rough(x.operations, "op"), x.steps,
			format.Rough(x.seconds[x.binds], "s"), x.binds, launchesIn(r), format.Seconds(r.Summary.Median), ratio)
		if rows = append(rows, row); os.Getenv("UPDATE") == "" && !strings.Contains(string(have), row) {
			t.Errorf("%s has not: %s", page, row)
		}
	}
	for i, set := range []struct {
		file, folder string
		nest         func(*testing.T, string) *scop.Nest
	}{
		{"scop_defaults", "polybench", func(t *testing.T, file string) *scop.Nest {
			return measured(t, strings.TrimSuffix(filepath.Base(file), ".c"))
		}},
		{"scop_further", "nests", further},
	} {
		recorded, err := samples.Load("../../testdata/h200/" + set.file + ".jsonl.gz")
		if err != nil {
			t.Fatal(err)
		}
		defer recorded.Close()
		files, err := filepath.Glob("../../examples/" + set.folder + "/*.c")
		if err != nil || len(files) != []int{30, 15}[i] {
			t.Fatalf("%d files, %v", len(files), err)
		}
		for j, file := range files {
			if os.Getenv("LONG") == "" && j%10 != 3 {
				continue
			}
			n := set.nest(t, file)
			add(strings.TrimSuffix(filepath.Base(file), ".c"), n, recordOf(t, recorded, n.Name))
		}
	}
	if os.Getenv("LONG") == "" {
		return
	}
	slices.Sort(ratios)
	logs := 0.0
	for _, x := range ratios {
		logs += math.Log(x)
	}
	text := head + strings.Join(rows, "") + fmt.Sprintf("\nIn the geometric mean the %d nests take %.1f times their roofs, in the median %.1f times.\n", len(ratios), math.Exp(logs/float64(len(ratios))), ratios[len(ratios)/2])
	before, rest, ok := strings.Cut(string(have), head)
	_, after, ok2 := strings.Cut(rest, "times their roofs, in the median")
	_, after, ok3 := strings.Cut(after, "\n")
	switch {
	case strings.Contains(string(have), text):
	case !ok || !ok2 || !ok3 || os.Getenv("UPDATE") == "":
		t.Fatalf("%s has another table (UPDATE=1 writes it):\n%s", page, text)
	default:
		if err := os.WriteFile(page, []byte(before+text+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
