package launches

import (
	"compress/gzip"
	"io"
	"os"
	"strings"
	"testing"

	"gpuperf/emulate"
)

// unpacked reads a file that is packed by gzip.
func unpacked(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A walk through a table in constant memory: where it goes is not known unless the launch file says what stands there, and not even then where only a listing
// is given, as that does not say where the table lies. Lanes that may be anywhere are served one after the other.
func TestConstantTable(t *testing.T) {
	const (
		nothing = "where the access goes is not known: each work-item is taken to go to a place of its own"
		launch  = "kernel: const_table\nsizes: {n: 33792}\ngrid: [n / 256]\nblock: [256]\nresources: {registers: 20}\n" +
			"globals: {big: {dtype: float32, size: 12288FILL}}\n" +
			"args: [{buffer: in, dtype: float32, size: n, fill: zeros}, {buffer: out, dtype: float32, size: n}, {int32: n}, {int32: 32}]\n"
	)
	cubin := unpacked(t, "testdata/table.cubin.gz")
	emulated := func(fill string, complete bool) *emulate.Result {
		s, err := Load(write(t, "../../emulate/launches/testdata/table.sass", strings.Replace(launch, "FILL", fill, 1)), nil)
		if err != nil {
			t.Fatal(err)
		}
		l, err := s.Listing(t.Context(), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if complete {
			if err := l.Complete(cubin); err != nil {
				t.Fatal(err)
			}
		}
		r, err := s.Run(t.Context(), l, Options{Device: sheet(t)})
		if err != nil {
			t.Fatal(err)
		}
		return r.Launches[0].Result
	}
	given := emulated(", fill: zeros", true)
	if given.Status != emulate.Whole {
		t.Errorf("a table that is given: %s, %q", given.Status, given.Why())
	}
	for name, r := range map[string]*emulate.Result{"a table of anything": emulated("", true), "a listing": emulated(", fill: zeros", false)} {
		if text := strings.Join(r.Why(), "\n"); r.Status != emulate.Supposed || !strings.Contains(text, nothing) {
			t.Errorf("%s: %s, %q", name, r.Status, text)
		}
		if r.Seconds < 8*given.Seconds {
			t.Errorf("%s: lanes that may be anywhere take %g s, those that want the same %g s", name, r.Seconds, given.Seconds)
		}
	}
}
