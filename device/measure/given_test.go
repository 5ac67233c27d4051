package measure

import (
	"testing"

	"gpuperf/device"
	"gpuperf/samples"
)

// A sample whose results were compared with what a user gave says nothing about other results: neither that they are right nor that they are wrong.
func TestComparedOtherwise(t *testing.T) {
	given := func(file string) *device.Expect {
		return &device.Expect{Given: []device.Arg{{Name: "out"}}, Job: device.Job{Identity: samples.Identity{Source: file}}}
	}
	verified := samples.Record{Status: samples.OK, Verified: []samples.Comparison{{Reference: "a.npy"}}}
	wrong := samples.Record{Status: samples.WrongResult, Unverified: againstGiven(given("a.npy"))}
	truly := samples.Record{Status: samples.WrongResult} // by a kernel
	kernel := &device.Expect{}
	for i, c := range []struct {
		expect *device.Expect
		record samples.Record
		want   bool
	}{
		{given("a.npy"), verified, false},
		{given("b.npy"), verified, true},
		{kernel, verified, false},
		{nil, verified, false},
		{given("a.npy"), wrong, false},
		{given("b.npy"), wrong, true},
		{kernel, wrong, true},
		{nil, wrong, false},
		{kernel, truly, false},
		{given("a.npy"), truly, true},
		{given("a.npy"), samples.Record{Status: samples.Crash}, false},
	} {
		if got := comparedOtherwise(device.Job{Expect: c.expect}, c.record); got != c.want {
			t.Errorf("%d: %v", i, got)
		}
		if comparedOtherwise(device.Job{Expect: c.expect, Content: "all of it"}, c.record) {
			t.Errorf("%d: the content of a job covers what it expects", i)
		}
	}
}
