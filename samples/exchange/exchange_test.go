package exchange

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"gpuperf/samples"
)

// own are samples as this program measures them.
func own() []samples.Record {
	r := samples.Record{
		Version: samples.Version, SourceHash: strings.Repeat("a1", 32), Entry: "knl", Global: []int64{1024}, Local: []int64{64}, Mode: samples.Warm,
		Kernel: samples.Identity{Source: "a b.star", Variant: "pre-8", Args: map[string]string{"dtype": "float32"}, Sizes: map[string]int64{"n": 1024}},
		Status: samples.OK, Trials: []float64{1.5e-3, 1.25e-3, 1.75e-3}, BuildTime: 0.25,
		Metrics: map[string]samples.Metric{"dram": {Value: 4096, Unit: "byte"}},
		Device:  samples.Fingerprint{Name: "Test GPU", Platform: "Test"},
		Time:    time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	r = summarized(r)
	failed := r
	failed.Kernel.Sizes = map[string]int64{"n": 2048, "m": 3}
	failed.Status, failed.Error, failed.Trials, failed.Summary, failed.Metrics = samples.Refused, "too large, alas", nil, nil, nil
	sentinel := r
	sentinel.Kernel = samples.Identity{Source: samples.SentinelSource}
	return []samples.Record{r, sentinel, failed}
}

func sequence(records []samples.Record) iter.Seq2[*samples.Record, error] {
	return func(yield func(*samples.Record, error) bool) {
		for _, r := range records {
			if !yield(&r, nil) {
				return
			}
		}
	}
}

func export(t *testing.T, format string, records []samples.Record) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := Export(&out, format, sequence(records)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestLaunches: what ncu has counted, launch by launch.
func TestLaunches(t *testing.T) {
	all, err := Launches("testdata/ncu.csv")
	if err != nil {
		t.Fatal(err)
	}
	var times []float64
	for _, metrics := range all {
		times = append(times, metrics["gpu__time_duration.sum"].Value)
	}
	if !slices.Equal(times, []float64{5.5, 5.6, 9.92}) {
		t.Errorf("times %v", times)
	}
}

// TestBench reads what is written as benchstat does.
func TestBench(t *testing.T) {
	reader := benchfmt.NewReader(bytes.NewReader(export(t, "bench", own())), "test")
	var times []float64
	for reader.Scan() {
		r, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			t.Fatalf("%v", reader.Result())
		}
		base, parts := r.Name.Parts()
		if got, want := fmt.Sprintf("%s %s", base, parts), "Kernel [/kernel=a_b.star#pre-8 /dtype=float32 /n=1024 /cache=warm]"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if device := r.GetConfig("device"); device != "Test GPU" || r.GetConfig("origin") != "perf" {
			t.Errorf("device %q, origin %q", device, r.GetConfig("origin"))
		}
		v, _ := r.Value("sec/op")
		times = append(times, v)
	}
	if err := reader.Err(); err != nil {
		t.Error(err)
	}
	if !slices.EqualFunc(times, own()[0].Trials, func(a, b float64) bool { return math.Abs(a/b-1) < 1e-8 }) {
		t.Errorf("times are %v", times)
	}
}

// TestT4 holds the output to what the schema of the format asks for.
func TestT4(t *testing.T) {
	var got struct {
		Version string `json:"schema_version"`
		Results []struct {
			Configuration map[string]any
			Times         struct {
				Compilation float64 `json:"compilation_time"`
				Runtimes    []float64
			}
			Invalidity   string
			Correctness  *float64
			Measurements []struct {
				Name, Unit string
				Value      float64
			}
		}
	}
	if err := json.Unmarshal(export(t, "t4", own()), &got); err != nil {
		t.Fatal(err)
	}
	want := `{1.0.0 [{map[cache:warm dtype:float32 kernel:a b.star#pre-8 n:1024] {250 [1.5 1.25 1.75]} correct 1 [{time ms 1.5} {dram byte 4096}]} ` +
		`{map[cache:warm dtype:float32 kernel:a b.star#pre-8 m:3 n:2048] {250 []} constraints 0 []}]}`
	var text strings.Builder
	fmt.Fprintf(&text, "{%s [", got.Version)
	for i, r := range got.Results {
		fmt.Fprintf(&text, "%s{%v %v %s %g %v}", strings.Repeat(" ", min(i, 1)), r.Configuration, r.Times, r.Invalidity, *r.Correctness, r.Measurements)
	}
	if text.WriteString("]}"); text.String() != want {
		t.Errorf("%s\nwant %s", text.String(), want)
	}
	for _, status := range []samples.Status{
		samples.OK, samples.Timeout, samples.Crash, samples.Refused, samples.BuildFailed, samples.Faulty,
		samples.WrongResult, samples.OutOfMemory, samples.Interrupted,
	} {
		if !slices.Contains([]string{"timeout", "compile", "runtime", "correctness", "constraints", "correct"}, invalidities[status]) {
			t.Errorf("%s is %q", status, invalidities[status])
		}
	}
}

// TestT4OfSearch: the configurations of a search are its choices alone, and come back as they were, with what they are of.
func TestT4OfSearch(t *testing.T) {
	r := own()[0]
	r.Tags = samples.TunedTags("bm=16,layout=row,pad=False")
	r.Kernel.Args = map[string]string{"bm": "16", "layout": "row", "pad": "False"}
	text := export(t, "t4", []samples.Record{r})
	for _, want := range []string{`"bm": 16,`, `"layout": "row",`, `"pad": false`, `"kernel": "a b.star#pre-8",`, `"device": "Test GPU"`} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	path := filepath.Join(t.TempDir(), "search.json")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	_, all, _, err := Import(path, "")
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	got := all[0]
	if c, ok := got.Tuned(); !ok || c != "bm=16,layout=row,pad=false" || got.Kernel.Source != "a b.star#pre-8" || got.Kernel.Sizes["n"] != 1024 ||
		got.Device.Name != r.Device.Name || !slices.EqualFunc(got.Trials, r.Trials, func(a, b float64) bool { return math.Abs(a/b-1) < 1e-12 }) || got.Metrics["dram"] != r.Metrics["dram"] {
		t.Errorf("%+v", got)
	}
}

// TestT4Metadata tells the device.
func TestT4Metadata(t *testing.T) {
	var got struct {
		Metadata struct {
			Hardware struct {
				Description []samples.Fingerprint `json:"hardware_description"`
			}
			Environment struct {
				Query        samples.Fingerprint `json:"device_query"`
				Requirements []string
			}
		}
	}
	if err := json.Unmarshal(export(t, "t4-metadata", own()), &got); err != nil {
		t.Fatal(err)
	}
	if d := got.Metadata.Hardware.Description; len(d) != 1 || d[0].Name != "Test GPU" || got.Metadata.Environment.Query.Name != "Test GPU" || got.Metadata.Environment.Requirements == nil {
		t.Errorf("%+v", got)
	}
}

func TestExportNothing(t *testing.T) {
	for _, f := range Exports {
		if err := Export(io.Discard, f.Name, sequence(nil)); err == nil {
			t.Errorf("%s: a file without samples is written", f.Name)
		}
	}
}

func TestCSV(t *testing.T) {
	rows, err := csv.NewReader(bytes.NewReader(export(t, "csv", own()))).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatal(rows, err)
	}
	cell := func(row int, name string) string {
		i := slices.Index(rows[0], name)
		if i < 0 {
			t.Fatalf("no column %s in %q", name, rows[0])
		}
		return rows[row][i]
	}
	for _, tt := range []struct {
		row        int
		name, want string
	}{
		{1, "kernel", "a b.star#pre-8"},
		{1, "n", "1024"},
		{1, "m", ""},
		{2, "m", "3"},
		{1, "dtype", "float32"},
		{1, "median_seconds", "0.0015"},
		{2, "median_seconds", ""},
		{2, "error", "too large, alas"},
		{1, "dram (byte)", "4096"},
		{2, "dram (byte)", ""},
		{1, "trials_seconds", "0.0015 0.00125 0.00175"},
		{1, "origin", "perf"},
	} {
		if got := cell(tt.row, tt.name); got != tt.want {
			t.Errorf("row %d, %s: %q, want %q", tt.row, tt.name, got, tt.want)
		}
	}
}

// TestColumnsDiffer: arguments and sizes may be called as other columns are.
func TestColumnsDiffer(t *testing.T) {
	columns := []column{{name: "kernel"}, {name: "local"}, {name: "n"}, {name: "n"}, {name: "driver"}, {name: "local"}, {name: "driver"}}
	distinct(columns, 2, 2)
	var got []string
	for _, c := range columns {
		got = append(got, c.name)
	}
	if want := []string{"kernel", "argument local", "argument n", "size n", "size driver", "local", "driver"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// imported are lines for the records of a file: what a sample says of each.
func imported(t *testing.T, path, format string) (as string, lines []string) {
	t.Helper()
	as, records, _, err := Import(path, format)
	if err != nil {
		t.Fatal(err)
	}
	if err := samples.Add(filepath.Join(t.TempDir(), "s.jsonl"), records); err != nil {
		t.Error(err)
	}
	for _, r := range records {
		times := make([]string, len(r.Trials))
		for i, v := range r.Trials {
			times[i] = fmt.Sprintf("%.6g", v)
		}
		lines = append(lines, fmt.Sprintf("%s: %s, %s, %s, %v of %v, %d registers, %s %s %v %v", r.Origin, r.Kernel, r.Entry, r.Device.Name, r.Global, r.Local,
			r.Compiled.Registers, r.Mode, r.Status, times, r.Metrics))
	}
	return as, lines
}

func TestImport(t *testing.T) {
	for _, tt := range []struct {
		file, as string
		want     []string
	}{
		{"ncu.csv", "ncu", []string{
			`ncu: "void scale<float>(float *, int)" block:256x1x1 grid:4096x1x1, scale<float>, NVIDIA H200, [1048576 1 1] of [256 1 1], 16 registers, cold ok [5.5e-06 5.6e-06] ` +
				`map[dram__bytes_read.sum:{4.2 Mbyte} gpu__time_duration.sum:{5.55 us} launch__registers_per_thread:{16 register/thread} smsp__inst_executed.sum:{1.048576e+06 }]`,
			`ncu: "void scale<float>(float *, int)" block:256x1x1 grid:8192x1x1, scale<float>, NVIDIA H200, [2097152 1 1] of [256 1 1], 16 registers, cold ok [9.92e-06] ` +
				`map[dram__bytes_read.sum:{8.4 Mbyte} gpu__time_duration.sum:{9.92 us} launch__registers_per_thread:{16 register/thread} smsp__inst_executed.sum:{2.097152e+06 }]`,
		}},
		{"nsys.csv", "nsys", []string{
			`nsys: "app::<unnamed>::multiply(const float *, const float *, float *, int)" block:16x16x1 grid:64x64x1, app::<unnamed>::multiply, NVIDIA H200, ` +
				`[1024 1024 1] of [16 16 1], 40 registers, warm ok [7.072e-06 7.168e-06] map[DymSMem:{0 MB} StcSMem:{0.002 MB}]`,
			`nsys: reduce block:256x1x1 grid:4x1x1, reduce, NVIDIA H200, [1024 1 1] of [256 1 1], 16 registers, warm ok [1.504e-06] map[DymSMem:{0.016 MB} StcSMem:{0 MB}]`,
		}},
		{"kernel_tuner.json", "kernel-tuner", []string{
			`kernel-tuner: vector_add block_size_x:128 layout:rows problem_size_x=10000000 problem_size_y=1, vector_add, NVIDIA RTX A4000, [] of [], 0 registers, warm ok [0.000625] map[]`,
			`kernel-tuner: vector_add block_size_x:256 layout:rows problem_size_x=10000000 problem_size_y=1, vector_add, NVIDIA RTX A4000, [] of [], 0 registers, warm ok ` +
				`[0.00052 0.0005 0.00048] map[GFLOP/s:{20 }]`,
			`kernel-tuner: vector_add block_size_x:2048 layout:rows problem_size_x=10000000 problem_size_y=1, vector_add, NVIDIA RTX A4000, [] of [], 0 registers, warm refused [] map[]`,
		}},
		{"t4.json", "t4", []string{
			`t4: t4 block_size_x:128 layout:rows, t4, not told by the file, [] of [], 0 registers, warm ok [0.00052 0.0005 0.00048] map[GFLOP/s:{20.5 }]`,
			`t4: t4 block_size_x:256 layout:rows, t4, not told by the file, [] of [], 0 registers, warm ok [0.00025] map[]`,
			`t4: t4 block_size_x:2048 layout:rows, t4, not told by the file, [] of [], 0 registers, warm crash [] map[]`,
		}},
	} {
		for _, format := range []string{"", tt.as} {
			as, got := imported(t, filepath.Join("testdata", tt.file), format)
			if as != tt.as || !slices.Equal(got, tt.want) {
				t.Errorf("%s as %q is %s:\n%s\nwant\n%s", tt.file, format, as, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		}
	}
}

// TestImportRefuses edits files: what is odd is named at its line.
func TestImportRefuses(t *testing.T) {
	for _, tt := range []struct{ file, old, new, want string }{
		{"ncu.csv", `"(8192, 1, 1)","0"`, `"(8192, 1, 1)","1"`, ":8:1: the launch is on device 1, those before it are on 0"},
		{"ncu.csv", `"(8192, 1, 1)"`, `"8192"`, `:8:1: Grid Size is "8192", not as (64, 1, 1)`},
		{"ncu.csv", `"us"`, `"cycle"`, `:6:1: gpu__time_duration.sum is in "cycle", which is no unit of time`},
		{"ncu.csv", `,"launch__func_cache_config"`, ``, ":5:1: the row has 18 cells, the header has 17"},
		{"ncu.csv", `"dram__bytes_read.sum"`, `"Metric Name"`, ":6:1: this is the page details"},
		{"ncu.csv", `"ID"`, `"I"`, "no launch of a kernel is in it\n    ncu says: ==PROF== Disconnected from process 4242"},
		{"ncu.csv", `"(8192, 1, 1)","0"`, `"(8192`, ":8:1: not a row of a table: extraneous or missing \" in quoted-field"},
		{"nsys.csv", ",1504,", ",,", ":9:1: the launch needs a Duration"},
		{"nsys.csv", "0.016,,,,,NVIDIA H200 (0)", "0.016,,,,,NVIDIA H200 (1)", ":9:1: the launch is on device NVIDIA H200 (1)"},
		{"nsys.csv", "Duration (ns)", "Duration (cycles)", `:7:1: Duration is in "cycles"`},
		{"nsys.csv", "Start (ns)", "Begin", "none of the formats"},
		{"kernel_tuner.json", `"RuntimeFailedConfig"`, `"Whatever"`, `configuration "2048,rows": time is "Whatever"`},
		{"kernel_tuner.json", `"time": 0.625`, `"time": "fast"`, `configuration "128,rows": time is "fast"`},
		{"kernel_tuner.json", `"time": 0.625, `, ``, `configuration "128,rows": it has no time`},
		{"kernel_tuner.json", `[10000000, 1]`, `[1e300, 1]`, "problem_size has 1e+300, which is no size"},
		{"kernel_tuner.json", `[10000000, 1]`, `{}`, "problem_size has map[], which is no size"},
		{"kernel_tuner.json", `"block_size_x": 128, `, ``, `configuration "128,rows": block_size_x, one of the tune_params_keys, has no value`},
		{"ncu.csv", `"5.60"`, `"-5.60"`, ":7:1: gpu__time_duration.sum is -5.6, which is no time"},
		{"nsys.csv", ",1504,", ",0,", ":9:1: a Duration of 0 is no time"},
		{"kernel_tuner.json", `"times": [0.52, 0.5, 0.48]`, `"times": [0.52, null, 0.48]`, `configuration "256,rows": 0 ms is no time`},
		{"kernel_tuner.json", `0.625`, `-1`, `configuration "128,rows": -1 ms is no time`},
		{"kernel_tuner.json", `"kernel_name": "vector_add",`, ``, "has a device_name and a kernel_name"},
		{"t4.json", `"runtime"`, `"slow"`, `result 3: invalidity is "slow"`},
		{"t4.json", `[0.52, 0.5, 0.48]`, `[0.52, 0, 0.48]`, "result 1: 0 ms is no time"},
		{"t4.json", `"rows"`, `null`, "result 1: layout has no value"},
		{"t4.json", `: 0.25,`, `: "fast",`, "status is ok, but there are no trials"},
		{"t4.json", `"results": [`, `"results": [3,`, "result 1: json: cannot unmarshal number"},
		{"kernel_tuner.json", `"objective": "time"`, `"objective" "time"`, "not a cache file of Kernel Tuner"},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", tt.file))
		if err != nil {
			t.Fatal(err)
		}
		edited := strings.ReplaceAll(string(text), tt.old, tt.new)
		if edited == string(text) {
			t.Errorf("%s has no %s", tt.file, tt.old)
		}
		path := filepath.Join(t.TempDir(), tt.file)
		if err := os.WriteFile(path, []byte(edited), 0o644); err != nil {
			t.Fatal(err)
		}
		_, _, dropped, err := Import(path, "")
		if all := fmt.Sprint(errors.Join(append(dropped, err)...)); !strings.Contains(all, tt.want) {
			t.Errorf("%s with %s: %s\nwant %s", tt.file, tt.new, all, tt.want)
		}
	}
}

// TestRecorded imports what ncu has exported of applications on an H200: numbers with commas between their thousands, in base units and in
// others, with instances behind them, between its own lines and those of the application.
func TestRecorded(t *testing.T) {
	for _, tt := range []struct {
		file, kernel string
		trials       []float64
		metrics      map[string]string
	}{
		{"app.ncu.csv", "void app::scale<float>(T1 *, T1, int)", []float64{1.2512e-05, 1.2384e-05}, map[string]string{
			"dram__cycles_elapsed.avg.per_second": "3.1937794497650003e+09 hz", "launch__thread_count": "4.194304e+06 thread", "launch__registers_per_thread": "16 register/thread",
		}},
		{"app.ncu.csv", "app::<unnamed>::transpose(const float *, float *, int)", []float64{1.696e-05}, map[string]string{
			"launch__shared_mem_per_block_static": "4224 byte/block", "launch__block_size": "1024 ",
		}},
		{"app.auto.ncu.csv", "app::<unnamed>::transpose(const float *, float *, int)", []float64{1.712e-05}, map[string]string{
			"launch__shared_mem_per_block_static": "4.22 Kbyte/block", "dram__bytes_read.sum": "16.780544 Mbyte", "dram__bytes_write.sum": "376.576 Kbyte",
			"launch__thread_count": "4.194304e+06 thread", "gpu__time_duration.sum": "17.12 us",
		}},
		{"torch.ncu.csv", "add", []float64{5.152e-06, 5.12e-06}, map[string]string{"smsp__inst_executed.sum": "167936 inst", "lts__t_sector_hit_rate.pct": "37.224999999999994 %"}},
		{"torch.ncu.csv", "void at::vectorized_elementwise_kernel<4, at::CUDAFunctor_add<float>, std::array<char *, 3>>(int, T2, T3)", []float64{4.352e-06}, map[string]string{
			"smsp__inst_executed.sum": "139264 inst",
		}},
	} {
		_, records, _, err := Import(filepath.Join("../../testdata/ncu", tt.file), "")
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(records, func(r samples.Record) bool { return r.Kernel.Source == tt.kernel })
		if i < 0 {
			t.Fatalf("%s: no %s", tt.file, tt.kernel)
		}
		r := records[i]
		if d := r.Device; d.Name != "NVIDIA H200" || d.ComputeUnits != 132 || d.Architecture != "sm_90" {
			t.Errorf("%s: on %+v", tt.file, d)
		}
		if !slices.EqualFunc(r.Trials, tt.trials, func(a, b float64) bool { return math.Abs(a/b-1) < 1e-9 }) {
			t.Errorf("%s: %s took %v", tt.file, tt.kernel, r.Trials)
		}
		for name, want := range tt.metrics {
			if m := r.Metrics[name]; fmt.Sprintf("%v %s", m.Value, m.Unit) != want {
				t.Errorf("%s: %s: %s is %v %s, want %s", tt.file, tt.kernel, name, m.Value, m.Unit, want)
			}
		}
		for name := range r.Metrics {
			if strings.HasPrefix(name, "device__") || strings.HasPrefix(name, "nvlink__") {
				t.Errorf("%s: %s is no metric of a launch", tt.file, name)
			}
		}
	}
}

// TestFailedConfiguration: before errors had names, a configuration that failed had a time that is none.
func TestFailedConfiguration(t *testing.T) {
	text, err := os.ReadFile("testdata/kernel_tuner.json")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "old.json")
	if err := os.WriteFile(path, bytes.Replace(text, []byte("0.625"), []byte("1e20"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, got := imported(t, path, ""); !strings.Contains(got[0], "block_size_x:128") || !strings.HasSuffix(got[0], "warm refused [] map[]") {
		t.Errorf("%s", got[0])
	}
}

// TestOpenCache: a tuner that is stopped leaves its file without its end.
func TestOpenCache(t *testing.T) {
	text, err := os.ReadFile("testdata/kernel_tuner.json")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	path := filepath.Join(t.TempDir(), "open.json")
	if err := os.WriteFile(path, []byte(strings.Join(lines[:11], "")), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, got := imported(t, path, ""); len(got) != 2 {
		t.Errorf("%d configurations: %s", len(got), got)
	}
}

// FuzzImport: whatever a file holds, its samples are whole.
func FuzzImport(f *testing.F) {
	for _, name := range []string{"ncu.csv", "nsys.csv", "kernel_tuner.json", "../../../testdata/ncu/torch.ncu.csv"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		as, err := recognise("f", text)
		if err != nil {
			return
		}
		records, err := as.of(file{"f", text, time.Unix(1, 0), new([]error)})
		if err != nil {
			return
		}
		for _, r := range records {
			if r.Origin != as.Name {
				t.Errorf("%s: measured by %q, want %s", r.Kernel, r.Origin, as.Name)
			}
			for i, n := range r.Global {
				if n < r.Local[i] || n%r.Local[i] != 0 {
					t.Errorf("%s: %d work-items in groups of %d", r.Kernel, r.Global, r.Local)
				}
			}
		}
	})
}
