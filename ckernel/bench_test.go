package ckernel

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuperf/cfront"
)

// BenchmarkRead parses a file and makes the kernel.
func BenchmarkRead(b *testing.B) {
	for _, name := range []string{"guard.cl", "tiles.cl", "tree.cl", "private.cu", "vectors.cu"} {
		b.Run(name, func(b *testing.B) {
			path := filepath.Join("testdata", name)
			text, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			line, _, _ := strings.Cut(string(text), "\n")
			opt := launchOf(b, line)
			for b.Loop() {
				f, err := cfront.Read(b.Context(), path, opt.C)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := Read(b.Context(), f, opt); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
