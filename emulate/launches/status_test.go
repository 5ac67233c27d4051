package launches

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/emulate"
)

// What kind of a time a launch has, and which line is printed first about it.
func TestStatus(t *testing.T) {
	const (
		x = "{buffer: x, dtype: float32, size: n}"
		y = "{buffer: y, dtype: float32, size: n}"
	)
	near := strings.ReplaceAll("{buffer: x, F}, {buffer: y, F}, {buffer: z, F}, {buffer: m, F}, {buffer: out, F}, {int32: 500}, {float32: 0.05}", "F", "dtype: float32, size: n, fill: random")
	for name, c := range map[string]struct {
		kernel, args string
		groups       int64
		want         emulate.Status
		says         string
	}{
		"a cutoff on data that is given":          {"cutoff#cutoff", near, 132, emulate.Whole, ""},
		"an address that is odd":                  {"cutoff#cutoff", strings.NewReplacer("500", "50", "{buffer: x, dtype: float32, size: n,", "{buffer: x, dtype: float32, size: n, at: 2,").Replace(near), 132, emulate.Endless, "the address is no multiple of the size of the access"},
		"a cutoff on more than is executed":       {"cutoff#cutoff", strings.NewReplacer("500", "250000", "size: n", "size: 250000").Replace(near), 132, emulate.Whole, ""},
		"a counter that nobody gives":             {"counter#counter", "{buffer: count, dtype: int32, size: 1}, " + x + ", " + y + ", {int32: n}", 132, emulate.Supposed, "how often a loop turns follows from what buffer count (argument 1) holds"},
		"a counter that is given":                 {"counter#counter", "{buffer: count, dtype: int32, size: 2, fill: iota}, " + x + ", " + y + ", {int32: n}", 132, emulate.Whole, ""},
		"a counter in bytes of anything":          {"counter#counter", "{buffer: count, dtype: uint8, size: 4}, " + x + ", " + y + ", {int32: n}", 132, emulate.AtLeast, "buffer count (argument 1) holds, which nobody has said: it is taken to turn once"},
		"a counter in floats of anything":         {"counter#counter", "{buffer: count, dtype: float32, size: 1}, " + x + ", " + y + ", {int32: n}", 132, emulate.AtLeast, "it is taken to turn once"},
		"work from a queue":                       {"counter#queue", "{buffer: next, dtype: int32, size: 1, fill: zeros}, " + x + ", " + y + ", {int32: 20}", 132, emulate.Whole, ""},
		"a lock that is free":                     {"waits#spin", "{buffer: lock, dtype: int32, size: 1, fill: zeros}, " + y + ", " + x, 132, emulate.Supposed, "what other work-groups do at the same time"},
		"a lock of anything":                      {"waits#spin", "{buffer: lock, dtype: int32, size: 1}, " + y + ", " + x, 132, emulate.AtLeast, "waits for what other work-groups store in buffer lock"},
		"all work-groups meet":                    {"waits#grid", "{buffer: count, dtype: uint32, size: 1, fill: zeros}, " + x + ", " + y + ", {int32: n}", 132, emulate.Whole, ""},
		"more than have room meet":                {"waits#grid", "{buffer: count, dtype: uint32, size: 1, fill: zeros}, " + x + ", " + y + ", {int32: n}", 2640, emulate.Endless, "all 2640 work-groups wait for each other in buffer count (argument 1), and 1056 have room at once"},
		"a flag that nobody sets":                 {"waits#flag", "{buffer: ready, dtype: int32, size: 1, fill: zeros}, " + y, 132, emulate.Endless, "waits.cu:28"},
		"a flag that is 0 by iota":                {"waits#flag", "{buffer: ready, dtype: int32, size: 1, fill: iota}, " + y, 132, emulate.Endless, "nobody stores in buffer ready"},
		"a barrier that not all reach":            {"waits#some", y, 132, emulate.Endless, "barriers"},
		"loads of what was stored for all":        {"volatile#rng_xorshift", "{buffer: state, dtype: uint32, size: 4 * n}, {buffer: sums, dtype: uint32, size: n}, {int32: 60}, {int32: 16}", 264, emulate.Supposed, "past the first-level cache"},
		"a search for an end in data":             {"waits#text", "{buffer: s, dtype: uint8, size: 16 * n + 256, fill: iota}, {buffer: length, dtype: int32, size: n}, {int32: 16}", 132, emulate.Whole, ""},
		"a mask that nobody gives":                {"masked#undrop", x + ", {buffer: mask, dtype: uint8, size: n, fill: unknown}, " + y + ", {int32: n}", 132, emulate.Supposed, "whether work-items access memory follows from what buffer mask (argument 2) holds, which nobody has said: zeros are taken"},
		"a mask that is given":                    {"masked#undrop", x + ", {buffer: mask, dtype: uint8, size: n, fill: iota}, " + y + ", {int32: n}", 132, emulate.Whole, ""},
		"a mask that is in the part of a file":    {"masked#undrop", x + ", {buffer: mask, bytes: 4 * n, data: mask.bin, data_at: 7, at: 7}, " + y + ", {int32: n}", 132, emulate.Whole, ""},
		"a mask that is beyond that part":         {"masked#undrop", x + ", {buffer: mask, bytes: 4 * n, data: mask.bin, data_at: 7, at: n + 8}, " + y + ", {int32: n}", 132, emulate.Supposed, "follows from what buffer mask (argument 2) holds, which nobody has said"},
		"numbers of work-items under OpenCL":      {"opencl#upwards", x + ", " + y, 132, emulate.Whole, ""},
		"long chains of known numbers":            {"waits#hash", "{buffer: out, dtype: uint32, size: n}, {int32: 5000}", 132, emulate.Whole, ""},
		"chains that are longer than is executed": {"waits#hash", "{buffer: out, dtype: uint32, size: n}, {int32: 2000000}", 132, emulate.Whole, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if os.Getenv("LONG") == "" && strings.HasPrefix(name, "chains that are longer") {
				t.Skip("it executes millions of instructions")
			}
			file, kernel, _ := strings.Cut(c.kernel, "#")
			text := fmt.Sprintf("kernel: %s\nsizes: {n: %d}\ngrid: [%d]\nblock: [256]\nresources: {registers: 32, shared: 1024}\nargs: [%s]\n", kernel, 256*c.groups, c.groups, c.args)
			path := write(t, "../../emulate/launches/testdata/"+file+".sass", text)
			if err := os.WriteFile(filepath.Join(filepath.Dir(path), "mask.bin"), bytes.Repeat([]byte{0, 1, 3}, 256*44), 0o666); err != nil {
				t.Fatal(err)
			}
			s, err := Load(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			l, err := s.Listing(t.Context(), "", nil)
			if err != nil {
				t.Fatal(err)
			}
			report, err := s.Run(t.Context(), l, Options{Device: sheet(t)})
			if err != nil {
				t.Fatal(err)
			}
			r := report.Launches[0].Result
			var out bytes.Buffer
			if err := Write(&out, []*Report{report}); err != nil {
				t.Fatal(err)
			}
			if r.Status != c.want {
				t.Errorf("%s, want %s\n%s", r.Status, c.want, &out)
			}
			before, _, _ := strings.Cut(out.String(), "\n  time  ")
			if !strings.Contains(strings.Join(strings.Fields(before), " "), c.says) {
				t.Errorf("%q does not come before the time in\n%s", c.says, &out)
			}
			closed := !math.IsInf(r.Interval[1], 0)
			if closed != (r.Status == emulate.Whole) || r.Status == emulate.Endless != math.IsInf(r.Seconds, 0) {
				t.Errorf("%s: %g s in %v", r.Status, r.Seconds, r.Interval)
			}
			text = out.String()
			if r.Status == emulate.AtLeast && !strings.Contains(text, "time        ≥ ") || r.Status == emulate.Endless && !strings.Contains(text, "time        none") ||
				r.Status == emulate.Supposed && !strings.Contains(text, "s, supposed: ") {
				t.Error(text)
			}
			if _, err := report.MarshalJSON(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A launch without a finite time is related to no other.
func TestCompareWithout(t *testing.T) {
	flag := write(t, "../../emulate/launches/testdata/waits.sass", "kernel: flag\ngrid: [4]\nblock: [256]\nresources: {registers: 32}\n"+
		"args: [{buffer: ready, dtype: int32, size: 1, fill: zeros}, {buffer: y, dtype: float32, size: 1024}]\n")
	all := []*Report{run(t, matmul, nil, false), run(t, flag, nil, false)}
	var out bytes.Buffer
	if err := (Comparison{all}).Write(&out); err != nil {
		t.Fatal(err)
	}
	if err := Write(&out, all); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Contains(text, "Inf") || strings.Contains(text, "NaN") || !strings.Contains(text, "none") {
		t.Error(text)
	}
}
