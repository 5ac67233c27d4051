package emulate

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const matmul = "../examples/launch/matmul-sass.yaml"

func run(t testing.TB, path string, o Options) *Result {
	t.Helper()
	if o.On == "" {
		o.On = "NVIDIA H200"
	}
	r, err := File(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The work of a product of matrices grows with the third power of its size, that of emulation does not.
func TestSizes(t *testing.T) {
	small, large := run(t, matmul, Options{Sizes: map[string]int64{"n": 2048}}), run(t, matmul, Options{Sizes: map[string]int64{"n": 16384}})
	if ratio := large.Seconds / small.Seconds; ratio < 430 || ratio > 620 {
		t.Errorf("512 times the work takes %g times as long", ratio)
	}
	if large.Work.Steps > 2*small.Work.Steps || large.Work.Issued > 400_000 {
		t.Errorf("%+v and %+v", small.Work, large.Work)
	}
}

// A result names what binds, and prints it.
func TestResult(t *testing.T) {
	r := run(t, matmul, Options{Sizes: map[string]int64{"n": 512}, Sensitivity: true})
	var out bytes.Buffer
	if err := Write(&out, []*Result{r, r}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"bottleneck", "limited by grid", "LDS", "█"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
	if r.Bottleneck.Kind != Throughput || len(r.Doubts) > 0 || r.Blocks != 8 {
		t.Errorf("%+v", r)
	}
}

// What a launch file assumes of the second-level cache counts more than what is derived.
func TestRegion(t *testing.T) {
	var seconds [3]float64
	for i, assume := range []string{"", "assume: [{region: \"0x230-0x250\", l2_hit: 1}]\n", "assume: [{region: \"0x230-0x250\", l2_hit: 0}]\n"} {
		text, err := os.ReadFile(matmul)
		if err != nil {
			t.Fatal(err)
		}
		folder := t.TempDir()
		listing, err := filepath.Abs("../testdata/sass/matmul.sass")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, "launch.yaml")
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), "../../testdata/sass/matmul.sass", listing, 1)+assume), 0o666); err != nil {
			t.Fatal(err)
		}
		r := run(t, path, Options{Sizes: map[string]int64{"n": 256}})
		seconds[i] = r.Seconds
	}
	if seconds[1] != seconds[0] || seconds[2] < 1.2*seconds[0] {
		t.Error("seconds without assumptions, with all and none from L2:", seconds)
	}
}

func BenchmarkMatmul(b *testing.B) {
	for b.Loop() {
		r := run(b, matmul, Options{})
		b.ReportMetric(float64(r.Work.Steps), "steps")
		b.ReportMetric(float64(r.Work.Issued), "timed")
	}
}
