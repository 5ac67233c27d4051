package profiles_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gpuperf/calibrate"
	"gpuperf/calibrate/profiles"
)

// TestLoad: who changes a profile does not change what others get.
func TestLoad(t *testing.T) {
	text, err := profiles.All.Text("h200")
	if err != nil {
		t.Fatal(err)
	}
	want, err := calibrate.ParseProfile("h200.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		p, err := profiles.Load("h200")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, p, cmpopts.EquateNaNs(), cmpopts.EquateErrors()); diff != "" {
			t.Fatal(diff)
		}
		for _, r := range p.Roof {
			r.Rate *= 2
			p.Reach(r)
		}
		other := p.Models[0]
		other.Fit.Residual = 7
		p.Put(other)
		p.LeaveOut(func(calibrate.Calibration) error { return errors.New("left out") })
		p.Device.Name = "other"
	}
}
