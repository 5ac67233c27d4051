package ckerneltest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/ckernel"
	"gpuperf/features"
)

// seeds are how many random functions are tried: as many as SEEDS says, or so many for each test, with LONG=1 ten times as many.
func seeds(t *testing.T, usual int) int {
	t.Helper()
	if os.Getenv("LONG") != "" {
		usual *= 10
	}
	n, err := strconv.Atoi(cmp.Or(os.Getenv("SEEDS"), strconv.Itoa(usual)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestRandom compares the counts of the kernels of random functions, and what they compute, with runs of their text: 120 of them, always
// the same.
func TestRandom(t *testing.T) {
	n := seeds(t, 120)
	programs := rapid.Custom(Program)
	const parts = 4
	for part := range parts {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			for seed := part; seed < n; seed += parts {
				checkRandom(t, seed, programs.Example(seed))
			}
		})
	}
}

func checkRandom(t *testing.T, seed int, p Random) {
	f, err := p.Read()
	if err != nil {
		t.Errorf("seed %d: %v\n%s", seed, err, p.Text)
		return
	}
	k, err := ckernel.Read(context.Background(), f, ckernel.Options{Local: p.Local, Global: p.Global})
	if err != nil {
		t.Errorf("seed %d: %v\n%s", seed, err, p.Text)
		return
	}
	noMadd := seed%2 == 0
	o, err := features.Find(k, features.Options{ExactBranches: true, FreeControl: true, NoMadd: noMadd, SubgroupSize: p.SubGroup})
	if err != nil {
		t.Errorf("seed %d: %v\n%s\n%s", seed, err, p.Text, k)
		return
	}
	at := func(sizes []map[string]int64) (list []Launch, err error) {
		for _, at := range sizes {
			l, err := p.Launch(f, at)
			if err != nil {
				return nil, err
			}
			l.NoMadd = noMadd
			list = append(list, l)
		}
		return list, nil
	}
	launches, err := at(p.Sizes)
	if err != nil {
		t.Fatal(err)
	}
	others := func() ([]Launch, error) {
		var sizes []map[string]int64
		for _, n := range []int64{1, 2, 3, 5, 9, 20} {
			for _, m := range []int64{1, 3, 6, 20} {
				sizes = append(sizes, map[string]int64{"n": n, "m": m})
			}
		}
		return at(sizes)
	}
	if err := sameAsRuns(k, o, p.Sizes, launches, others); err != nil {
		t.Errorf("seed %d: %v\n%s\n%s", seed, err, p.Text, k)
	}
}
