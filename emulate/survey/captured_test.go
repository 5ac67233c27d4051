package survey

import (
	"archive/tar"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/emulate/launches"
)

// unpacked is a folder with what perf app has left of an application of testdata/h200/captured on an H200.
func unpacked(t *testing.T, name string) (folder string) {
	t.Helper()
	file, err := os.Open("../../testdata/h200/captured/" + name + ".tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	for files := tar.NewReader(packed); ; {
		head, err := files.Next()
		if errors.Is(err, io.EOF) {
			return folder
		}
		var text []byte
		if err == nil {
			text, err = io.ReadAll(files)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, head.Name), text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestCaptured: the tables of applications that were captured on an H200, without a GPU and without a disassembler: what they took there beside what is
// predicted.
func TestCaptured(t *testing.T) {
	device, err := facts.Sheet("NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	for _, c := range []struct {
		name      string
		kinds     int
		launches  int64
		half      int     // launch files that are off by over half, at most
		sum, mean float64 // how far the sum and, in the geometric mean, launch files may be off
		lasts     bool
	}{
		{"solver", 7, 86, 1, 0.25, 0.25, false},
		{"graph", 12, 66, 2, 0.35, 0.3, false},
		{"particles", 8, 57, 1, 0.2, 0.15, false},
		{"textures", 6, 30, 6, 0.45, 0.2, false}, // bounds count as off
		{"dense", 7, 62, 0, 0.3, 0.15, true},
		{"chains", 72, 720, 0, 0.08, 0.06, false},
		{"alone", 85, 1260, 0, 0.03, 0.075, true},
		{"layers", 27, 164, 0, 0.1, 0.07, true},
		{"jaxed", 28, 854, 4, 0.1, 0.15, true},
		{"windows", 27, 270, 1, 0.25, 0.1, true},
		{"values", 23, 196, 0, 0.1, 0.08, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.lasts && os.Getenv("LONG") == "" {
				t.Skip("LONG=1 runs it")
			}
			s, err := Folder(t.Context(), unpacked(t, c.name), Options{Each: launches.Options{Device: device}})
			if err != nil {
				t.Fatal(err)
			}
			var table strings.Builder
			if err := s.Write(&table); err != nil {
				t.Fatal(err)
			}
			t.Logf("\n%s", &table)
			e := s.Errors()
			if len(s.Failed) > 0 || e.Kinds != c.kinds || e.Launches != c.launches {
				t.Errorf("%d launch files of %d launches, %d left out", e.Kinds, e.Launches, len(s.Failed))
			}
			if off := e.Predicted/e.Measured - 1; off > c.sum || off < -c.sum || e.Geometric > c.mean || e.Half > c.half {
				t.Errorf("the sum is off by %.1f %%, launch files by %.1f %% in the geometric mean, %d by over half", 100*off, 100*e.Geometric, e.Half)
			}
		})
	}
}

// TestUnrecorded: what records of applications leave out of launches of few work-groups is the median of what short launches are emulated as longer.
func TestUnrecorded(t *testing.T) {
	file, err := os.Open("../../testdata/h200/captured/short.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var longer []float64
	for _, row := range rows[1:] {
		recorded, err1 := strconv.ParseFloat(row[3], 64)
		emulated, err2 := strconv.ParseFloat(row[4], 64)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		longer = append(longer, emulated-recorded)
	}
	slices.Sort(longer)
	device, err := facts.Sheet("NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := device.Value(facts.UnrecordedCycles)/device.Value(facts.ClockMHz), longer[len(longer)/2]; math.Abs(got-want) > 0.02 {
		t.Errorf("%.3f us, and the median is %.3f", got, want)
	}
}
