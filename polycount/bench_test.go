package polycount

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// BenchmarkCases prints the median and the 90th percentile of our time for parsing and counting over the reference's
// in-process time, that taken as at least 0.2 ms, and the slowest ratios.
func BenchmarkCases(b *testing.B) {
	cases := readCases(b)
	type result struct {
		ratio, ms float64
		name      string
	}
	for b.Loop() {
		var rs []result
		for _, c := range cases {
			if c.Unbounded {
				continue
			}
			times := make([]time.Duration, 0, 5)
			for len(times) < cap(times) {
				start := time.Now()
				if _, err := c.count(); err != nil {
					b.Fatal(c.Name, err)
				}
				times = append(times, time.Since(start))
				if times[len(times)-1] > 100*time.Millisecond {
					break
				}
			}
			slices.Sort(times)
			ms := float64(times[len(times)/2]) / 1e6
			rs = append(rs, result{ms / max(c.BarvinokMS, 0.2), ms, c.Name})
		}
		slices.SortFunc(rs, func(x, y result) int { return int(1e6 * (x.ratio - y.ratio)) })
		b.ReportMetric(rs[len(rs)/2].ratio, "median-ratio")
		b.ReportMetric(rs[len(rs)*9/10].ratio, "p90-ratio")
		b.ReportMetric(rs[len(rs)-1].ratio, "worst-ratio")
		if testing.Verbose() {
			for _, r := range rs[len(rs)-8:] {
				fmt.Printf("%s: %.2f ms, ratio %.2f\n", r.name, r.ms, r.ratio)
			}
		}
	}
}

// BenchmarkEval evaluates each case's count, compiled, at its points.
func BenchmarkEval(b *testing.B) {
	type prepared struct {
		e  *Evaluator
		at [][]int64
	}
	var all []prepared
	points := 0
	for _, c := range readCases(b) {
		if c.Unbounded {
			continue
		}
		p, err := c.count()
		if err != nil {
			b.Fatal(c.Name, err)
		}
		x := prepared{e: p.Compile(p.Params())}
		for _, v := range c.Values {
			x.at = append(x.at, v.At)
		}
		points += len(x.at)
		all = append(all, x)
	}
	var times []float64
	b.ReportAllocs()
	for b.Loop() {
		for _, x := range all {
			for _, at := range x.at {
				start := time.Now()
				for range 10 {
					x.e.Int64(at)
				}
				if len(times) < points {
					times = append(times, float64(time.Since(start))/10)
				}
			}
		}
	}
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2], "median-ns")
	b.ReportMetric(times[len(times)*9/10], "p90-ns")
}

// BenchmarkMatmulTile counts a domain of the form of a tiled matrix multiplication and drops its guards.
func BenchmarkMatmulTile(b *testing.B) {
	ctx := mustSet(b, "[n] -> { : n mod 16 = 0 and n >= 1 }")
	b.ReportAllocs()
	for b.Loop() {
		s := mustSet(b, "[n] -> { [io,jo,ko,ii,ji,ki] : 0 <= ii,ji,ki < 16 and 0 <= 16io + ii < n and 0 <= 16jo + ji < n and 0 <= 16ko + ki < n }")
		p, err := s.Count()
		if err != nil {
			b.Fatal(err)
		}
		if g, err := p.Gist(ctx); err != nil || g.String() != "[n] -> { n^3 }" {
			b.Fatal(g, err)
		}
	}
}
