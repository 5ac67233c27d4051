package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"gpuperf/internal/evaluate"
	"gpuperf/samples"
)

// replayJSON runs a command, and reads the JSON that it prints.
func replayJSON(t *testing.T, into any, args ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if status := run(t.Context(), append(args, "--json"), strings.NewReader(""), &stdout, &stderr); status != exitDone {
		t.Fatalf("perf %s: status %d\n%s", strings.Join(args, " "), status, &stderr)
	}
	if err := json.Unmarshal(stdout.Bytes(), into); err != nil {
		t.Fatal(err)
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

// TestLiftReplays runs variants of 3-D stencils from their recordings, as the README of the recordings says: with LONG=1 both.
func TestLiftReplays(t *testing.T) {
	for i, c := range []struct {
		file, program, sizes, variant, local, global string
		seconds                                      float64
	}{
		{"lift_3d_variants", "hotspot3d", "d=8,h=512,w=512", "9f3baa434955", "128x1x4", "512x1x512", 8.736e-6},
		{"lift_3d_search", "heat3d", "d=514,h=514,w=514", "00545a428645", "256", "512x128x256", 339.6e-6},
	} {
		if i > 0 && os.Getenv("LONG") == "" {
			break
		}
		var r samples.Record
		replayJSON(t, &r, "lift", "run", "../../examples/lift/"+c.program+".lift", "-s", c.sizes, "--variant", c.variant, "--local", c.local,
			"--global", c.global, "--device", "replay:../../testdata/h200/"+c.file+".jsonl.gz")
		if r.Status != samples.OK || math.Abs(r.Seconds()/c.seconds-1) > 1e-3 {
			t.Errorf("%s: %s, %g s", c.program, r.Status, r.Seconds())
		}
	}
}
