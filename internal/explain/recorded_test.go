package explain

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"gpuperf/features"
	"gpuperf/kernel/script"
	"gpuperf/samples"
	"gpuperf/workload"
)

// skipped are kernels whose work-items do not execute all of their code, nor have loops for that.
var skipped = map[string]string{
	"kernels.star#blur": "the slow ways of the division by 25 are not taken",
}

// TestExecuted: the instructions that follow from the machine code, and from how often its loop runs by our counts, are those that the
// hardware has counted.
func TestExecuted(t *testing.T) {
	built := map[string]*samples.Record{}
	each(t, "interfaces_cuda", func(r *samples.Record) { built[r.Kernel.Source+"#"+r.Kernel.Variant] = r })
	compared := 0
	each(t, "counters", func(r *samples.Record) {
		name := r.Kernel.Source + "#" + r.Kernel.Variant
		b := built[name]
		if b == nil || r.Kernel.Variant == "" {
			return
		}
		record := *b
		record.Global = r.Global
		e := &explainer{Subject: Subject{Case: exampleCase(t, r.Kernel), Lanes: 32, Record: &record}}
		var err error
		if e.statistics, err = e.Case.Statistics(features.Options{SubgroupSize: e.Lanes}); err != nil {
			t.Fatal(err)
		}
		out := &Explanation{}
		if err := e.code(out); err != nil {
			t.Fatal(err)
		}
		if out.Code == nil || out.Code.Executed == 0 {
			return
		}
		subgroups := 1.0 / float64(e.Lanes)
		for _, n := range r.Global {
			subgroups *= float64(n)
		}
		counted := r.Metrics["smsp__inst_executed.sum"].Value / subgroups
		compared++
		if same := math.Abs(out.Code.Executed-counted) < 0.5; same == (skipped[name] != "") {
			t.Errorf("%s %v: %g instructions, and %g are executed", name, r.Kernel.Sizes, out.Code.Executed, counted)
		}
	})
	if compared < 15 {
		t.Errorf("only %d kernels were compared", compared)
	}
}

// each goes through recorded samples.
func each(t *testing.T, file string, do func(*samples.Record)) {
	t.Helper()
	set, err := samples.Load("../../testdata/h200/" + file + ".jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	for r, err := range set.All() {
		if err != nil {
			t.Fatal(err)
		}
		do(r)
	}
}

// exampleCase is a kernel of the examples at sizes.
func exampleCase(t *testing.T, kernel samples.Identity) *workload.Case {
	t.Helper()
	files, err := filepath.Glob("../../examples/*/" + kernel.Source)
	if err != nil || len(files) == 0 {
		files = []string{"../../examples/evaluation/unseen/" + kernel.Source}
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	variants, err := script.Exec(files[0], string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range variants {
		if v.Name == kernel.Variant {
			return &workload.Case{Kernel: workload.NewKernel(v.Kernel), Name: v.Name, Sizes: kernel.Sizes}
		}
	}
	t.Fatalf("%s has no kernel %s", files[0], kernel.Variant)
	return nil
}
