package bench

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/emulate"
	"gpuperf/internal/campaign"
	"gpuperf/samples"
	"gpuperf/sass"
)

const multiprocessors = 132

// listing is the machine code of the kernels that was recorded. With LISTING it is another.
func listing(t *testing.T) map[string]*sass.Function {
	t.Helper()
	path := os.Getenv("LISTING")
	if path == "" {
		path = recorded + ".sass.gz"
	}
	all, err := Functions(path)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func h200(t *testing.T) *facts.Device {
	t.Helper()
	d, err := facts.Sheet("NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestMeasured: the machine code of each measurement has what is measured, and that of another operation is refused.
func TestMeasured(t *testing.T) {
	functions := listing(t)
	seen := map[string]bool{}
	for _, m := range Measurements(multiprocessors) {
		if seen[m.Key()] {
			t.Errorf("%s stands twice", m.Key())
		}
		seen[m.Key()] = true
		f := functions[m.kernel]
		if f == nil {
			t.Errorf("%s has no kernel", m.Key())
			continue
		}
		if err := m.check(f); err != nil {
			t.Error(err)
		}
		if err := m.check(functions["empty"]); len(m.holds) > 0 && err == nil {
			t.Errorf("%s would measure nothing", m.Key())
		}
	}
}

// quick are the facts of a test that is to take little time; LONG=1 has all.
var quick = []facts.Key{
	facts.ALULatency, facts.XULatency, facts.XUGap, facts.ConvertLatency, facts.ReduceLatency, facts.SharedLatency, facts.SharedAtomicGap, facts.ConstantLatency,
	facts.BarrierLatency, facts.JumpLatency,
}

// TestSynthetic: from what the emulator says of the measurements on a device with known facts, these come back, whatever they are. ONLY=constant_ names those of a LONG run by how they begin.
func TestSynthetic(t *testing.T) {
	all := rules
	defer func() { rules = all }()
	if os.Getenv("LONG") == "" {
		rules = slices.DeleteFunc(slices.Clone(all), func(r rule) bool { return !slices.Contains(quick, r.key) })
	} else if only := os.Getenv("ONLY"); only != "" {
		rules = slices.DeleteFunc(slices.Clone(all), func(r rule) bool { return !strings.HasPrefix(string(r.key), only) })
	}
	functions := listing(t)
	base := h200(t)
	known := base
	for i, r := range rules {
		if v := base.Value(r.key); r.cycles && v > 0 {
			known = known.With(r.key, math.Round(4*v*(1.1+0.05*float64(i%5)))/4, "the test")
		}
	}
	for k, v := range otherConstants {
		known = known.With(k, v, "the test")
	}
	by := map[string]*Measurement{}
	for _, m := range Measurements(multiprocessors) {
		by[m.Key()] = m
	}
	n := (&Numbers{told: map[string]float64{}, Clock: 1.98e9, Multiprocessors: multiprocessors, subPartitions: 4, constants: known.Value(facts.ConstantBytes)}).emulated(t.Context(), by, known, functions, func(r *rule) bool { return !r.plain })
	n.constants, _, _ = constantBytes(n)
	found, missing := Fit(n)
	refined := Refine(t.Context(), n, found, base, functions)
	for _, r := range rules {
		f, ok := refined[r.key]
		if !ok || r.key == facts.LaunchSeconds {
			continue
		}
		want := known.Value(r.key)
		t.Logf("%-24s %8.4g by its rule, %8.4g corrected, is %8.4g", r.key, found[r.key].Value, f.Value, want)
		if math.Abs(f.Value-want) > 0.03*want && !slices.Contains(loose, r.key) {
			t.Errorf("%s is found as %.5g and is %.5g", r.key, f.Value, want)
		}
	}
	t.Log("not emulated:", missing)
}

// otherConstants are caches of constants that no device is known to have.
var otherConstants = map[facts.Key]float64{facts.ConstantBytes: 4096, facts.ConstantWays: 8, facts.ConstantSecondLine: 512, facts.ConstantShared: 0.02}

// loose are facts that other facts hide on the emulator: their measurements do not depend on them alone. Of a device with other facts they are found up to a third away.
var loose = []facts.Key{facts.DRAMWriteRate, facts.ReduceGap, facts.TensorGap, facts.ReductionSectors, facts.L2PortBytesPerClock, facts.ConstantShared, facts.SharedGap}

// fake is a device that answers with times of a fixed length.
type fake struct {
	runs int
	info device.Info
}

func (f *fake) Info() device.Info { return f.info }
func (f *fake) Close() error      { return nil }

func (f *fake) Run(ctx context.Context, job device.Job) (*device.Result, error) {
	if f.runs++; f.runs == 200 {
		return nil, device.Errorf(samples.Interrupted, "stopped")
	}
	t := make([]byte, 8*words)
	for i := 1; i < words; i += 2 {
		binary.LittleEndian.PutUint64(t[8*i:], 100_000)
	}
	return &device.Result{Trials: []float64{float64(len(job.Then)+1) * 1e-5}, Outputs: map[string][]byte{"t": t}}, nil
}

// TestCalibrate: a calibration that was stopped goes on where it was; the sheet that it writes is one that the emulator takes.
func TestCalibrate(t *testing.T) {
	dir := t.TempDir()
	journal, err := samples.Open(filepath.Join(dir, "h200.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	dev := &fake{info: device.Info{Fingerprint: samples.Fingerprint{
		Name: "NVIDIA H200", Platform: "CUDA", Interface: samples.CUDA, Type: "gpu", ComputeUnits: multiprocessors, ClockMHz: 1980, Architecture: "sm_90",
		GlobalMem: 140 << 30, MaxAlloc: 140 << 30, MaxWorkGroup: 1024,
	}}}
	c := campaign.New(dev, journal, campaign.Options{Samples: journal.Path})
	refuse := func(device.Job, string) ([]byte, error) {
		return nil, device.Errorf(samples.BuildFailed, "there is no compiler")
	}
	if _, err := Calibrate(t.Context(), c, refuse); err != nil {
		t.Fatal(err)
	}
	if dev.runs > 0 {
		t.Errorf("%d kernels run that no one has seen the machine code of", dev.runs)
	}
	// without code, for the rest of the test
	tasks := Tasks(Measurements(multiprocessors), nil)
	if _, err := c.Again(t.Context(), tasks); err == nil || dev.runs != 200 {
		t.Fatalf("%d runs, %v", dev.runs, err)
	}
	records, err := c.Again(t.Context(), tasks)
	if err != nil {
		t.Fatal(err)
	}
	calibrated := Of(records, dev.info.Fingerprint)
	path := filepath.Join(dir, "sheet.yaml")
	for range 2 { // the second time in the place of the first
		if err := calibrated.Save(path); err != nil {
			t.Fatal(err)
		}
	}
	source := filepath.Join(dir, "k.cu")
	if err := os.WriteFile(source, []byte("__global__ void k() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := calibrated.Save(source); err == nil {
		t.Error("a source was replaced")
	}
	d, err := facts.Sheet(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Need(emulate.Facts()...); err != nil {
		t.Error(err)
	}
	f, _ := d.Fact(facts.SharedLatency)
	if want := rounded(100_000. / (inner * innerTurns)); f.Value != want || !strings.Contains(f.Source, "LDS") {
		t.Errorf("the sheet says %+v of LDS, want %v", f, want)
	}
	var b strings.Builder
	if err := calibrated.Write(&b); err != nil || !strings.Contains(b.String(), "shared_latency") {
		t.Errorf("%v\n%s", err, b.String())
	}
	dev.info.Interface = samples.OpenCL
	if _, err := Calibrate(t.Context(), c, refuse); err == nil || !strings.Contains(err.Error(), "CUDA") {
		t.Errorf("a device of OpenCL: %v", err)
	}
}

// TestFunctions: what is no listing is an error.
func TestFunctions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.sass.gz")
	if _, err := Functions(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Functions(path); err == nil {
		t.Error("a file that is not packed is read")
	}
}
