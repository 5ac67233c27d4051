package explore

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"gpuperf/device"
	"gpuperf/launch"
	"gpuperf/lift/derive"
	"gpuperf/samples"
)

// Divisions are as exact as OpenCL C promises, through both interfaces, unless exact ones are asked for; samples and vectors tell which they were, and the
// fastest sample of the other kind is not taken.
func TestAccuracy(t *testing.T) {
	const cheap = "-prec-div=false -prec-sqrt=false"
	for i, c := range []struct {
		face    samples.Interface
		exact   bool
		options string
	}{
		{samples.OpenCL, false, ""},
		{samples.OpenCL, true, "-cl-fp32-correctly-rounded-divide-sqrt"},
		{samples.CUDA, false, cheap},
		{samples.CUDA, true, ""},
	} {
		if i%3 > 0 && os.Getenv("LONG") == "" {
			continue // to derive the reference takes seconds
		}
		s := space(t, "gaussian", map[string]int64{"h": 36, "w": 36}, Options{Variants: 2, Ranges: 1, Interface: c.face, Exact: c.exact})
		p := s.Points[0]
		s.Prepare([]*Point{p}, launch.Options{Device: h200})
		job, err := s.Job(p, device.Policy{})
		if err != nil || job.Options != c.options || p.Vector.Options != c.options {
			t.Fatalf("%+v: options %q, those of the vector %q (%v)", c, job.Options, p.Vector.Options, err)
		}
		r, err := s.Reference()
		if err != nil {
			t.Fatal(err)
		}
		if e, err := r.Expect(); err != nil || e.Job.Options != c.options {
			t.Errorf("%+v: options of the reference %q (%v)", c, e.Job.Options, err)
		}
		path, known := filepath.Join(t.TempDir(), "samples.jsonl"), job.Record()
		sum := samples.Summarize([]float64{1})
		known.Status, known.Trials, known.Summary, known.Time = samples.OK, []float64{1}, &sum, time.Unix(1, 0)
		known.Device = samples.Fingerprint{Interface: c.face, Name: "D", Platform: "P"}
		if err := samples.Add(path, []samples.Record{known}); err != nil {
			t.Fatal(err)
		}
		all := func(*derive.Variant) bool { return true }
		if c, err := s.Recorded([]string{path}, all); err != nil || c.Point == nil || c.Others != 0 {
			t.Errorf("%+v (%v)", c, err)
		}
		s.options.Exact = !c.exact
		if c, err := s.Recorded([]string{path}, all); err != nil || c.Point != nil || c.Others != 1 {
			t.Errorf("of the other kind: %+v (%v)", c, err)
		}
	}
}

// Work-groups that powers of two would leave partly idle have an extent that fits.
func TestFitting(t *testing.T) {
	for _, c := range []struct {
		n    int64
		want []int64
	}{{256, nil}, {257, []int64{288, 96}}, {1025, []int64{352}}, {40, nil}, {0, nil}} {
		got := fitting(c.n, 1024)
		if len(got) != len(c.want) {
			t.Errorf("%d: %v, want %v", c.n, got, c.want)
		}
		for _, l := range got {
			groups := (c.n + l - 1) / l
			for power := int64(64); power <= 1024; power *= 2 {
				if groups*l >= (c.n+power-1)/power*power || l%32 != 0 {
					t.Errorf("%d: groups of %d leave more idle than such of %d", c.n, l, power)
				}
			}
		}
	}
}
