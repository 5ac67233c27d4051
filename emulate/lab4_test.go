//go:build lab

package emulate

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"gpuperf/device/facts"
	"gpuperf/emulate/emulatetest"
	"gpuperf/emulate/timing"
)

func TestLabSkip(t *testing.T) {
	re := regexp.MustCompile(os.Getenv("LAB"))
	d, _ := facts.Sheet("NVIDIA H200")
	all, err := emulatetest.Development("../testdata/emulate/choose.txt", "../testdata/h200/listings_emulate.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range all {
		if !re.MatchString(k.Line) {
			continue
		}
		e := &emulation{Input: Input{Function: k.Function, Job: k.Job, Device: d}}
		e.prepare()
		e.choose()
		e.traffic()
		for _, b := range e.blocks[:1] {
			for i, w := range b.Warps[:1] {
				labNodes(i, w.Nodes, " ")
			}
		}
		for _, no := range []bool{false, true} {
			m := e.machine(e.resident)
			s := &dealt{blocks: e.blocks, most: e.most}
			r := m.Run(e.ops, s, timing.Options{Resident: int(min(e.resident, e.most)), NoSkip: no})
			fmt.Println(k.Line, "noskip", no, "finished", r.Finished/1000, "issued", r.Issued, "stepped", r.Stepped, r.Traffic, r.Exact)
		}
	}
}

func labNodes(w int, nodes []timing.Node, in string) {
	for _, n := range nodes {
		if n.Body != nil {
			fmt.Println(in, "loop", n.Times)
			labNodes(w, n.Body, in+"  ")
			continue
		}
		fmt.Println(in, len(n.Events), "events")
		for _, ev := range n.Events {
			if t := ev.Touch; t != nil && t.Space == timing.GlobalSpace && len(t.Lanes) > 0 {
				fmt.Println(in, "  op", ev.Op, "at", t.Lanes[0], len(t.Lanes), "unknown", t.Unknown, "width", t.Width, "waves", t.Waves, "steps", len(t.Steps))
				for _, s := range t.Steps {
					fmt.Println(in, "     step", s.All, s.Each != nil)
				}
			}
		}
	}
}
