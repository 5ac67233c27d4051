package offload

import (
	"fmt"
	"os"
	"testing"

	"gpuperf/internal/ctest/scoptest"
	"gpuperf/scop/schedule"
	"pgregory.net/rapid"
)

// TestChains is TestRandomPrograms for nests that carry values forward, in chunks of three. LONG=1 tries many.
func TestChains(t *testing.T) {
	programs := 20
	if os.Getenv("LONG") != "" {
		programs = 2000
	}
	inChunks, refused := 0, 0
	for seed := range programs {
		text := rapid.Custom(scoptest.Chain).Example(seed)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Log(text)
				}
			}()
			n, some := nestOf(t, "test.c", text), false
			opt := Options{Map: func(f Form) Mapping {
				m := small(f)
				some = some || m.Chunk > 0
				return m
			}}
			p, err := find(n, schedule.Fusions[seed%len(schedule.Fusions)], opt)
			if err != nil {
				p, err = inOrder(n, opt)
			}
			if err != nil || inLoops(p) != nil {
				refused++
				return
			}
			if some {
				inChunks++
			}
			for _, at := range []map[string]int64{{"n": 3, "m": 0}, {"n": 40, "m": 15}} {
				check(t, p, at)
			}
		})
	}
	t.Logf("%d of %d nests are in chunks, %d are refused", inChunks, programs, refused)
	if inChunks < programs/3 || refused > programs/50 {
		t.Error("too few are in chunks")
	}
}
