package samples

import (
	"bufio"
	"encoding/json"
	"flag"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

var journalSize = flag.Int("journal", 10_000, "records of the journal that is benchmarked; 1000000 take 2 GB of disk")

// generated returns record i of a journal: 60 trials in the timer's steps of an H200, and one of 7 kernels.
func generated(i int) Record {
	rng := rand.New(rand.NewSource(int64(i)))
	r := record(int64(i/7+1), OK)
	r.Kernel.Variant = "variant_" + strconv.Itoa(i%7)
	r.Trials = make([]float64, 60)
	for k := range r.Trials {
		r.Trials[k] = float64(1_000_000+32*rng.Intn(1000)) / 1e9
	}
	s := Summarize(r.Trials)
	r.Summary = &s
	return r
}

// generate writes a journal of n records.
func generate(tb testing.TB, path string, n int) {
	tb.Helper()
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	defer w.Flush()
	out := json.NewEncoder(w)
	for i := range n {
		if err := out.Encode(generated(i)); err != nil {
			tb.Fatal(err)
		}
	}
}

// resident returns the most memory that the process had so far, in MB, where the system tells, and forgets it.
func resident(tb testing.TB) float64 {
	status, _ := os.ReadFile("/proc/self/status")
	os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
	_, text, _ := strings.Cut(string(status), "VmHWM:")
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return 0
	}
	kb, err := strconv.ParseFloat(fields[0], 64)
	if err != nil {
		tb.Fatal(err)
	}
	return kb / 1024
}

// BenchmarkJournal measures a journal of -journal records, and reports the most memory that was resident:
//
//	go test ./samples -run XXX -bench Journal -benchtime 3x -args -journal 1000000
func BenchmarkJournal(b *testing.B) {
	path := filepath.Join(b.TempDir(), "s.jsonl")
	generate(b, path, *journalSize)
	open := func(b *testing.B) *Journal {
		j, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		if len(j.entries) < *journalSize {
			b.Fatalf("%d records", len(j.entries))
		}
		return j
	}
	run := func(name string, f func(b *testing.B)) {
		b.Run(name, func(b *testing.B) {
			resident(b)
			f(b)
			b.ReportMetric(resident(b), "MB-resident")
		})
	}
	run("first", func(b *testing.B) {
		for b.Loop() {
			os.Remove(path + indexSuffix)
			open(b).Close()
		}
	})
	run("later", func(b *testing.B) {
		for b.Loop() {
			open(b).Close()
		}
	})
	j := open(b)
	defer j.Close()
	run("find", func(b *testing.B) {
		i := 0
		for b.Loop() {
			if _, state, err := j.Find(generated(i * 7919 % *journalSize)); err != nil || state != Fresh {
				b.Fatal(state, err)
			}
			i++
		}
	})
	run("append", func(b *testing.B) {
		r := record(1<<40, OK)
		for b.Loop() {
			r.Time = r.Time.Add(time.Second)
			if err := j.Append(r); err != nil {
				b.Fatal(err)
			}
		}
	})
}
