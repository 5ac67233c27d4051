package emulate

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gpuperf/compile"
	"gpuperf/emulate/emulatetest"
	"gpuperf/emulate/timing"
)

// byUnit is what a launch asks of the units, per warp-instruction.
func (e *emulation) byUnit() (units map[timing.Unit]float64, total float64) {
	units = map[timing.Unit]float64{}
	var each func(nodes []timing.Node, times float64)
	each = func(nodes []timing.Node, times float64) {
		for i := range nodes {
			for _, ev := range nodes[i].Events {
				units[e.ops[ev.Op].Unit] += times
				total += times
			}
			if nodes[i].Body != nil {
				each(nodes[i].Body, times*float64(nodes[i].Times))
			}
		}
	}
	for _, b := range e.blocks[:1] {
		for _, w := range b.Warps {
			each(w.Block(), 1)
		}
	}
	return units, total
}

func TestFromSource(t *testing.T) {
	list := os.Getenv("LIST")
	if list == "" {
		list = "choose"
	}
	kernels, err := emulatetest.Development("../testdata/emulate/"+list+".txt", "../testdata/h200/listings_emulate.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	times, err := emulatetest.Measured(recordedAt(kernels, "../testdata/h200/emulate.jsonl.gz"), "warm")
	if err != nil {
		t.Fatal(err)
	}
	device := sheet(t)
	var source, binary, apart []float64
	refused := 0
	step := 1
	if !long && os.Getenv("ONLY") == "" {
		step = 6
	}
	for i, k := range kernels {
		if only := os.Getenv("ONLY"); only != "" && !strings.Contains(k.Line, only) || i%step != 2%step {
			continue
		}
		measured := times[i].Summary.Median - eventSeconds
		p, err := compile.Job(context.Background(), k.Job, compile.Options{Architecture: "sm_90", Name: "kernel.cu"})
		if err != nil {
			text, _, _ := strings.Cut(err.Error(), "\n")
			fmt.Printf("%-60s %s\n", strings.TrimPrefix(k.Line, "testdata/emulate/"), text)
			refused++
			continue
		}
		in := Input{Function: p.Function, Job: k.Job, Device: device}
		in.Code.Shared = p.Shared
		a, err := Run(in)
		if err != nil {
			fmt.Printf("%-60s %v\n", k.Line, err)
			refused++
			continue
		}
		b, err := Run(Input{Function: k.Function, Job: k.Job, Device: device})
		if err != nil {
			t.Fatal(err)
		}
		wa, na := a.emulation.byUnit()
		wb, nb := b.emulation.byUnit()
		if measured > short {
			source = append(source, math.Abs(a.Seconds/measured-1))
			binary = append(binary, math.Abs(b.Seconds/measured-1))
			apart = append(apart, math.Abs(a.Seconds/b.Seconds-1))
		}
		text := ""
		for _, u := range timing.Units() {
			if wa[u] != wb[u] && math.Abs(wa[u]-wb[u]) > 0.05*nb {
				text += fmt.Sprintf(" %s %+.0f%%", u, 100*(wa[u]-wb[u])/nb)
			}
		}
		fmt.Printf("%-60s %8.1f src %8.1f sass %8.1f µs  src/sass %.2f  instr %.2f  regs %d/%d %s\n", strings.TrimPrefix(k.Line, "testdata/emulate/"), 1e6*a.Seconds, 1e6*b.Seconds, 1e6*measured, a.Seconds/b.Seconds, na/nb, p.Function.Registers, k.Function.Registers, text)
	}
	middle := func(list []float64) float64 { slices.Sort(list); return list[len(list)/2] }
	mean := func(list []float64) (s float64) {
		for _, x := range list {
			s += x / float64(len(list))
		}
		return s
	}
	if len(source) > 0 {
		fmt.Printf("%d launches, %d refused: source median %.1f mean %.1f; SASS median %.1f mean %.1f; apart median %.1f mean %.1f\n", len(source), refused, 100*middle(source), 100*mean(source), 100*middle(binary), 100*mean(binary), 100*middle(apart), 100*mean(apart))
	}
}
