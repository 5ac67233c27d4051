package offload

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/internal/ctest/scoptest"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/schedule"
)

// inBlocksOf makes kernels of a nest with blocks of so many steps of the host; nil where there are none.
func inBlocksOf(t *testing.T, n *scop.Nest, fusion schedule.Fusion, size int64) *Program {
	t.Helper()
	by := schedule.Options{Fusion: fusion, Block: size}
	f, err := schedule.Search(n, schedule.Launches, by)
	if err == nil {
		f, err = f.InBlocks(schedule.Launches, by)
	}
	if err != nil && !errors.Is(err, polycount.ErrBudget) {
		t.Fatal(err)
	}
	if f == nil || err != nil {
		return nil
	}
	p, err := Compile(f.Nest, f.Tree, Options{Map: small})
	if err != nil {
		t.Log(err)
		return nil
	}
	p.Text = n
	return p
}

// TestBlocks: eliminations with blocks of steps compute what the text says. LONG=1 looks at more.
func TestBlocks(t *testing.T) {
	names := []string{"lu", "trisolv"}
	if os.Getenv("LONG") != "" {
		names = append(names, "cholesky", "ludcmp", "gramschmidt")
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join("../../examples/polybench", name+".c"))
		if err != nil {
			t.Fatal(err)
		}
		p := inBlocksOf(t, nestOf(t, name+".c", string(data)), schedule.Smart, 4)
		if p == nil {
			t.Errorf("%s is in no blocks", name)
			continue
		}
		for _, n := range []int64{1, 9, 14} {
			check(t, p, map[string]int64{"n": n, "m": n + 2})
		}
	}
}

// TestRandomBlocks is TestRandomPrograms for eliminations with blocks of steps. LONG=1 tries many.
func TestRandomBlocks(t *testing.T) {
	programs := 4
	if os.Getenv("LONG") != "" {
		programs = 1000
	}
	made := 0
	for seed := range programs {
		text := rapid.Custom(scoptest.Eliminate).Example(seed)
		p := inBlocksOf(t, nestOf(t, "test.c", text), schedule.Fusions[seed%len(schedule.Fusions)], 2+int64(seed%3))
		if p == nil {
			continue
		}
		made++
		check(t, p, map[string]int64{"n": 9, "m": 5})
		if t.Failed() {
			t.Fatal(seed, strings.TrimSpace(text))
		}
	}
	t.Logf("%d of %d are in blocks", made, programs)
	if made < programs/3 {
		t.Error("too few are in blocks")
	}
}
