package samples

import (
	"math/rand"
	"os"
	"path/filepath"
	"testing"
)

// many returns n records of 60 trials each, in the timer's steps of an H200.
func many(n int) []Record {
	rng := rand.New(rand.NewSource(1))
	all := make([]Record, n)
	for i := range all {
		r := record(int64(i+1), OK)
		r.Trials = make([]float64, 60)
		for k := range r.Trials {
			r.Trials[k] = float64(1_000_000+32*rng.Intn(1000)) / 1e9
		}
		s := Summarize(r.Trials)
		r.Summary = &s
		all[i] = r
	}
	return all
}

func BenchmarkJournal10000(b *testing.B) {
	all := many(10000)
	path := filepath.Join(b.TempDir(), "s.jsonl")
	b.Run("append", func(b *testing.B) {
		for b.Loop() {
			os.Remove(path)
			j, err := Open(path)
			if err != nil {
				b.Fatal(err)
			}
			for _, r := range all {
				if err := j.Append(r); err != nil {
					b.Fatal(err)
				}
			}
			if err := j.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			j, err := Open(path)
			if err != nil {
				b.Fatal(err)
			}
			if len(j.Records()) != len(all) {
				b.Fatalf("%d records", len(j.Records()))
			}
			j.Close()
		}
	})
}
