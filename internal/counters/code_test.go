package counters

import (
	"os"
	"slices"
	"strings"
	"testing"

	"gpuperf/device"
	"gpuperf/launch"
	"gpuperf/samples"
)

// code reads what ncu has printed of a product of matrices in tiles, and of a transposition in tiles. Columns are left out.
func code(t *testing.T) [][]Instruction {
	text, err := os.ReadFile("testdata/source.csv")
	if err != nil {
		t.Fatal(err)
	}
	all, err := parseCode("==PROF== is what ncu says\n" + string(text))
	if err != nil || len(all) != 2 {
		t.Fatalf("%d launches, %v; want 2", len(all), err)
	}
	return all
}

func TestCode(t *testing.T) {
	all := code(t)
	product, transposition := all[0], all[1]
	if want := (Instruction{Address: 0x550, Text: "@!P0 BRA 0x210", Warps: 32768, Items: 983040}); product[0x55] != want {
		t.Errorf("%+v, want %+v", product[0x55], want)
	}
	last := transposition[len(transposition)-1]
	if want := (Instruction{Address: 464, Text: "EXIT", Warps: 32768, Items: 1048576}); last != want {
		t.Errorf("the last is %+v, want %+v: padding is left out", last, want)
	}
	if got := executed(product, "BAR"); got != 2*32768 {
		t.Errorf("%g barriers", got)
	}
	for _, text := range []string{"", `"Kernel Name","k",` + "\n" + `"Address","Source"` + "\n" + `"0x10","EXIT"`} {
		if all, err := parseCode(text); (text != "") != (err != nil) || len(all) != 0 {
			t.Errorf("%q: %v, %v", text, all, err)
		}
	}
}

// TestShares: four loads of 16 bytes take two wavefronts each, 16 of 4 bytes one.
func TestShares(t *testing.T) {
	c := Counted{
		Code: code(t)[0],
		Record: samples.Record{Metrics: map[string]samples.Metric{
			"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": {Value: 786432}, "gpu__time_duration.sum": {Value: 1500, Unit: "ns"},
		}},
	}
	got := compare(&launch.Counts{MergedWavefronts: 1048576}, nil, c)
	if len(got) != 2 || got[0].Hardware != 1.5e-6 || !got[1].Off() {
		t.Fatalf("%+v", got)
	}
	want := []Share{{"LDS", 16, "LDS R26, [R19]", 16 * 32768, 0, 32768}, {"LDS.128", 4, "LDS.128 R8, [R20]", 4 * 2 * 32768, 0, 65536}}
	if !slices.Equal(got[1].Shares, want) {
		t.Errorf("%+v, want %+v", got[1].Shares, want)
	}
}

// TestTogether: counts of launches in a row are added up, their rates are means over the time.
func TestTogether(t *testing.T) {
	launch := func(time, hits, bytes float64) launched {
		return launched{metrics: map[string]samples.Metric{
			"gpu__time_duration.sum": {Value: time, Unit: "ns"}, "l1tex__t_sector_hit_rate.pct": {Value: hits}, "dram__bytes_read.sum": {Value: bytes}, barriers: {Value: bytes},
		}}
	}
	got := together([]launched{launch(100, 10, 5), launch(300, 50, 7)})
	for name, want := range map[string]float64{"gpu__time_duration.sum": 400, "l1tex__t_sector_hit_rate.pct": 40, "dram__bytes_read.sum": 12, barriers: 12} {
		if got[name].Value != want {
			t.Errorf("%s is %g, want %g", name, got[name].Value, want)
		}
	}
}

// TestCommand: the worker is started by ncu, which counts the kernels of the works and nothing before the worker says so.
func TestCommand(t *testing.T) {
	n := ncu{path: "/bin/ncu", worker: []string{"perf", "worker"}}
	w := Work{}
	w.Job.Entry = "ns::k_1<float, 2>"
	got := strings.Join(n.command([]Work{w, {Job: device.Job{Entry: "l"}}}, "log", "report", samples.Cold, metrics(), true), " ")
	for _, want := range []string{"/bin/ncu ", "--cache-control all", "--profile-from-start off", "regex:^(k_1|l)$", "--section SourceCounters", " perf worker"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
	if strings.Contains(got, barriers+",") {
		t.Errorf("%s asks for %s", got, barriers)
	}
}
