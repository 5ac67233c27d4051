package offload

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpuperf/internal/format"
	"gpuperf/samples"
	"gpuperf/scop"
)

// TestRecorded: the times of the examples on an H200 at PolyBench's LARGE, in float, are those that docs/howto/c-loops.md tells, beside those of PPCG's code and what
// launches and memory take at least, and of mappings that were the default before. Where the program makes other kernels today than those that were measured, the page says so.
// UPDATE=1 writes the tables there.
func TestRecorded(t *testing.T) {
	const page = "../../docs/howto/c-loops.md"
	set, err := samples.Load("../../testdata/h200/scop_defaults.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	theirs := ppcg(t)
	var rows [][]string
	logs, slower := []float64{}, []string{}
	times, today := map[string]string{}, map[string]code{} // of the defaults: by the names of nests, and of their files
	for _, name := range slices.Sorted(exampleNames(t)) {
		n := measured(t, name)
		r := recordOf(t, set, n.Name)
		if r == nil || r.Status != samples.OK {
			t.Errorf("%s: no time", name)
			continue
		}
		launches := launchesIn(r)
		ms := 1e3 * r.Summary.Median
		least := 1e3 * (perLaunch*float64(launches) + compulsory(t, n, r.Kernel.Sizes)/bandwidth)
		if steps, ok := bars[name]; ok && ms > 1.3*(least+1e3*perLaunch*float64(max(0, steps-launches))) {
			t.Errorf("%s takes %g ms, more than 1.3 times what launches and memory take at least", name, ms)
		}
		today[name] = sourceOf(t, n, r)
		times[n.Name] = timeOf(r, today[name])
		row := []string{"`" + name + "`", strconv.Itoa(launches), times[n.Name], format.Seconds(least / 1e3), "", "", judgement(r)}
		if other := theirs[name]; other > 0 {
			row[4], row[5] = format.Seconds(other/1e3), fmt.Sprintf("%.2g", other/ms)
			if other/ms >= 10 {
				row[5] = fmt.Sprintf("%.0f", other/ms)
			}
			logs = append(logs, math.Log(other/ms))
			if other/ms < 0.95 {
				slower = append(slower, name)
			}
		}
		rows = append(rows, row)
	}
	sum := 0.0
	for _, v := range logs {
		sum += v
	}
	text := "| nest | launches | time | at least | PPCG's | times as fast | compared |\n|---|---|---|---|---|---|---|\n"
	for _, row := range rows {
		text += "| " + strings.Join(row, " | ") + " |\n"
	}
	text += fmt.Sprintf("\nGeometric mean over %d nests: %.1f times as fast", len(logs), math.Exp(sum/float64(len(logs))))
	if mean := math.Exp(sum / float64(len(logs))); mean < 8 || len(slower) > 0 {
		t.Errorf("%.1f times as fast as PPCG's code in the mean, and slower for %v", mean, slower)
	}
	if len(slower) > 0 {
		text += "; slower are " + strings.Join(slower, ", ")
	}
	text += ".\n\n" + mappingsBefore(t, set, times)
	tuning, err := os.ReadFile("../../docs/howto/tuning.md")
	if err != nil {
		t.Fatal(err)
	}
	if said := searchedBefore(t, today); !strings.Contains(strings.Join(strings.Fields(string(tuning)), " "), said) {
		t.Errorf("docs/howto/tuning.md does not say: %s", said)
	}
	have, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(have), text) {
		return
	}
	if os.Getenv("UPDATE") == "" {
		t.Fatalf("%s has another table than the recordings give (UPDATE=1 writes it):\n%s", page, text)
	}
	before, rest, ok := strings.Cut(string(have), "| nest | launches |")
	_, rest, ok2 := strings.Cut(rest, "| nest | default |")
	_, after, ok3 := strings.Cut(rest, "\n\n")
	if !ok || !ok2 || !ok3 {
		t.Fatalf("%s has no tables", page)
	}
	if err := os.WriteFile(page, []byte(before+text+"\n"+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// bars are the nests that memory and launches bound, with the launches that they have where no time is tiled.
var bars = map[string]int{"jacobi-2d": 1000, "heat-3d": 1000, "atax": 3, "bicg": 4, "mvt": 2, "gemver": 3, "gesummv": 2}

// mappingsBefore tells what nests take by default, and by the mapping of shared sums that was the default before, which the same process timed after it. The times of the
// defaults are given in words.
func mappingsBefore(t *testing.T, set *samples.Set, times map[string]string) string {
	t.Helper()
	text := "Where the mapping of shared sums has changed, the one of before was timed with all else as it was then, on another device two days before:\n\n| nest | default | mapping of before |\n|---|---|---|\n"
	n := 0
	for r, err := range set.All() {
		if err != nil {
			t.Fatal(err)
		}
		if !tried(r) {
			continue
		}
		n++
		usual, other := recordOf(t, set, r.Kernel.Source).Summary.Median, r.Summary.Median
		if usual > 1.03*other {
			t.Errorf("%s takes %s by default, and %s by the mapping of before", r.Kernel.Source, format.Seconds(usual), format.Seconds(other))
		}
		text += fmt.Sprintf("| `%s` | %s | %s |\n", r.Kernel.Source, times[r.Kernel.Source], timeOf(r, sourceOf(t, measured(t, r.Kernel.Source), r)))
	}
	if n < 8 {
		t.Errorf("%d mappings of before", n)
	}
	return text
}

// What an H200 takes for a launch, in seconds, and the bytes that it copies in one.
const (
	perLaunch = 4.3e-6
	bandwidth = 4.28e12
)

// ppcg are the times of PPCG's code in milliseconds.
func ppcg(t *testing.T) map[string]float64 {
	t.Helper()
	f, err := os.Open("../../testdata/h200/ppcg.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, row := range all[1:] {
		if out[row[0]], err = strconv.ParseFloat(row[1], 64); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func exampleNames(t *testing.T) func(yield func(string) bool) {
	t.Helper()
	files, err := filepath.Glob("../../examples/polybench/*.c")
	if err != nil || len(files) != 30 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	return func(yield func(string) bool) {
		for _, f := range files {
			if !yield(strings.TrimSuffix(filepath.Base(f), ".c")) {
				return
			}
		}
	}
}

// tried reports that a record is of a configuration that was asked for, and not the default.
func tried(r *samples.Record) bool {
	return slices.ContainsFunc(r.Tags, func(tag string) bool { return strings.HasPrefix(tag, scheduleChoice+":") })
}

// recordOf is the record of a nest by default.
func recordOf(t *testing.T, set *samples.Set, name string) *samples.Record {
	t.Helper()
	for r, err := range set.All() {
		if err != nil {
			t.Fatal(err)
		}
		if r.Kernel.Source == name && !tried(r) {
			return r
		}
	}
	return nil
}

func launchesIn(r *samples.Record) int {
	for _, tag := range r.Tags {
		if n, err := strconv.Atoi(strings.TrimPrefix(tag, "launches:")); err == nil {
			return n
		}
	}
	return 0
}

// compulsory are the bytes of arrays that come from memory, and those that go there, if each does once.
func compulsory(t *testing.T, n *scop.Nest, at map[string]int64) (bytes float64) {
	t.Helper()
	k, err := n.Kernel()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range n.Arrays {
		if a.Local || len(a.Shape) == 0 {
			continue
		}
		elements, err := k.Array(a.Name).Elements(at)
		if err != nil {
			t.Fatal(err)
		}
		read, write := false, false
		for _, s := range n.Statements {
			for _, x := range s.Accesses {
				read, write = read || x.Array == a && !x.Write, write || x.Array == a && x.Write
			}
		}
		for _, is := range []bool{read, write} {
			if is {
				bytes += float64(elements) * float64(a.DType.Size())
			}
		}
	}
	return bytes
}

// judgement says what the results were compared with.
func judgement(r *samples.Record) string {
	var list []string
	for _, v := range r.Verified {
		with := "text"
		if v.Reference != "" {
			with = "plainer kernels"
		}
		if v.Reference == "" && (len(r.Verified) > 1 || r.Unverified != "") {
			with += " at " + format.SizeList(v.Sizes, ", ")
		}
		list = append(list, with)
	}
	if r.Unverified != "" {
		list = append(list, "not at these sizes")
	}
	return strings.Join(list, "; ")
}

// TestRecordedProducts: products of matrices of 1024 to 4096 rows take no more than 1.05 times as long by default as by the other mappings of tiles that were measured.
func TestRecordedProducts(t *testing.T) {
	set, err := samples.Load("../../testdata/h200/scop_products.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	usual, least := map[int64]float64{}, map[int64]float64{}
	for r, err := range set.All() {
		if err != nil {
			t.Fatal(err)
		}
		n, took := r.Kernel.Sizes["ni"], r.Summary.Median
		if !tried(r) {
			usual[n] = took
			t.Logf("%d rows: %s, %.1f TFLOP/s", n, format.Seconds(took), 2*math.Pow(float64(n), 3)/took/1e12)
		} else if least[n] == 0 || took < least[n] {
			least[n] = took
		}
	}
	for n, took := range usual {
		if took > 1.05*least[n] {
			t.Errorf("%d rows: %g s by default, and %g by another mapping", n, took, least[n])
		}
	}
	if len(usual) != 3 || len(least) != 3 {
		t.Errorf("%v %v", usual, least)
	}
}
