package samples

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

var testDevice = Fingerprint{
	Name: "Test GPU", Vendor: "Nobody", Driver: "1.2", Platform: "Test", PlatformVersion: "OpenCL 3.0",
	DeviceVersion: "OpenCL 3.0", Type: "gpu", ComputeUnits: 4, ClockMHz: 1000, SubgroupSize: 32,
	SubgroupSource: "CL_DEVICE_WARP_SIZE_NV", GlobalMem: 1 << 30, LocalMem: 48 << 10, MaxAlloc: 1 << 28,
	MaxWorkGroup: 1024, MaxWorkItems: []int64{1024, 1024, 64}, CacheSize: 1 << 20, TimerNS: 1000,
	Architecture: "sm_90", UUID: strings.Repeat("0f", 16), PCI: "0000:01:00.0",
}

// record returns a full record of a kernel at size n.
func record(n int64, status Status) Record {
	r := Record{
		Version:    Version,
		Kernel:     Identity{Source: "matmul_sq", Variant: "pf", Args: map[string]string{"dtype": "float32"}, Sizes: map[string]int64{"n": n}},
		SourceHash: strings.Repeat("a1", 32), Tags: []string{"matmul_sq", "n:2048"}, Entry: "matmul", Options: "-cl-mad-enable",
		Global: []int64{n, n}, Local: []int64{16, 16}, Mode: Warm, Status: status,
		Compiled: Compiled{PreferredMultiple: 32, LocalMem: 2048}, BuildTime: 0.25, Device: testDevice,
		Sentinel: &Sentinel{Seconds: 1.5e-4, Ratio: 1.01, Time: time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC)},
		Clocks:   &Clocks{SM: 1980, Memory: 3201, Power: 412.5, Temperature: 41, Limits: []string{"software power cap"}},
		Time:     time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Perf: "devel",
	}
	if status == OK {
		r.Trials = []float64{1e-3, 1.1e-3, 0.9e-3, 1.05e-3, 5e-3, 1e-3, 1.01e-3}
		s := Summarize(r.Trials)
		r.Summary = &s
	} else {
		r.Error, r.Log = "because", "a log"
	}
	return r
}

func TestKeyText(t *testing.T) {
	for _, tt := range []struct {
		id   Identity
		want string
	}{
		{Identity{Source: "empty_kernel"}, "empty_kernel"},
		{record(2048, OK).Kernel, "matmul_sq#pf dtype:float32 n=2048"},
		{Identity{Source: "a b.star", Variant: "x#y"}, `"a b.star"#"x#y"`},
		{Identity{Source: "s", Args: map[string]string{"z": "", "a": "1,2"}, Sizes: map[string]int64{"m": -1, "k": 3}}, `s a:"1,2" z:"" k=3 m=-1`},
	} {
		if got := tt.id.Key(); got != tt.want {
			t.Errorf("Key of %#v is %s, want %s", tt.id, got, tt.want)
		}
	}
}

// TestKeysAreUnique: a key says all of its identity.
func TestKeysAreUnique(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.StringMatching(`[a-z_0-9.]{1,5}`), rapid.String())
		id := Identity{
			Source: name.Draw(t, "source"), Variant: name.Draw(t, "variant"),
			Args:  rapid.MapOfN(name, name, 0, 3).Draw(t, "args"),
			Sizes: rapid.MapOfN(name, rapid.Int64(), 0, 3).Draw(t, "sizes"),
		}
		if diff := cmp.Diff(id, parseKey(t, id.Key()), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s:\n%s", id.Key(), diff)
		}
	})
}

// parseKey is the inverse of Identity.Key.
func parseKey(t *rapid.T, key string) Identity {
	part := func() string {
		quoted, err := strconv.QuotedPrefix(key)
		if err != nil {
			end := strings.IndexAny(key+" ", "#:= ")
			quoted, key = key[:end], key[end:]
			return quoted
		}
		key = key[len(quoted):]
		text, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	accept := func(separator string) (ok bool) {
		key, ok = strings.CutPrefix(key, separator)
		return ok
	}
	id := Identity{Source: part(), Args: map[string]string{}, Sizes: map[string]int64{}}
	if accept("#") {
		id.Variant = part()
	}
	for accept(" ") {
		name := part()
		if accept(":") {
			id.Args[name] = part()
			continue
		}
		accept("=")
		n, err := strconv.ParseInt(part(), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		id.Sizes[name] = n
	}
	return id
}

// TestMedianRank compares the ranks with exact binomial sums, and with the table that is found in textbooks.
func TestMedianRank(t *testing.T) {
	level := big.NewRat(95, 100)
	for n := 1; n <= 120; n++ {
		cover := func(rank int) *big.Rat { // P(rank < B < n-rank), the order statistics counted from 0
			sum := new(big.Int)
			for k := rank + 1; k <= n-1-rank; k++ {
				sum.Add(sum, new(big.Int).Binomial(int64(n), int64(k)))
			}
			return new(big.Rat).SetFrac(sum, new(big.Int).Lsh(big.NewInt(1), uint(n)))
		}
		want := 0
		for r := 0; r <= (n-1)/2; r++ {
			if cover(r).Cmp(level) >= 0 {
				want = r
			}
		}
		got, coverage := medianRank(n)
		exact, _ := cover(want).Float64()
		if got != want || math.Abs(coverage-exact) > 1e-12 {
			t.Errorf("n=%d: rank %d with coverage %g, want %d with %g", n, got, coverage, want, exact)
		}
	}
	for n, want := range map[int]int{5: 0, 6: 0, 9: 1, 20: 5, 60: 21} {
		if got, _ := medianRank(n); got != want {
			t.Errorf("n=%d: rank %d, want %d", n, got, want)
		}
	}
}

func TestMedianRankOfManyTrials(t *testing.T) {
	rank, coverage := medianRank(100000)
	if want := 50000 - 1.96*math.Sqrt(100000)/2; math.Abs(float64(rank)-want) > 3 || coverage < 0.95 || coverage > 0.951 {
		t.Errorf("rank %d, coverage %g; the normal approximation gives %.0f", rank, coverage, want)
	}
}

// TestIntervalCovers draws samples from a skewed distribution whose median is known.
func TestIntervalCovers(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	const rounds = 4000
	hit := 0
	for range rounds {
		x := make([]float64, 25)
		for i := range x {
			x[i] = rng.ExpFloat64()
		}
		if s := Summarize(x); s.Lo <= math.Ln2 && math.Ln2 <= s.Hi {
			hit++
		}
	}
	_, want := medianRank(25)
	if got := float64(hit) / rounds; math.Abs(got-want) > 0.015 {
		t.Errorf("the interval holds the median in %.3f of the cases, want %.3f", got, want)
	}
}

func TestSummarize(t *testing.T) {
	for _, tt := range []struct {
		trials []float64
		want   Summary
	}{
		{nil, Summary{}},
		{[]float64{2}, Summary{Median: 2, Lo: 2, Hi: 2, Min: 2, Max: 2, Mean: 2}},
		{[]float64{3, 1}, Summary{Median: 2, Lo: 1, Hi: 3, Coverage: 0.5, Min: 1, Max: 3, Mean: 2}},
		{[]float64{1, 1, 1, 1, 1, 9}, Summary{Median: 1, Lo: 1, Hi: 9, Coverage: 1 - 2.0/64, Min: 1, Max: 9, Mean: 14.0 / 6, Outliers: 1}},
	} {
		before := append([]float64(nil), tt.trials...)
		if diff := cmp.Diff(tt.want, Summarize(tt.trials), cmpopts.EquateApprox(1e-12, 1e-15)); diff != "" {
			t.Errorf("%v: %s", tt.trials, diff)
		}
		if diff := cmp.Diff(before, tt.trials); diff != "" {
			t.Errorf("the trials were changed: %s", diff)
		}
	}
}

func TestOutliers(t *testing.T) {
	for _, tt := range []struct {
		trials []float64
		want   []int
	}{
		{[]float64{1, 1.0001, 0.9999, 1, 1.0002}, nil}, // within the floor of 0.1 %
		{[]float64{1, 10, 1, 1, 1, 0.1}, []int{1, 5}},
		{[]float64{1, 2, 3, 4, 5, 6, 7}, nil},
		{[]float64{100, 101, 99, 100, 102, 98, 130}, []int{6}},
	} {
		if diff := cmp.Diff(tt.want, outliers(tt.trials, slices.Sorted(slices.Values(tt.trials)))); diff != "" {
			t.Errorf("%v: %s", tt.trials, diff)
		}
	}
}

func TestSame(t *testing.T) {
	change := func(f func(*Fingerprint)) Fingerprint { g := testDevice; f(&g); return g }
	for name, tt := range map[string]struct {
		other       Fingerprint
		same, alike bool
		difference  string
	}{
		"itself":        {testDevice, true, true, ""},
		"new driver":    {change(func(f *Fingerprint) { f.Driver = "2" }), true, true, ""},
		"other uuid":    {change(func(f *Fingerprint) { f.UUID = strings.Repeat("1", 32) }), false, true, "UUID 11111111111111111111111111111111, not " + testDevice.UUID},
		"no uuid":       {change(func(f *Fingerprint) { f.UUID = "" }), true, true, ""},
		"other slot":    {change(func(f *Fingerprint) { f.UUID, f.PCI = "", "0000:02:00.0" }), false, true, "place on the bus 0000:02:00.0, not " + testDevice.PCI},
		"other name":    {change(func(f *Fingerprint) { f.Name = "x" }), false, false, "name x, not " + testDevice.Name},
		"fewer units":   {change(func(f *Fingerprint) { f.ComputeUnits = 2 }), false, false, fmt.Sprintf("compute units 2, not %d", testDevice.ComputeUnits)},
		"other runtime": {change(func(f *Fingerprint) { f.UUID, f.Platform = "", "x" }), false, true, "platform x, not " + testDevice.Platform},
	} {
		if got := testDevice.Same(tt.other); got != tt.same {
			t.Errorf("%s: Same is %v", name, got)
		}
		if got := testDevice.Alike(tt.other); got != tt.alike {
			t.Errorf("%s: Alike is %v", name, got)
		}
		if got := testDevice.Difference(tt.other); got != tt.difference {
			t.Errorf("%s: it differs by %q", name, got)
		}
		kind := testDevice
		kind.UUID, kind.PCI = "", ""
		if got := kind.Covers(tt.other); got != (tt.alike && name != "other runtime") {
			t.Errorf("%s: its kind is covered: %v", name, got)
		}
		if got := testDevice.Covers(tt.other); got != tt.same {
			t.Errorf("%s: covered: %v", name, got)
		}
	}
}

func write(t *testing.T, records ...Record) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "samples.jsonl")
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for _, r := range records {
		if err := j.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// load reads a text as a journal.
func load(name, text string) (*Set, error) {
	s := &Set{Path: name, text: strings.NewReader(text)}
	return s, s.load(int64(len(text)))
}

// all returns the records of a set.
func all(t *testing.T, s *Set) (out []Record) {
	t.Helper()
	for r, err := range s.All() {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, *r)
	}
	return out
}

// stored returns the records of a file that has nothing odd.
func stored(t *testing.T, path string) []Record {
	t.Helper()
	s, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if len(s.Warnings) > 0 {
		t.Fatal(s.Warnings)
	}
	return all(t, s)
}

func TestJournalKeepsRecords(t *testing.T) {
	want := []Record{record(1024, OK), record(2048, Crash), record(2048, OK), {
		Version: 1, Kernel: Identity{Source: "k"}, SourceHash: strings.Repeat("0", 64), Entry: "k", Global: []int64{1},
		Mode: Cold, Status: Refused, Error: "no", Device: testDevice, Time: time.Unix(1, 0).UTC(),
	}}
	path := write(t, want...)
	if diff := cmp.Diff(want, stored(t, path)); diff != "" {
		t.Error(diff)
	}
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if diff := cmp.Diff(want, all(t, j.Set)); diff != "" {
		t.Error(diff)
	}
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "has it") {
		t.Errorf("a second writer: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	late := errors.New("late")
	if _, err := OpenInTurn(ctx, path, func(string) { cancel(late) }); !errors.Is(err, late) {
		t.Errorf("one who gives up: %v", err)
	}
	next, err := OpenInTurn(t.Context(), path, func(holder string) { // who comes later finds what was written until then
		if err := j.Append(record(4096, OK)); err != nil || !strings.Contains(holder, "has it") {
			t.Errorf("%q: %v", holder, err)
		}
		j.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	if got := all(t, next.Set); len(got) != len(want)+1 {
		t.Errorf("%d records", len(got))
	}
}

// TestJournalSurvivesTheKill cuts a journal at every byte, as a kill or a full disk may.
func TestJournalSurvivesTheKill(t *testing.T) {
	before := []Record{record(2048, Timeout), record(3072, OK)}
	whole, err := os.ReadFile(write(t, before...))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cut.jsonl")
	extra := record(4096, Refused) // shorter than what is torn: nothing of that may stay behind
	extra.Tags, extra.Log, extra.Options = nil, "", ""
	for cut := 0; cut <= len(whole); cut++ {
		if err := os.WriteFile(path, whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		lines := bytes.Count(whole[:cut], []byte("\n"))
		if cut < len(whole) && whole[cut] == '\n' {
			lines++ // only the newline is missing
		}
		torn := cut > 0 && whole[cut-1] != '\n' && !(cut < len(whole) && whole[cut] == '\n')
		j, err := Open(path)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if got := len(j.Warnings) > 0; got != torn {
			t.Fatalf("cut at %d: warnings %v", cut, j.Warnings)
		}
		if err := j.Append(extra); err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		j.Close()
		if diff := cmp.Diff(append(before[:lines:lines], extra), stored(t, path)); diff != "" {
			t.Fatalf("cut at %d: %s", cut, diff)
		}
	}
}

func TestJournalRefuses(t *testing.T) {
	other := record(1024, OK)
	other.Device.UUID = strings.Repeat("1", 32)
	bad := record(1024, OK)
	bad.Trials = nil
	nan := record(1024, OK)
	nan.Trials[0] = math.NaN()
	path := write(t, record(1024, OK))
	before, _ := os.ReadFile(path)
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for name, tt := range map[string]struct {
		record Record
		want   string
	}{
		"other device": {other, "keep one file for each device"},
		"no trials":    {bad, "no trials"},
		"not a number": {nan, "trials[0] is NaN"},
	} {
		if err := j.Append(tt.record); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("a refused record changed the file")
	}
}

func TestFind(t *testing.T) {
	change := func(r Record, f func(*Record)) Record { f(&r); return r }
	fast := change(record(1024, OK), func(r *Record) { r.BuildTime = 99 })
	set, err := Load(write(t,
		record(1024, OK), fast,
		change(record(1024, Crash), func(r *Record) { r.SourceHash = strings.Repeat("b", 64) }),
		record(2048, Interrupted), record(4096, OutOfMemory), record(3072, Refused),
	))
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	for name, tt := range map[string]struct {
		want   Record
		state  Freshness
		status Status
		build  float64
	}{
		"newest of the same work": {record(1024, OK), Fresh, OK, 99},
		"edited and crashed":      {change(record(1024, OK), func(r *Record) { r.SourceHash = strings.Repeat("b", 64) }), Fresh, Crash, 0.25},
		"edited":                  {change(record(1024, OK), func(r *Record) { r.SourceHash = strings.Repeat("c", 64) }), Stale, Crash, 0.25},
		"other launch":            {change(record(1024, OK), func(r *Record) { r.Local = []int64{8, 8} }), Stale, Crash, 0.25},
		"other mode":              {change(record(1024, OK), func(r *Record) { r.Mode = Cold }), Missing, "", 0},
		"interrupted":             {record(2048, OK), Missing, "", 0},
		"out of memory":           {record(4096, OK), Missing, "", 0},
		"refused":                 {record(3072, OK), Fresh, Refused, 0.25},
		"other size":              {record(5120, OK), Missing, "", 0},
	} {
		r, state, err := set.Find(tt.want)
		if err != nil || state != tt.state || r.Status != tt.status || r.BuildTime != tt.build {
			t.Errorf("%s: %v %q %g, %v", name, state, r.Status, r.BuildTime, err)
		}
	}
}

func TestReadErrors(t *testing.T) {
	text := func(r Record) string { b, _ := json.Marshal(r); return string(b) }
	good := text(record(1024, OK))
	other := record(1024, OK)
	other.Device.Name = "Another"
	for name, tt := range map[string]struct{ text, want string }{
		"torn in the middle": {good[:50] + "\n" + good + "\n", "f.jsonl:1:50: not a sample: the line ends in the middle of it"},
		"not json":           {good + "\nhello\n", "f.jsonl:2:1: not a sample: 'h' is no JSON here\n    hello\n    ^"},
		"misspelt key":       {`{"version":1,"kernal":{}}` + "\n", `f.jsonl:1:14: not a sample: unknown field "kernal"`},
		"wrong type":         {`{"version":"1"}` + "\n", "f.jsonl:1:14: not a sample: version must be no string"},
		"no object":          {"[1]\n", "f.jsonl:1:1: not a sample: the line must be no array"},
		"version":            {strings.Replace(good, `"version":2`, `"version":3`, 1) + "\n", "f.jsonl:1:1: not a valid sample: version is 3, this program knows 1 to 2"},
		"later field":        {strings.Replace(good, `"version":2`, `"version":1`, 1) + "\n", "version 1 has neither sentinel nor clocks"},
		"sentinel":           {strings.Replace(good, `"ratio":1.01`, `"ratio":-1`, 1) + "\n", "sentinel: -1 is neither a time nor a ratio"},
		"status":             {strings.Replace(good, `"status":"ok"`, `"status":"fine"`, 1) + "\n", `unknown status "fine"`},
		"edited trial":       {strings.Replace(good, `"trials":[0.001,`, `"trials":[0.004,`, 1) + "\n", "is not that of its trials"},
		"two on a line":      {good + good + "\n", "more than one value on the line"},
		"two devices":        {good + "\n" + text(other) + "\n", "f.jsonl:2:1: the record is of device Another"},
		"bad but complete":   {good + "\n{}", "f.jsonl:2:1: not a valid sample"},
	} {
		_, err := load("f.jsonl", tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v\nwant %s", name, err, tt.want)
		}
	}
	set, err := load("f.jsonl", good+"\n\n"+good[:100])
	if err != nil || len(all(t, set)) != 1 || len(set.Warnings) != 1 || !strings.Contains(set.Warnings[0].Error(), "f.jsonl:3:1: the last line is incomplete") {
		t.Errorf("torn end: %d records, %v, %v", len(all(t, set)), set.Warnings, err)
	}
}

// imported is a record of another program, which tells neither source nor launch.
func imported(origin string) Record {
	r := record(2048, OK)
	r.SourceHash, r.Global, r.Local, r.Trials, r.Summary, r.Sentinel = "", nil, nil, nil, nil, nil
	r.Origin, r.Metrics = origin, map[string]Metric{"dram__bytes_read.sum": {Value: 4096, Unit: "byte"}, "stalls": {Value: 1.5}}
	return r
}

// TestOrigin: a file holds what one program has measured.
func TestOrigin(t *testing.T) {
	path := write(t, imported("ncu"), imported("ncu"))
	if diff := cmp.Diff([]Record{imported("ncu"), imported("ncu")}, stored(t, path)); diff != "" {
		t.Error(diff)
	}
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if err := j.Own(); err == nil || j.Origin() != "ncu" || !strings.Contains(err.Error(), "samples of ncu") {
		t.Errorf("%q: %v", j.Origin(), err)
	}
	for _, r := range []Record{imported("nsys"), record(64, OK)} {
		if err := j.Append(r); err == nil || !strings.Contains(err.Error(), "those before it by ncu") {
			t.Errorf("%q was added: %v", r.Origin, err)
		}
	}
	a, _ := json.Marshal(record(64, OK))
	b, _ := json.Marshal(imported("ncu"))
	if _, err := load("f", string(a)+"\n"+string(b)+"\n"); err == nil || !strings.Contains(err.Error(), "f:2:1: the record was measured by ncu, those before it by perf") {
		t.Error(err)
	}
	own, err := load("f", string(a))
	if err != nil || own.Own() != nil {
		t.Error(err, own.Own())
	}
}

func TestSchema(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	validate := func(line []byte) error {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(v)
	}
	compiled := record(2048, OK)
	part := CodePart{Instructions: 9, Classes: map[string]int{"memory": 9}, Accesses: map[CodeAccess]int{{"global", "load", 16, "a"}: 8, {"local", "load", 4, ""}: 1}}
	compiled.Compiled = Compiled{Registers: 40, DynamicMem: 64, Occupancy: 0.25, Code: &Code{CodePart: part, Loops: []CodeLoop{{Depth: 1, CodePart: part}}}}
	valid := []Record{imported("ncu"), compiled}
	for status := range statuses {
		valid = append(valid, record(2048, status))
	}
	for _, r := range valid {
		line, err := os.ReadFile(write(t, r))
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(line); err != nil {
			t.Errorf("%s %s: %v", r.Origin, r.Status, err)
		}
	}
	for name, break_ := range map[string]func(*Record){
		"ok without trials": func(r *Record) { r.Trials, r.Summary = nil, nil },
		"no summary":        func(r *Record) { r.Summary = nil },
		"failed, no reason": func(r *Record) { r.Status = Crash },
		"odd mode":          func(r *Record) { r.Mode = "tepid" },
		"loop of no depth":  func(r *Record) { r.Compiled.Code = &Code{Loops: []CodeLoop{{}}} },
		"hash":              func(r *Record) { r.SourceHash = "12" },
		"dimensions":        func(r *Record) { r.Global = nil },
		"later field":       func(r *Record) { r.Version = 1 },
		"sentinel":          func(r *Record) { r.Sentinel = &Sentinel{Seconds: 0, Ratio: 1} },
		"later version":     func(r *Record) { r.Version = 3 },
		"no source":         func(r *Record) { r.SourceHash = "" },
		"metric":            func(r *Record) { r.Metrics = map[string]Metric{"": {Value: 1}} },
		"no measurement":    func(r *Record) { *r = imported("ncu"); r.Metrics = nil },
	} {
		r := record(2048, OK)
		break_(&r)
		line, _ := json.Marshal(r)
		if validate(line) == nil {
			t.Errorf("%s: the schema accepts %s", name, line)
		}
		if r.Check() == nil {
			t.Errorf("%s: Check accepts it", name)
		}
	}
}

// TestReadCompressed: a packed journal says what it said before, and is not added to.
func TestReadCompressed(t *testing.T) {
	want := []Record{record(1024, OK), record(2048, Refused)}
	plain, err := os.ReadFile(write(t, want...))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(plain)
	z.Close()
	path := filepath.Join(t.TempDir(), "s.jsonl.gz")
	if err := os.WriteFile(path, packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, stored(t, path)); diff != "" {
		t.Error(diff)
	}
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "gunzip") {
		t.Errorf("opened for writing: %v", err)
	}
	if err := os.Truncate(path, int64(packed.Len()-9)); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "s.jsonl.gz is incomplete") {
		t.Errorf("cut: %v", err)
	}
}

// TestManyRecordsKeepTheirOrder: they are decoded by several processors.
func TestManyRecordsKeepTheirOrder(t *testing.T) {
	var want []Record
	for n := range int64(1000) {
		want = append(want, record(n+1, Refused))
	}
	got := stored(t, write(t, want...))
	for i, r := range got {
		if r.Kernel.Sizes["n"] != int64(i+1) {
			t.Fatalf("record %d is of n = %d", i, r.Kernel.Sizes["n"])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d records", len(got))
	}
}

func FuzzRead(f *testing.F) {
	b, _ := json.Marshal(record(1024, OK))
	f.Add(string(b) + "\n")
	f.Add(string(b[:40]))
	f.Add("{}\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := load("f", text)
		if err != nil {
			return
		}
		for _, r := range all(t, s) {
			if err := r.Check(); err != nil {
				t.Error(err)
			}
		}
	})
}

func BenchmarkSummarize60(b *testing.B) {
	rng := rand.New(rand.NewSource(1))
	x := make([]float64, 60)
	for i := range x {
		x[i] = 1 + rng.Float64()
	}
	for b.Loop() {
		Summarize(x)
	}
}
