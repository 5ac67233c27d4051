package lower_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/device"
	"gpuperf/device/devicetest"
	"gpuperf/lift"
	"gpuperf/lift/lower"
)

// mapper turns a program of algorithmic patterns into one of OpenCL patterns, at random.
type mapper struct {
	t *rapid.T
	n int // choices made
}

func (m *mapper) pick(of ...string) string {
	m.n++
	return rapid.SampledFrom(of).Draw(m.t, fmt.Sprintf("choice %d", m.n))
}

// place is where a term stands: which dimensions its maps may take.
type placement struct {
	kind     string // "" outside of all maps, "glb", "wrg"
	glb, wrg []int  // dimensions in use
	lcl      []int
	item     bool // within a map over work-items that takes no more dimensions
}

func unused(all, used []int) []int {
	var out []int
	for _, d := range all {
		free := true
		for _, u := range used {
			free = free && u != d
		}
		if free {
			out = append(out, d)
		}
	}
	return out
}

func with(list []int, d int) []int { return append(append([]int(nil), list...), d) }

// concrete reports whether a function computes: calls or reduces.
func concrete(f *lift.Term) bool {
	found := false
	lift.Walk(f, lift.AnyOp, func(t *lift.Term) {
		found = found || t.Op == lift.Call || t.Op == lift.Fun || t.Op == lift.Reduce
	})
	return found
}

func (m *mapper) term(t *lift.Term, at placement) *lift.Term {
	switch {
	case t.Op == lift.Map && concrete(t.Kids[0]):
		return m.mapped(t, at)
	case t.Op == lift.Scan:
		return lift.Of(lift.ScanSeq, m.term(t.Kids[0], at), m.term(t.Kids[1], at), m.term(t.Kids[2], at))
	case t.Op == lift.Reduce:
		op := lift.ReduceSeq
		if m.pick("loop", "loop", "unroll") == "unroll" {
			op = lift.ReduceSeqUnroll
		}
		return lift.Of(op, m.term(t.Kids[0], at), m.term(t.Kids[1], at), m.term(t.Kids[2], at))
	}
	kids := make([]*lift.Term, len(t.Kids))
	for i, k := range t.Kids {
		kids[i] = m.term(k, at)
	}
	return t.With(kids...)
}

func (m *mapper) mapped(t *lift.Term, at placement) *lift.Term {
	xs := m.term(t.Arg(), at)
	var choices []string
	dims := []int{0, 1, 2}
	switch {
	case at.kind == "":
		choices = []string{"glb", "glb", "glb", "wrg", "wrg", "seq"}
	case at.kind == "glb" && !at.item:
		choices = []string{"glb", "glb", "seq", "lazy"}
	case at.kind == "wrg" && !at.item:
		choices = []string{"wrg", "lcl", "lcl", "lcl", "seq"}
	default:
		choices = []string{"seq", "unroll", "lazy", "private"}
	}
	inner := at
	choice := m.pick(choices...)
	pickDim := func(from []int) (int, bool) {
		if len(from) == 0 {
			return 0, false
		}
		return from[rapid.IntRange(0, len(from)-1).Draw(m.t, "dimension")], true
	}
	var d int
	ok := true
	switch choice {
	case "glb":
		d, ok = pickDim(unused(dims, at.glb))
		inner.kind, inner.glb = "glb", with(at.glb, d)
	case "wrg":
		d, ok = pickDim(unused(dims, at.wrg))
		inner.kind, inner.wrg = "wrg", with(at.wrg, d)
	case "lcl":
		d, ok = pickDim(unused(at.wrg, at.lcl))
		inner.lcl = with(at.lcl, d)
		inner.item = len(inner.lcl) == len(at.wrg)
	default:
		inner.item = at.kind != ""
	}
	if !ok {
		choice, inner = "seq", at
	}
	f := m.term(t.Kids[0], inner)
	switch choice {
	case "glb":
		return lift.MapDim(lift.MapGlb, d, f, xs)
	case "wrg":
		return lift.MapDim(lift.MapWrg, d, f, xs)
	case "lcl":
		out := lift.MapDim(lift.MapLcl, d, f, xs)
		if m.pick("there", "local") == "local" {
			return lift.Of(lift.ToLocal, out)
		}
		return out
	case "unroll":
		return lift.Of(lift.MapSeqUnroll, f, xs)
	case "lazy":
		return lift.Of(lift.Map, f, xs)
	case "private":
		return lift.Of(lift.ToPrivate, lift.Of(lift.MapSeq, f, xs))
	}
	return lift.Of(lift.MapSeq, f, xs)
}

// refusals that are right: what the random mapping asks for cannot be.
var refusals = []string{"mapLcl", "mapWrg", "mapGlb", "toLocal", "private to another work-item", "nothing orders work-groups"}

// TestRandomMappings: every program of the examples, mapped to loops at random, computes what it means.
func TestRandomMappings(t *testing.T) {
	files, err := filepath.Glob("../../examples/lift/*.lift")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	most := 2 // of each program
	if os.Getenv("LONG") != "" {
		most = 1000
	}
	dev := devicetest.Open(t)
	var runs, done atomic.Int64 // of all programs: those of one are few enough that most may be refused by chance
	devicetest.Together(dev, len(files), func(i int, dev device.Device) {
		file := files[i]
		name := strings.TrimSuffix(filepath.Base(file), ".lift")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p := parse(t, string(text))
			if p.Body.Ops()&lift.Set(lift.Filter, lift.ReduceSegments) != 0 {
				t.Skip("its patterns have no loops of their own")
			}
			draws, lowered := 0, 0
			rapid.Check(t, func(r *rapid.T) {
				if draws == most {
					return
				}
				draws++
				runs.Add(1)
				sizes := map[string]int64{}
				for _, s := range p.Sizes {
					sizes[s] = int64(rapid.IntRange(5, 9).Draw(r, s))
					if name == "md" && s == "n" {
						sizes[s] += 12 // neighbours are numbered up to 16
					}
				}
				if lift.CheckAll(p.Assumptions(), sizes) != nil {
					r.Skip("sizes")
				}
				var local, global [3]int64
				for d := range 3 {
					local[d] = rapid.SampledFrom([]int64{1, 2, 3, 4}).Draw(r, "local")
					global[d] = local[d] * int64(rapid.IntRange(1, 3).Draw(r, "groups"))
				}
				m := &mapper{t: r}
				body := m.term(p.Body, placement{})
				if body.Err() != nil {
					r.Fatal(body.Err())
				}
				q, err := p.WithBody(body)
				if err != nil {
					r.Fatal(err)
				}
				var on device.Device
				if lowered%20 == 0 {
					on = dev
				}
				l, err := check(t, q, lower.Options{Sizes: sizes, Local: local, Global: global}, on)
				if err != nil {
					for i, why := range refusals {
						if (l == nil || i == len(refusals)-1) && strings.Contains(err.Error(), why) {
							r.Skip(err)
						}
					}
					r.Fatalf("%s\n%v", body, err)
				}
				lowered++
				done.Add(1)
			})
		})
	})
	t.Logf("%d of %d mappings were lowered", done.Load(), runs.Load())
	if done.Load()*4 < runs.Load() {
		t.Errorf("only %d of %d mappings were lowered", done.Load(), runs.Load())
	}
}
