package offload

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuperf/cfront"
	"gpuperf/device"
	"gpuperf/device/devicetest"
	"gpuperf/kernel/expr"
	"gpuperf/samples"
	"gpuperf/scop"
)

// TestJudged: runs of the examples on the device are compared with the interpretation of their text, whatever their recurrences do to the bounds of
// rounding errors. LONG=1 takes all of them.
func TestJudged(t *testing.T) {
	files, err := filepath.Glob("../../examples/polybench/*.c")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	dev := devicetest.Open(t)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".c")
		if os.Getenv("LONG") == "" && !slices.Contains([]string{"durbin", "jacobi-1d"}, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			nests, err := scop.Load(t.Context(), file, cfront.Options{})
			if err != nil {
				t.Fatal(err)
			}
			at := map[string]int64{}
			for i, p := range nests[0].Params {
				at[p] = 24 - 3*int64(i)
			}
			all, err := RunAll(t.Context(), dev, nests, at, RunOptions{})
			if err != nil {
				t.Fatal(err)
			}
			r := all[0]
			vague := 0
			for _, a := range r.Arrays {
				vague += a.Vague
			}
			if !r.Verified || vague > 100 { // of some hundred; those of gramschmidt that are nothing but rounding
				t.Errorf("%s: %s; %d elements are not compared", r.Scop, r.Why, vague)
			}
		})
	}
}

// TestCompared: sizes that are too large to interpret are interpreted at smaller ones, and compared with plainer kernels.
func TestCompared(t *testing.T) {
	dev := devicetest.Open(t)
	nests, err := scop.Load(t.Context(), "../../examples/polybench/jacobi-1d.c", cfront.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := RunAll(t.Context(), dev, nests, map[string]int64{"tsteps": 100, "n": 8000}, RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r := all[0]; r.Verified || r.VerifiedAt["n"] >= 8000 || !r.Compared || !r.Valid() {
		t.Errorf("%+v", r)
	}
}

// watched is a device that notes what results are compared with, and finds them wrong if it is told to.
type watched struct {
	device.Device
	with, kept map[string]bool // the sources of the reference, and of jobs that return results of a comparison
	wrong      bool
}

func (a *watched) Run(ctx context.Context, job device.Job) (*device.Result, error) {
	if job.Expect != nil {
		a.with[job.Expect.Job.Source] = true
		if len(job.Keep) > 0 {
			a.kept[job.Source] = true
		}
		if a.wrong && job.Expect.Tolerance >= tolerances[expr.Float64] { // what rounding does is less
			return nil, device.Errorf(samples.WrongResult, "it differs")
		}
	}
	return a.Device.Run(ctx, job)
}

// TestComparedWithTheSame: configurations of a space are compared with the same results, which are looked into once. One that differs has a time, and says so.
func TestComparedWithTheSame(t *testing.T) {
	dev := &watched{Device: devicetest.Open(t), with: map[string]bool{}, kept: map[string]bool{}}
	nests, err := scop.Load(t.Context(), "../../examples/polybench/jacobi-1d.c", cfront.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int64{"tsteps": 100, "n": 8000}
	s, err := NewSpace(t.Context(), nests[0], Options{Sizes: at}, ByHyperplanes)
	if err != nil {
		t.Fatal(err)
	}
	draw := random(t, s, 1)
	sources := map[string]bool{}
	for len(sources) < 3 {
		p, err := s.Program(draw())
		if err != nil {
			continue
		}
		made, err := p.Prepare(at, dev.Info())
		if err != nil {
			t.Fatal(err)
		}
		sources[made.Job.Source] = true
		dev.wrong = len(sources) == 3
		result, err := made.Run(t.Context(), dev, device.Policy{Trials: 1, MinWarmUp: -1, MaxWarmUp: 1})
		if err != nil || result.Compared == dev.wrong || result.Differs != dev.wrong || result.Seconds <= 0 || result.Record == nil || result.VerifiedAt == nil {
			t.Errorf("%+v, %v", result, err)
		}
	}
	if len(dev.with) != 1 || len(dev.kept) != 1 {
		t.Errorf("compared with %d programs, and %d have returned results", len(dev.with), len(dev.kept))
	}
}

// TestRounded: where rounding alone changes results by more than a comparison allows, there is none, and no suspicion either.
func TestRounded(t *testing.T) {
	if os.Getenv("LONG") == "" {
		t.Skip("LONG=1 runs it")
	}
	dev := devicetest.Open(t)
	all, err := RunAll(t.Context(), dev, []*scop.Nest{measured(t, "ludcmp")}, map[string]int64{"n": 200}, RunOptions{Trials: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r := all[0]; r.Differs || r.Compared || !strings.Contains(r.Why, "rounding alone") {
		t.Errorf("%+v", r)
	}
}

// TestManyLaunches: programs of a space that would take very many launches are refused before these are listed.
func TestManyLaunches(t *testing.T) {
	nests, err := scop.Load(t.Context(), "../../examples/polybench/floyd-warshall.c", cfront.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Find(t.Context(), nests[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	p.most = 100
	if runs, err := p.Plan(map[string]int64{"n": 10}); err != nil || len(runs) != 62 {
		t.Errorf("%d launches, %v", len(runs), err)
	}
	_, err = p.Plan(map[string]int64{"n": 100})
	if verdict, ok := device.AsError(err); !ok || verdict.Status != samples.Refused || !strings.Contains(verdict.Msg, "more than 100 launches") {
		t.Error(err)
	}
}
