package explore

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/device/devicetest"
	"gpuperf/launch"
)

// npy writes numbers in NumPy's format.
func npy(t *testing.T, path string, numbers []float32) {
	t.Helper()
	header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }\n", len(numbers))
	var b bytes.Buffer
	b.WriteString("\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), 0}) + header)
	if err := binary.Write(&b, binary.LittleEndian, numbers); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Inputs are read from a file, or computed by a formula, and results are compared with those of a file, every one.
func TestGivenDataAndResults(t *testing.T) {
	dev := devicetest.Open(t)
	defer dev.Close()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.npy"), filepath.Join(dir, "out.npy")
	xs, results := make([]float32, 64), make([]float32, 64)
	for i := range xs {
		xs[i], results[i] = float32(i)-20, 2.5*(float32(i)-20)
	}
	npy(t, in, xs)
	npy(t, out, results)
	run := func(data string) error {
		info := dev.Info()
		r := Request{Sizes: map[string]int64{"n": 64}, Variants: 5, Data: []string{"xs=" + data, "alpha=2.5"}, Expected: []string{"out=" + out}}
		s, err := r.Open("../../examples/lift/scal.lift", &info)
		if err != nil {
			t.Fatal(err)
		}
		ref, err := s.Reference()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Verify(t.Context(), dev); err != nil {
			t.Fatal(err)
		}
		s.Prepare(s.Points[:1], launch.Options{})
		job, err := s.Job(s.Points[0], device.Policy{Trials: 1, MinWarmUp: -1, MaxWarmUp: 1})
		if err != nil {
			t.Fatal(err)
		}
		if job.Expect, err = ref.Expect(); err != nil {
			t.Fatal(err)
		}
		_, err = dev.Run(t.Context(), job)
		return err
	}
	for _, data := range []string{in, "i - 20"} {
		if err := run(data); err != nil {
			t.Errorf("%s: %v", data, err)
		}
	}
	results[63]++
	npy(t, out, results)
	if err := run(in); err == nil || !strings.Contains(err.Error(), "out") {
		t.Errorf("a result that is none: %v", err)
	}
	for text, want := range map[string]string{"out=" + in: "", "ys=" + out: "there is no ys", "out=x.npy": "there is no file", "out": "is not of the form"} {
		r := Request{Sizes: map[string]int64{"n": 64}, Variants: 5, Expected: []string{text}}
		if _, err := r.Open("../../examples/lift/scal.lift", nil); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
