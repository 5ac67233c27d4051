package launches

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/emulate"
	"gpuperf/lift/explore"
	"gpuperf/samples"
)

const matmul = "../../examples/launch/matmul-sass.yaml"

func sheet(t testing.TB) *facts.Device {
	t.Helper()
	d, err := facts.Sheet("NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// report emulates a sequence by its own code, or by that of a file.
func report(t testing.TB, s *Sequence, code string, sensitivity bool) *Report {
	t.Helper()
	l, err := s.Listing(context.Background(), code, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(t.Context(), l, Options{Device: sheet(t), Sensitivity: sensitivity})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func run(t testing.TB, path string, sizes map[string]int64, sensitivity bool) *Report {
	t.Helper()
	s, err := Load(path, sizes)
	if err != nil {
		t.Fatal(err)
	}
	return report(t, s, "", sensitivity)
}

// write writes a launch file for the listing of testdata/sass with a name, and returns its path.
func write(t testing.TB, listing, text string) string {
	t.Helper()
	folder := t.TempDir()
	code, err := filepath.Abs("../../testdata/sass/" + listing)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "launch.yaml")
	if err := os.WriteFile(path, []byte("version: 1\nlisting: "+code+"\n"+text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// The work of a product of matrices grows with the third power of its size, that of emulation does not.
func TestSizes(t *testing.T) {
	small, large := run(t, matmul, map[string]int64{"n": 2048}, false), run(t, matmul, map[string]int64{"n": 16384}, false)
	if ratio := large.Seconds() / small.Seconds(); ratio < 430 || ratio > 620 {
		t.Errorf("512 times the work takes %g times as long", ratio)
	}
	if s, l := small.Launches[0].Effort, large.Launches[0].Effort; l.Steps > 2*s.Steps || l.Issued > 400_000 {
		t.Errorf("%+v and %+v", s, l)
	}
}

// A result names what binds, and prints it.
func TestResult(t *testing.T) {
	r := run(t, matmul, map[string]int64{"n": 512}, true)
	var out bytes.Buffer
	if err := Write(&out, []*Report{r, r}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"bottleneck", "limited by grid", "LDS", "█"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
	if l := r.Launches[0]; l.Bottleneck.Kind != emulate.Throughput || len(l.Doubts) > 0 || l.Blocks != 8 {
		t.Errorf("%+v", r)
	}
}

// What a launch file assumes of the second-level cache counts more than what is derived.
func TestRegion(t *testing.T) {
	text, err := os.ReadFile(matmul)
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ = bytes.Cut(text, []byte("kernel:"))
	var seconds [3]float64
	for i, assume := range []string{"", "assume: [{region: \"0x230-0x250\", l2_hit: 1}]\n", "assume: [{region: \"0x230-0x250\", l2_hit: 0}]\n"} {
		seconds[i] = run(t, write(t, "matmul.sass", "kernel:"+string(text)+assume), map[string]int64{"n": 256}, false).Seconds()
	}
	if seconds[1] != seconds[0] || seconds[2] < 1.2*seconds[0] {
		t.Error("seconds without assumptions, with all and none from L2:", seconds)
	}
}

// Of a sequence, launches that are alike are emulated once, and their times are added up.
func TestSequence(t *testing.T) {
	text := `kernel: matmul
sizes: {n: 256}
grid: [n / 16, n / 16]
block: [16, 16]
resources: {registers: 24, shared: 2112}
sequence:
  - {repeat: 5, args: [{int32: n}, {buffer: a, dtype: float32, size: n * n}, {buffer: b, dtype: float32, size: n * n}, {buffer: c, dtype: float32, size: n * n}]}
  - {grid: [n / 32, n / 16], args: [{int32: n / 2}, {buffer: a}, {buffer: b}, {buffer: c}]}
`
	r := run(t, write(t, "matmul.sass", text), nil, false)
	// The second launch finds the result of the first, which nobody knows; the others are as the second.
	if len(r.Launches) != 3 || r.Launches[0].Times != 1 || r.Launches[1].Times != 4 || r.Launches[2].Times != 1 {
		t.Fatalf("%+v", r.Launches)
	}
	if got, want := r.Seconds(), 5*r.Launches[0].Result.Seconds+r.Launches[2].Result.Seconds; got < 0.999*want || got > 1.001*want {
		t.Error(got, "seconds, want", want)
	}
	if w := r.Launches[0].Written; len(w) != 1 || w[0] != "c" {
		t.Error("written:", w)
	}
	var out bytes.Buffer
	if err := Write(&out, []*Report{r}); err != nil || !strings.Contains(out.String(), "for 6 launches") {
		t.Error(err, &out)
	}
}

// What an earlier launch has written is not known any more, unlike what buffers start with.
func TestOverwritten(t *testing.T) {
	text := `kernel: collatz
grid: [64]
block: [128]
resources: {registers: 20}
sequence:
  - args: [{int32: 8192}, {int32: 1}, {buffer: start, dtype: int32, size: 8192}, {buffer: length, dtype: int32, size: 8192}]
  - args: [{int32: 8192}, {int32: 1}, {buffer: length}, {buffer: start}]
`
	r := run(t, write(t, "branch.sass", text), nil, false)
	if len(r.Launches) != 2 || len(r.Launches[0].Doubts) != 0 || len(r.Launches[1].Doubts) == 0 {
		var out bytes.Buffer
		t.Errorf("%v\n%s", Write(&out, []*Report{r}), &out)
	}
}

// A program of Lift is a sequence. Its machine code was recorded: perf sass examples/lift/dot.lift -p n=1M --count 5 --arch sm_90 -o dot.cubin.
func TestProgram(t *testing.T) {
	s, err := explore.Request{Sizes: map[string]int64{"n": 1 << 20}, Variants: 5, Ranges: 10, Seed: 1}.Open(
		"../../examples/lift/dot.lift", &device.Info{Fingerprint: samples.Fingerprint{Interface: samples.CUDA}})
	if err != nil {
		t.Fatal(err)
	}
	ref, err := s.Reference()
	if err != nil {
		t.Fatal(err)
	}
	job, _, err := s.Launch(&explore.Point{Variant: ref.Variant})
	if err != nil {
		t.Fatal(err)
	}
	r := report(t, Of(job), "testdata/dot.sass", false)
	if len(r.Launches) != 2 || r.Launches[0].Kernel != "dot_0" || r.Launches[1].Kernel != "dot_1" {
		t.Errorf("%+v", r.Launches)
	}
}

func BenchmarkMatmul(b *testing.B) {
	for b.Loop() {
		r := run(b, matmul, nil, false).Launches[0]
		b.ReportMetric(float64(r.Effort.Steps), "steps")
		b.ReportMetric(float64(r.Effort.Issued), "timed")
	}
}

// What the time depends on in the parts of a region adds up to about what it does in the region, and parts do not overlap.
func TestRegions(t *testing.T) {
	s, err := Load(matmul, map[string]int64{"n": 256})
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Listing(context.Background(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	report, err := s.Run(t.Context(), l, Options{Device: sheet(t), Sensitivity: true, Regions: true, Advice: true})
	if err != nil {
		t.Fatal(err)
	}
	r := report.Launches[0].Result
	if len(r.Regions) == 0 || len(r.Regions[0].Inside) == 0 || len(r.Advice) == 0 {
		t.Fatalf("%d regions, %d pieces of advice", len(r.Regions), len(r.Advice))
	}
	var check func(list []*emulate.Region, whole float64, values []emulate.Sensitivity)
	check = func(list []*emulate.Region, whole float64, values []emulate.Sensitivity) {
		part := 0.0
		sums := make([]float64, len(list[0].Sensitivity))
		for _, g := range list {
			part += g.Part
			for i, s := range g.Sensitivity {
				sums[i] += s.Value
			}
			if g.Inside != nil && g.Inside[0].Kind != "line" {
				check(g.Inside, g.Part, g.Sensitivity)
			}
		}
		if part > whole+0.001 {
			t.Errorf("parts of a region take %.2f of the time, the region %.2f", part, whole)
		}
		for i, v := range values {
			if sums[i] < v.Value-0.35 || sums[i] > v.Value+0.35 {
				t.Errorf("%s: %.2f in the parts, %.2f in the region", v.Name(), sums[i], v.Value)
			}
		}
	}
	check(r.Regions, 1, nil)
	for _, a := range r.Advice {
		if a.Confirmed != (a.Gain >= 1.05) || a.Text == "" {
			t.Errorf("%+v", a)
		}
	}
}
