package memory

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"
)

// h200 is how an H200 keeps: the numbers of device/facts.
var h200 = Keeping{Clean: Fading{0.55, 0.85}, Dirty: Fading{0.46, 0.91}, FirstDirty: 0.32, MostDirty: 0.45, FilledSooner: 0.67, DirtyRoom: 1.3, SharedRoom: 1.0 / 3, Open: Fading{0.1, 2.4}}

// TestKeep compares what L2 keeps from launch to launch with what an H200 did (testdata/h200/l2.csv, made by scripts/l2.cu): DRAM traffic of the
// last of launches in a row of one kernel, by part of what it reads and writes.
func TestKeep(t *testing.T) {
	const mib = 1 << 20
	f, err := os.Open("../testdata/h200/l2.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	// stream has work-groups of 256 work-items that make the accesses, of 16 bytes each.
	stream := func(bytes int64, stores ...bool) *Launch {
		groups := bytes / 4096
		l := &Launch{Groups: [3]int64{groups, 1, 1}}
		for i, store := range stores {
			a := access(i, store, run(groups, 4096), run(1, 0), nil, lanes(256, 1, 16, 0))
			a.Width, a.Parts[0].Sectors = 16, float64(bytes/SectorBytes)
			l.Arrays, l.Body = append(l.Arrays, Array{Bytes: bytes}), append(l.Body, a)
		}
		return l
	}
	all := func(bytes int64) *Launch {
		a := access(0, false, run(132, 0), run(1, 0), []Run{run(bytes/16384, 16384)}, lanes(1024, 1, 16, 0))
		a.Width, a.Parts[0].Sectors = 16, float64(132*bytes/SectorBytes)
		return &Launch{Groups: [3]int64{132, 1, 1}, Arrays: []Array{{Bytes: bytes}}, Body: []Step{&Loop{Body: []Step{a}}}}
	}
	launches := map[string]func(bytes int64) *Launch{
		"read": func(n int64) *Launch { return stream(n, false) }, "write": func(n int64) *Launch { return stream(n, true) },
		"copy": func(n int64) *Launch { return stream(n/2, false, true) }, "read_all": all,
	}
	last := map[string]string{"read": "3", "write": "3", "copy": "3", "read_all": "2"}
	worst, sum, n := 0.0, 0.0, 0
	for _, row := range rows {
		make, ok := launches[row[0]]
		if !ok || row[2] != last[row[0]] {
			continue
		}
		var v [3]float64
		for i, text := range []string{row[1], row[3], row[4]} {
			if v[i], err = strconv.ParseFloat(text, 64); err != nil {
				t.Fatal(err)
			}
		}
		got := make(int64(v[0]) * mib).Estimate(Device{Multiprocessors: 132, Resident: 8, L1: 1 << 17, L2: 60 * mib, Keeps: h200})
		off := max(math.Abs(got.WarmReads-v[1]), math.Abs(got.WarmWrites-v[2])) / (v[0] * mib)
		worst, sum, n = max(worst, off), sum+off, n+1
		if off > 0.3 {
			t.Errorf("%s of %s MiB: DRAM reads %.1f and writes %.1f MiB, want %.1f and %.1f", row[0], row[1], got.WarmReads/mib, got.WarmWrites/mib, v[1]/mib, v[2]/mib)
		}
	}
	t.Logf("%d launches, off by %.3f of what they access in the mean, %.3f at worst", n, sum/float64(n), worst)
	if n < 100 || sum/float64(n) > 0.04 {
		t.Errorf("%d launches are off by %.3f of what they access, in the mean", n, sum/float64(n))
	}
}

// TestScatteredStores: stores of 4 bytes that are far apart fill sectors one after the other, later. On an H200 (25 million of them, through 96 MiB in
// steps of 16 kB) nearly each had its sector read and written, 766 MiB both ways; where all fit into L2 (8 MiB), few.
func TestScatteredStores(t *testing.T) {
	const mib = 1 << 20
	for _, test := range []struct{ bytes, least, most float64 }{{96 * mib, 700 * mib, 800 * mib}, {8 * mib, 0, 4 * mib}} {
		groups := int64(test.bytes) / 1024
		a := access(0, true, run(groups, 256*4099*4), run(1, 0), nil, lanes(256, 1, 4099*4, 0))
		a.Parts[0].Sectors = test.bytes / 4
		l := &Launch{Groups: [3]int64{groups, 1, 1}, Arrays: []Array{{Bytes: int64(test.bytes)}}, Body: []Step{a}}
		got := l.Estimate(Device{Multiprocessors: 132, Resident: 8, L1: 1 << 17, L2: 60 * mib, Keeps: h200})
		for _, n := range []float64{got.DRAMReads, got.DRAMWrites, got.WarmReads, got.WarmWrites} {
			if n < test.least || n > test.most {
				t.Errorf("%.0f MiB: %+v", test.bytes/mib, got)
				break
			}
		}
	}
}

// TestRewritten: work-items that each store along a row of their own, word by word. On an H200 each sector was written so often, by ncu (rows 4 KB apart, 256 words of each;
// testdata/h200/measurement/rows.csv.gz has the times), but for the second: 1.5.
func TestRewritten(t *testing.T) {
	const pitch, words, block = 4096, 256, 256
	for _, test := range []struct {
		groups, arrays int64
		times          float64
	}{{132, 1, 1}, {264, 1, 1.3}, {528, 1, 1.82}, {1056, 1, 2.2}, {528, 4, 3.87}, {1056, 4, 7.1}} {
		l := &Launch{Groups: [3]int64{test.groups, 1, 1}, Lines: true}
		var body []Step
		for i := range int(test.arrays) {
			a := access(i, true, run(test.groups, block*pitch), run(1, 0), []Run{run(words, WordBytes)}, lanes(block, 1, pitch, 0))
			p := &a.Parts[0]
			p.Sectors, p.Lines, p.Requests = float64(test.groups*block*words), float64(test.groups*block*words), float64(test.groups*block*words/32)
			l.Arrays, body = append(l.Arrays, Array{Bytes: test.groups * block * pitch}), append(body, a)
		}
		l.Body = []Step{&Loop{Body: body}}
		got := l.Estimate(Device{Multiprocessors: 132, Resident: 8, L1: 1 << 17, L2: 60 * (1 << 20), Keeps: h200})
		if times := 1 + got.Rewritten/got.Written; math.Abs(times/test.times-1) > 0.2 {
			t.Errorf("%d groups, %d arrays: written %.2f times, want %.2f", test.groups, test.arrays, times, test.times)
		}
	}
}

// TestPlain: a cache of which nothing else is known keeps what a launch leaves as far as it has room.
func TestPlain(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct{ bytes, reads, writes float64 }{{8 * mib, 0, 0}, {60 * mib, 0, 0}, {64 * mib, 64 * mib, 0}} {
		groups := int64(c.bytes) / 4096
		a := access(0, false, run(groups, 4096), run(1, 0), nil, lanes(256, 1, 16, 0))
		a.Width, a.Parts[0].Sectors = 16, c.bytes/SectorBytes
		l := &Launch{Groups: [3]int64{groups, 1, 1}, Arrays: []Array{{Bytes: int64(c.bytes)}}, Body: []Step{a}}
		got := l.Estimate(Device{Multiprocessors: 4, Resident: 1, L1: 1 << 17, L2: 60 * mib})
		if got.DRAMReads != c.bytes || got.WarmReads != c.reads || got.WarmWrites != c.writes {
			t.Errorf("%.0f MiB: %+v", c.bytes/mib, got)
		}
	}
	for _, c := range []struct{ all, left float64 }{{0.5, 1}, {1, 1}, {2, 0.5}} {
		if got := plain.Dirty.Of(c.all, 0); got != c.left {
			t.Errorf("of %g of the capacity %g is left, want %g", c.all, got, c.left)
		}
	}
}

// TestSince: rows of work-groups that each go through a part of one array and through all of another. What comes before an array is touched
// again is a row where a row touches nearly all of it; else the launch.
func TestSince(t *testing.T) {
	const kib, row = 1 << 10, 1024
	for _, c := range []struct {
		shift int64   // from row to row, in KiB
		since float64 // as a part of what the launch touches
	}{
		{0, 1},
		{16, 2.0 * row / (2*row + 3*16)},
		{64, 1}, // a row touches 0.84 of the array
		{row / 2, 1},
	} {
		moving := access(0, false, run(row, kib), run(4, c.shift*kib), nil, lanes(256, 1, 4, 0))
		still := access(1, false, run(row, kib), run(4, 0), nil, lanes(256, 1, 4, 0))
		l := &Launch{Groups: [3]int64{row, 4, 1}, Arrays: []Array{{Bytes: (row + 3*c.shift) * kib}, {Bytes: row * kib}}, Body: []Step{moving, still}}
		l.prepare()
		whole := l.whole()
		got := l.since(&Device{Multiprocessors: 4, Resident: 1, L2: 64 * kib}, 1, &whole, 2*row*kib)
		if math.Abs(got[0]-c.since) > 1e-9 {
			t.Errorf("rows %d KiB apart: %.4f of the launch, want %.4f", c.shift, got[0], c.since)
		}
	}
}

// TestCopied: copies to an array that is only stored displace what is loaded, which else stays.
func TestCopied(t *testing.T) {
	const mib, kib = 1 << 20, 1 << 10
	for _, c := range []struct {
		copied bool
		reads  float64
	}{{false, 0}, {true, 16 * mib}} {
		const groups = 16 * kib
		load := access(0, false, run(groups, kib), run(1, 0), nil, lanes(256, 1, 4, 0))
		store := access(1, true, run(groups, kib), run(1, 0), nil, lanes(256, 1, 4, 0))
		l := &Launch{Groups: [3]int64{groups, 1, 1}, Arrays: []Array{{Bytes: 16 * mib}, {Bytes: 16 * mib, Copied: c.copied}}, Body: []Step{load, store}}
		got := l.Estimate(Device{Multiprocessors: 4, Resident: 1, L1: 1 << 17, L2: 40 * mib})
		if got.WarmReads != c.reads {
			t.Errorf("copied %v: DRAM reads %.1f MiB, want %.1f", c.copied, got.WarmReads/mib, c.reads/mib)
		}
	}
}
