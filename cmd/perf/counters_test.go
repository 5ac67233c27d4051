package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"gpuperf/internal/counters"
	"gpuperf/internal/format"
	"gpuperf/internal/golden"
	"gpuperf/launch"
	"gpuperf/samples"
)

// reason says why counts of kernels differ from the hardware's.
type reason struct {
	Because string
	Title   string
	What    []string
	Kernels []string
}

// TestCountersOfTheH200 holds docs/counters.md to what the H200 has counted of the kernels in testdata/h200/counters.txt and counters_vectors.txt: each count
// that is off has a reason in counters.yaml, and the instructions quoted for it make up the hardware's number. UPDATE=1 writes the tables there.
// Without it, or LONG=1, the kernels are every eighth of the first list, and their counts are held to the reasons alone.
func TestCountersOfTheH200(t *testing.T) {
	text, err := os.ReadFile("../../testdata/h200/counters.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var reasons []reason
	if err := yaml.UnmarshalWithOptions(text, &reasons, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("LONG") == "" && os.Getenv("UPDATE") == "" {
		some := recordedCounts(t, everyEighth(t, "../../testdata/h200/counters.txt"), "counters")
		for _, r := range some {
			checkIdentities(t, r)
		}
		if explained(t, some, reasons); len(some) < 20 {
			t.Errorf("%d kernels, want 20", len(some))
		}
		return
	}
	all := slices.Concat(recordedCounts(t, "testdata/h200/counters.txt", "counters"), recordedCounts(t, "testdata/h200/counters_vectors.txt", "counters_vectors"))
	later := recordedCounts(t, "testdata/h200/counters_further.txt", "counters_further")
	var warm []counters.Result
	for _, r := range slices.Concat(all, later) {
		checkIdentities(t, r)
	}
	for _, r := range all {
		if r.Caches == samples.Warm {
			warm = append(warm, r)
		}
	}
	if len(warm) < 60 {
		t.Errorf("%d kernels, want 60", len(warm))
	}
	const page = "../../docs/counters.md"
	before, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	after := string(before)
	for name, write := range map[string]func(*strings.Builder){
		"kinds":   func(b *strings.Builder) { writeKinds(b, warm) },
		"reasons": func(b *strings.Builder) { writeReasons(t, b, warm, reasons) },
		"memory":  func(b *strings.Builder) { writeMemory(b, all) },
		"caches":  func(b *strings.Builder) { writeCaches(b, all) },
		"further": func(b *strings.Builder) { writeCaches(b, later) },
	} {
		var b strings.Builder
		write(&b)
		after = replaced(t, after, name, b.String())
	}
	golden.Check(t, page, after)
}

// recordedCounts are the recorded counts of a list of kernels, caches warm and cold.
func recordedCounts(t *testing.T, list, recording string) []counters.Result {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"counters", "--kernels", list, "--cache", "both", "--json", "--recorded", "testdata/h200/" + recording + ".jsonl.gz"}
	out, err := call{Args: args, Dir: root, Env: os.Environ()}.do()
	if err != nil || out.Status != exitDone {
		t.Fatalf("%v: %s", err, out.Stderr)
	}
	var result struct{ Kernels []counters.Result }
	if err := json.Unmarshal([]byte(out.Stdout), &result); err != nil {
		t.Fatal(err)
	}
	return result.Kernels
}

// everyEighth writes a list of every eighth kernel of a list, and returns its path.
func everyEighth(t *testing.T, list string) string {
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	var some strings.Builder
	kernels := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			some.WriteString(line)
		} else if kernels++; kernels%8 == 1 {
			some.WriteString(line)
		}
	}
	path := filepath.Join(t.TempDir(), "kernels.txt")
	if err := os.WriteFile(path, []byte(some.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// replaced puts a text between the marks of a place in the page.
func replaced(t *testing.T, page, name, text string) string {
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
	head, rest, found := strings.Cut(page, begin)
	_, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("the page has no place for %s", name)
	}
	return head + begin + text + end + tail
}

// metric is a number of the hardware's.
func metric(r counters.Result, name string) float64 { return r.Metrics[name].Value }

// checkIdentities checks that the metrics of a launch fit each other: what hits and what misses is all that is asked for, and the bytes of
// DRAM are those of its sectors. They are counted in different runs.
func checkIdentities(t *testing.T, r counters.Result) {
	const l1, l2 = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld", "lts__t_sectors_srcunit_tex_op_read"
	const tolerance, least = 0.03, 5e4 // lookups of sectors that are on their way are counted again
	for name, sides := range map[string][2]float64{
		"L1 loads": {metric(r, l1+".sum"), metric(r, l1+"_lookup_hit.sum") + metric(r, l1+"_lookup_miss.sum")},
		"DRAM":     {metric(r, "dram__bytes_read.sum"), 32 * metric(r, "dram__sectors_read.sum")},
	} {
		if math.Abs(sides[0]-sides[1]) > tolerance*sides[0]+least {
			t.Errorf("%s %s %s: %s: %g is not %g", r.Kernel, format.Sizes(r.At), r.Caches, name, sides[0], sides[1])
		}
	}
}

func title(r counters.Result) string { return r.Kernel + " " + format.Sizes(r.At) }

// writeKinds tells for each kind of kernels how many counts agree.
func writeKinds(b *strings.Builder, all []counters.Result) {
	table := format.NewTable("kind", ">kernels", ">counts", ">within 2 %", ">equal")
	var order []string
	sums := map[string]*[4]int{}
	for _, r := range all {
		if sums[r.Kind] == nil {
			order, sums[r.Kind] = append(order, r.Kind), &[4]int{}
		}
		for _, s := range []*[4]int{sums[r.Kind], total(sums)} {
			s[0]++
			for _, row := range r.Rows {
				if row.Counted == nil {
					continue
				}
				s[1]++
				if !row.Off() {
					s[2]++
				}
				if *row.Counted == row.Hardware {
					s[3]++
				}
			}
		}
	}
	for _, kind := range append(order, "together") {
		s := sums[kind]
		table.Row(kind, fmt.Sprint(s[0]), fmt.Sprint(s[1]), fmt.Sprint(s[2]), fmt.Sprint(s[3]))
	}
	if err := table.WriteIndented(b, "    "); err != nil {
		panic(err)
	}
}

func total[T any](sums map[string]*T) *T {
	if sums["together"] == nil {
		sums["together"] = new(T)
	}
	return sums["together"]
}

// off is a count that is not the hardware's.
type off struct {
	counters.Result
	row counters.Compared
}

// explained finds the reason of each count that is off, with the instructions that the hardware has counted.
func explained(t *testing.T, all []counters.Result, reasons []reason) [][]off {
	found := make([][]off, len(reasons))
	for _, r := range all {
		for _, row := range r.Rows {
			if !row.Off() {
				continue
			}
			i := slices.IndexFunc(reasons, func(e reason) bool { return slices.Contains(e.What, row.What) && slices.Contains(e.Kernels, r.Kernel) })
			if i < 0 {
				t.Errorf("%s: %s: the hardware has %g, counted are %g, and no reason is given", title(r), row.What, row.Hardware, *row.Counted)
				continue
			}
			found[i] = append(found[i], off{r, row})
			sum, rounded := 0.0, 0
			for _, s := range row.Shares {
				sum, rounded = sum+s.Value, rounded+s.Rounded
			}
			// Of launches in a row the code of the first is recorded.
			if sum > 1.001*row.Hardware || sum < 0.97*row.Hardware && rounded == 0 {
				t.Errorf("%s: %s: the instructions have %g of %g", title(r), row.What, sum, row.Hardware)
			}
		}
	}
	return found
}

// writeReasons lists what is off by its reasons.
func writeReasons(t *testing.T, b *strings.Builder, all []counters.Result, reasons []reason) {
	found := explained(t, all, reasons)
	named := map[string]bool{}
	for i, list := range found {
		for _, o := range list {
			named[fmt.Sprint(i, o.row.What)], named[fmt.Sprint(i, o.Kernel)] = true, true
		}
	}
	for i, e := range reasons {
		for _, name := range slices.Concat(e.What, e.Kernels) {
			if !named[fmt.Sprint(i, name)] {
				t.Errorf("reason %q: nothing is off in %s", e.Title, name)
			}
		}
		fmt.Fprintf(b, "**%s.**\n%s\n\n", e.Title, strings.TrimSpace(e.Because))
		table := format.NewTable("kernel", "what", ">hardware", ">counted", ">ratio")
		for _, o := range found[i] {
			ratio := "-"
			if v, ok := o.row.Ratio(); ok {
				ratio = fmt.Sprintf("%.3f", v)
			}
			table.Row(title(o.Result), o.row.What, format.Rough(o.row.Hardware, ""), format.Rough(*o.row.Counted, ""), ratio)
			quote(table, o.row.Shares)
		}
		if err := table.WriteIndented(b, "    "); err != nil {
			t.Fatal(err)
		}
		b.WriteString("\n")
	}
}

// quote adds the instructions to a table: how many of a kind there are, what they have, and one of them.
func quote(table *format.Table, shares []counters.Share) {
	const most = 3
	for i, s := range shares {
		if i == most {
			table.Row(fmt.Sprintf("  and %d more kinds", len(shares)-most), "", "", "", "")
			return
		}
		value := format.Rough(s.Value, "")
		if s.Rounded > 0 {
			value = "some"
		}
		table.Row(fmt.Sprintf("  %d × %s", s.Instructions, s.Mnemonic), s.Example, value, "", "")
	}
}

// writeMemory lists the traffic of memory, caches warm and cold.
func writeMemory(b *strings.Builder, all []counters.Result) {
	table := format.NewTable("kernel", "sizes", ">time", ">cold", ">L1 hits", ">cold", ">L2 hits", ">cold", ">DRAM read", ">cold", ">written", ">cold")
	cold := map[string]counters.Result{}
	for _, r := range all {
		if r.Caches == samples.Cold {
			cold[title(r)] = r
		}
	}
	for _, warm := range all {
		if warm.Caches != samples.Warm {
			continue
		}
		cells := []string{short(warm.Kernel), format.Sizes(warm.At)}
		for _, column := range traffic {
			cells = append(cells, column(warm), column(cold[title(warm)]))
		}
		table.Row(cells...)
	}
	if err := table.WriteIndented(b, "    "); err != nil {
		panic(err)
	}
}

// judged is something that package memory expects of the caches.
type judged struct {
	title, unit string
	caches      samples.Mode
	// of is what the hardware counts and what is expected, and by how much they may differ; false where there is nothing to compare.
	of func(r counters.Result, estimated map[string]float64) (hardware, expected, tolerance float64, ok bool)
}

const fromL2, read, written = "l1tex__m_xbar2l1tex_read_sectors.sum", "dram__bytes_read.sum", "dram__bytes_write.sum"

// hitRates may be off by five points. Those of L1 are of the sectors that the hardware counts, those of L2 by what comes from DRAM.
const points = 0.05

func l1Hits(r counters.Result, estimated map[string]float64) (hardware, expected, tolerance float64, ok bool) {
	asked := metric(r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")
	return 1 - metric(r, fromL2)/asked, max(1-estimated[fromL2]/asked, 0), points, asked > 0
}

func l2Hits(r counters.Result, estimated map[string]float64) (hardware, expected, tolerance float64, ok bool) {
	rate := func(sectors, bytes float64) float64 { return max(1-bytes/launch.SectorBytes/sectors, 0) }
	asked := metric(r, fromL2)
	return rate(asked, metric(r, read)), rate(estimated[fromL2], estimated[read]), points, asked > 0 && estimated[fromL2] > 0
}

// bytes of DRAM may be off by 5 % or 2 MB.
func bytesOf(name string) func(counters.Result, map[string]float64) (hardware, expected, tolerance float64, ok bool) {
	return func(r counters.Result, estimated map[string]float64) (hardware, expected, tolerance float64, ok bool) {
		n := metric(r, name)
		return n, estimated[name], max(0.05*n, 2e6), true
	}
}

var judgements = []judged{
	{"L1 hits", "%", samples.Cold, l1Hits},
	{"L2 hits", "%", samples.Cold, l2Hits},
	{"DRAM read", "B", samples.Cold, bytesOf(read)},
	{"written", "B", samples.Cold, bytesOf(written)},
	{"L2 hits", "%", samples.Warm, l2Hits},
	{"DRAM read", "B", samples.Warm, bytesOf(read)},
	{"written", "B", samples.Warm, bytesOf(written)},
}

// writeCaches tells for each kind of kernels how many estimates of traffic are near what the hardware counts, and which are not.
func writeCaches(b *strings.Builder, all []counters.Result) {
	titles := []string{"kind", ">kernels"}
	for _, j := range judgements {
		titles = append(titles, fmt.Sprintf(">%s, %s", j.title, j.caches))
	}
	table := format.NewTable(titles...)
	off := format.NewTable("kernel", "sizes", "what", ">hardware", ">estimated")
	var order []string
	kernels, near := map[string]int{}, map[string]int{}
	for _, r := range all {
		estimated := map[string]float64{}
		for _, row := range r.Rows {
			if row.Estimated != nil {
				estimated[row.Metric] = *row.Estimated
			}
		}
		if len(estimated) == 0 {
			continue
		}
		if r.Caches == samples.Cold {
			if kernels[r.Kind] == 0 {
				order = append(order, r.Kind)
			}
			kernels[r.Kind]++
			kernels["together"]++
		}
		for i, j := range judgements {
			if j.caches != r.Caches {
				continue
			}
			hardware, expected, tolerance, ok := j.of(r, estimated)
			if ok && math.Abs(hardware-expected) > tolerance {
				cells := []string{format.Rough(hardware, j.unit), format.Rough(expected, j.unit)}
				if j.unit == "%" {
					cells = []string{share(hardware, 1), share(expected, 1)}
				}
				off.Row(append([]string{short(r.Kernel), format.Sizes(r.At), j.title + ", " + string(j.caches)}, cells...)...)
				continue
			}
			near[fmt.Sprint(r.Kind, i)]++
			near[fmt.Sprint("together", i)]++
		}
	}
	for _, kind := range append(order, "together") {
		cells := []string{kind, fmt.Sprint(kernels[kind])}
		for i := range judgements {
			cells = append(cells, fmt.Sprint(near[fmt.Sprint(kind, i)]))
		}
		table.Row(cells...)
	}
	if err := table.WriteIndented(b, "    "); err != nil {
		panic(err)
	}
	b.WriteString("\nThe others:\n\n")
	if err := off.WriteIndented(b, "    "); err != nil {
		panic(err)
	}
}

// traffic are the columns of the table.
var traffic = []func(counters.Result) string{
	func(r counters.Result) string { return format.Seconds(metric(r, "gpu__time_duration.sum") * 1e-9) },
	hits("l1tex__t_sectors_pipe_lsu_mem_global_op_ld"), hits("lts__t_sectors_srcunit_tex_op_read"),
	func(r counters.Result) string { return format.Rough(metric(r, "dram__bytes_read.sum"), "B") },
	func(r counters.Result) string { return format.Rough(metric(r, "dram__bytes_write.sum"), "B") },
}

// hits is a column with the share of sectors that were found, of those that were looked up.
func hits(lookups string) func(counters.Result) string {
	return func(r counters.Result) string {
		return share(metric(r, lookups+"_lookup_hit.sum"), metric(r, lookups+".sum"))
	}
}

// short leaves out the end of a long name.
func short(name string) string {
	const most = 40
	if len(name) <= most {
		return name
	}
	return name[:most] + "…"
}

func share(part, all float64) string {
	if all == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100*part/all)
}
