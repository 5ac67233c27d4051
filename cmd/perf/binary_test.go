package main

import (
	"strings"
	"testing"

	"gpuperf/evaluate"
)

// TestWithTheBinaryOnTheH200 holds what docs/evaluation.md says of predictions whose instructions are counted in machine code: two rows, of
// which that with the binary is no worse on the kernels that its form was chosen on.
func TestWithTheBinaryOnTheH200(t *testing.T) {
	t.Parallel()
	var report evaluate.Report
	replayJSON(t, &report, "evaluate", "../../examples/evaluation/choose.yaml", "--profile", "h200", "--replay", "../../testdata/h200/general.jsonl.gz")
	if len(report.Rows) != 2 || report.Rows[0].Counts != evaluate.FromIR || report.Rows[1].Counts != evaluate.FromBinary {
		t.Fatalf("rows %+v", report.Rows)
	}
	ir, binary := report.Rows[0], report.Rows[1]
	if ir.Points != 495 || binary.Points != 495 || ir.GeomeanRelativeError != report.GeomeanRelativeError {
		t.Errorf("%d points from the IR, %d with the binary; geometric means %g and %g", ir.Points, binary.Points, ir.GeomeanRelativeError, report.GeomeanRelativeError)
	}
	if binary.GeomeanRelativeError > 0.05 || binary.Mean > 0.095 || binary.Worst > 0.8 || float64(binary.Choice.Apart.Right) < 0.94*float64(binary.Choice.Apart.Of) {
		t.Errorf("with the binary: geometric mean %.4f, mean %.4f, worst %.4f, %d of %d pairs", binary.GeomeanRelativeError, binary.Mean, binary.Worst, binary.Choice.Apart.Right, binary.Choice.Apart.Of)
	}
	after := 0
	for reason, n := range binary.FromIR {
		if after += n; reason == "" {
			t.Errorf("%d points are counted from the IR without a reason", n)
		}
	}
	if after == 0 || after > 45 {
		t.Errorf("%d points are counted from the IR after all: %v", after, binary.FromIR)
	}
}

// TestPredictWithSamples: predict and rank count instructions in the machine code that a samples file holds, of a kernel at other sizes too, and
// say where it holds none.
func TestPredictWithSamples(t *testing.T) {
	t.Parallel()
	const products, recorded = "../../examples/evaluation/general/products.star#square", "../../testdata/h200/general.jsonl.gz"
	predict := func(kernel, sizes string, args ...string) (out struct {
		Counts   string
		Seconds  float64
		Warnings []string
	},
	) {
		replayJSON(t, &out, append([]string{"predict", kernel, "-p", sizes, "--profile", "h200"}, args...)...)
		return out
	}
	for _, size := range []string{"n=1024", "n=4096"} { // the second was not measured
		ir, binary := predict(products, size), predict(products, size, "--binary", recorded)
		if ir.Counts != "" || binary.Counts != evaluate.FromBinary || ir.Seconds == binary.Seconds || len(binary.Warnings) != len(ir.Warnings) {
			t.Errorf("%s: %+v, with samples %+v", size, ir, binary)
		}
	}
	const other = "../../examples/softmax/softmax.star"
	ir, binary := predict(other, "n=65536,m=512"), predict(other, "n=65536,m=512", "--binary", "../../testdata/h200/further.jsonl.gz")
	if binary.Counts != evaluate.FromIR || binary.Seconds != ir.Seconds || !strings.Contains(strings.Join(binary.Warnings, "\n"), "no sample tells of its machine code [no-binary]") {
		t.Errorf("%+v", binary)
	}
	var ranked struct {
		Ranking []struct{ Counts string }
	}
	replayJSON(t, &ranked, "rank", "../../examples/evaluation/general/products.star#square", "-p", "n=1024", "--profile", "h200", "--binary", recorded)
	if len(ranked.Ranking) != 1 || ranked.Ranking[0].Counts != evaluate.FromBinary {
		t.Errorf("%+v", ranked)
	}
}
