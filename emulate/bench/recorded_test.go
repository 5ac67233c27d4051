package bench

import (
	"bytes"
	"fmt"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/emulate"
	"gpuperf/internal/golden"
	"gpuperf/samples"
)

const recorded = "../../testdata/h200/emulator"

// TestRecorded: what rules make of the recording of an H200 is what testdata/h200.txt lists, beside the data sheet that comes with the program; the
// machine code that was measured has what is measured, and the sheet that was corrected is one that the emulator takes. UPDATE=1 writes the list.
func TestRecorded(t *testing.T) {
	set, err := samples.Load(recorded + ".jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	info, _ := set.Device()
	var records []samples.Record
	functions, err := Functions(recorded + ".sass.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range Measurements(info.ComputeUnits) {
		want := m.job().Record()
		r, found, err := set.Find(want)
		if err != nil {
			t.Fatal(err)
		}
		if found != samples.Fresh || r.Status != samples.OK {
			t.Errorf("%s: %v %s", m.Key(), found, r.Status)
			continue
		}
		records = append(records, r)
		if err := m.check(functions[m.kernel]); err != nil {
			t.Error(err)
		}
	}
	c := Of(records, info)
	if len(c.Missing) > 0 {
		t.Errorf("%v are not measured", c.Missing)
	}
	sheet, err := facts.Sheet(recorded + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := sheet.Need(emulate.Facts()...); err != nil {
		t.Error(err)
	}
	var got bytes.Buffer
	fmt.Fprintln(&got, "fact: by its rule, corrected by emulation")
	for _, r := range rules {
		if !sheet.Known(r.key) {
			t.Errorf("%s.yaml lacks %s", recorded, r.key)
		}
		fmt.Fprintf(&got, "%s: %.4g, %.4g\n", r.key, c.Facts[r.key].Value, sheet.Value(r.key))
	}
	golden.Check(t, "testdata/h200.txt", got.String())
}

// TestScattered: a sub-group whose lanes load constants at random places of 16 KB takes as long as was recorded: it waits for one line after the other.
func TestScattered(t *testing.T) {
	set, err := samples.Load(recorded + ".jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	functions := listing(t)
	for _, m := range ofConstants(multiprocessors) {
		if m.kernel != "constant_random" || m.Blocks > 1 || m.Varies["words"] != 16*constantKB {
			continue
		}
		r, _, err := set.Find(m.job().Record())
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Emulated(functions[m.kernel], h200(t))
		if want := r.Metrics["cycles"].Value; err != nil || got < 0.9*want || got > 1.1*want {
			t.Errorf("%s: %.0f cycles, want %.0f; %v", m.Key(), got, want, err)
		}
	}
}
