package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkServe asks perf serve for predictions. Each operation is one prediction: by a model of symbolic counts, asked for singly and a hundred at a time; by the
// model for any kernel, at a size that it has not seen; and by the same, of a kernel that it has not seen.
func BenchmarkServe(b *testing.B) {
	b.Setenv("XDG_DATA_HOME", b.TempDir())
	folder := b.TempDir()
	profile := filepath.Join(folder, "symbolic.yaml")
	var told strings.Builder
	if run(context.Background(), []string{
		"calibrate", "../../examples/matmul/own_kernel.yaml", "--device", "replay:../../testdata/h200/matmul_2_2.jsonl", "--profile", profile,
	}, strings.NewReader(""), io.Discard, &told) != 0 {
		b.Fatal(told.String())
	}
	const kernel = "../../examples/matmul/matmul_prefetch.star"
	size := int64(0)
	next := func() map[string]int64 { size++; return map[string]int64{"n": 16 * (1 + size%4096)} }
	source, err := os.ReadFile(kernel)
	if err != nil {
		b.Fatal(err)
	}
	for _, one := range []struct {
		name     string
		together int
		question func(i int) map[string]any
	}{
		{"symbolic", 1, func(int) map[string]any {
			return map[string]any{"kernel": kernel, "sizes": next(), "profile": profile}
		}},
		{"symbolic-hundred", 100, func(int) map[string]any {
			list := make([]map[string]int64, 100)
			for i := range list {
				list[i] = next()
			}
			return map[string]any{"kernel": kernel, "sizes": list, "profile": profile}
		}},
		{"general", 1, func(int) map[string]any {
			return map[string]any{"kernel": kernel, "sizes": next(), "profile": "h200"}
		}},
		{"fresh", 1, func(i int) map[string]any {
			path := filepath.Join(folder, "fresh.star")
			text := strings.ReplaceAll(string(source), "n >= 1", fmt.Sprintf("n >= %d", i))
			if err := os.WriteFile(path, []byte(text+fmt.Sprintf("\n# %d\n", i)), 0o600); err != nil {
				b.Fatal(err)
			}
			return map[string]any{"kernel": path, "sizes": map[string]int64{"n": 4096}, "profile": "h200"}
		}},
	} {
		b.Run(one.name, func(b *testing.B) { benchmarkServe(b, one.together, one.question) })
	}
}

// benchmarkServe asks questions, each of so many predictions.
func benchmarkServe(b *testing.B, together int, question func(i int) map[string]any) {
	questions, in := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan int)
	go func() {
		ended <- run(context.Background(), []string{"serve", "--stdio"}, questions, out, io.Discard)
		out.Close()
	}()
	lines := bufio.NewReaderSize(answers, 1<<20)
	ask := func(i int) {
		text, err := json.Marshal(map[string]any{"id": i, "method": "predict", "params": question(i)})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := in.Write(append(text, '\n')); err != nil {
			b.Fatal(err)
		}
		answer, err := lines.ReadString('\n')
		if err != nil || strings.Contains(answer, `"error"`) {
			b.Fatal(answer, err)
		}
	}
	ask(0)
	b.ReportAllocs()
	asked := 0
	for b.Loop() {
		if asked++; asked%together == 0 {
			ask(asked)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "predictions/s")
	in.Close()
	if status := <-ended; status != 0 {
		b.Fatal("serve ends with status", status)
	}
}
