package explain

import (
	"maps"
	"slices"
	"strings"

	"gpuperf/features"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/ops"
	"gpuperf/samples"
)

// amount is how much work of a kind a statement does when it is executed once.
type amount func(*kernel.Stmt) int64

// anchor is work that stands in the code as it is counted, so that it tells how often a loop of the code runs.
type anchor struct {
	what    string
	counted float64                    // of a work-item
	in      func(samples.CodePart) int // of a part of the code
	of      amount
	exact   bool // the compiler can hardly leave out any of it

	// What place finds out.
	chain      []*linear.Loop    // the loop of the kernel that does the work, with those around it
	main       *samples.CodeLoop // the loop of the code that does most of it
	rounds     float64           // of that loop for a work-item
	iterations float64           // of the kernel's loop in a round
}

func (w *anchor) loop() *linear.Loop { return w.chain[len(w.chain)-1] }

// place finds the loop of the code that does most of the work, and how often it runs; false where one loop of the kernel alone does not
// do all of it, aside from what stands outside of loops.
func (w *anchor) place(nest *linear.Nest, code *samples.Code) bool {
	var straight, iteration int64
	for _, p := range places(nest.Body, nil, w.of) {
		switch {
		case len(p.chain) == 0:
			straight += p.work
		case w.chain == nil:
			w.chain, iteration = p.chain, p.work
		case w.loop() != p.chain[len(p.chain)-1]:
			return false
		default:
			iteration += p.work
		}
	}
	most := 0
	for i := range code.Loops {
		if n := w.in(code.Loops[i].CodePart); n > most {
			w.main, most = &code.Loops[i], n
		}
	}
	if w.chain == nil || w.main == nil {
		return false
	}
	w.rounds = (w.counted - float64(straight)) / float64(most)
	w.iterations = float64(most) / float64(iteration)
	return w.rounds >= 1
}

// placed is work in a statement, and the loops around it, the innermost last.
type placed struct {
	chain []*linear.Loop
	work  int64
}

// places lists the statements that do work.
func places(body []linear.Node, chain []*linear.Loop, of amount) (list []placed) {
	for _, node := range body {
		switch x := node.(type) {
		case *linear.Loop:
			list = append(list, places(x.Body, append(slices.Clip(chain), x), of)...)
		case *linear.Guard:
			list = append(list, places(x.Body, chain, of)...)
		case *linear.Exec:
			if n := of(x.Stmt); n != 0 {
				list = append(list, placed{chain, n})
			}
		}
	}
	return list
}

// onTheWay leaves the accesses that stand in a loop of a chain, without those of them that stand outside of loops: how often others are
// executed in a round of the innermost is not known.
func onTheWay(accesses []CodeAccess, nest *linear.Nest, chain []*linear.Loop) (list []CodeAccess) {
	for _, a := range accesses {
		looped, strays := false, false
		for _, p := range places(nest.Body, nil, a.amount(nest.Kernel)) {
			switch n := len(p.chain); {
			case n == 0:
				a.Counted -= float64(p.work)
			case n > len(chain) || !slices.Equal(p.chain, chain[:n]):
				strays = true
			default:
				looped = true
			}
		}
		if looped && !strays {
			list = append(list, a)
		}
	}
	return list
}

// bestAnchor is the one that tells the rounds of the main loop: an exact one, or that by which there are the fewest, as loads of which the
// compiler leaves out some tell too many; nil where there is none.
func bestAnchor(anchors []anchor, nest *linear.Nest, code *samples.Code) (best *anchor) {
	for i := range anchors {
		w := &anchors[i]
		switch {
		case !w.place(nest, code):
		case w.exact:
			return w
		case best == nil || w.rounds < best.rounds:
			best = w
		}
	}
	return best
}

// perItem lists what a work-item accesses as counted, and the anchors: arithmetic of types whose operations are one instruction each, then
// what is loaded of each array.
func (e *explainer) perItem(k *kernel.Kernel) (accesses []CodeAccess, anchors []anchor, err error) {
	items := 1.0
	for _, n := range e.Record.Global {
		items *= float64(n)
	}
	arithmetic, inexact := map[string]float64{}, map[string]bool{}
	for _, r := range e.statistics.Records {
		count, err := r.At(e.Case.Sizes)
		if err != nil {
			return nil, nil, err
		}
		count /= items
		switch key := r.Key.(type) {
		case features.Op:
			dtype := string(key.DType)
			arithmetic[dtype] += count * float64(e.Lanes)
			inexact[dtype] = inexact[dtype] || !slices.Contains([]string{"add", "mul", "madd"}, key.Op)
		case features.Mem:
			if key.Granularity == features.SubGroup {
				count *= float64(e.Lanes)
			}
			accesses = add(accesses, CodeAccess{
				Action: string(key.Direction), Array: key.Variable, Space: string(key.Space), Counted: count, Bytes: key.DType.Size(),
			})
		}
	}
	for _, dtype := range slices.Sorted(maps.Keys(arithmetic)) {
		if strings.HasPrefix(dtype, "float") && !inexact[dtype] {
			anchors = append(anchors, anchor{
				what: dtype + " operations", counted: arithmetic[dtype], exact: true,
				in: func(p samples.CodePart) int { return p.Classes[dtype] }, of: operations(k, dtype),
			})
		}
	}
	for _, a := range accesses {
		if a.Action == string(features.Load) && a.Space == string(kernel.Global) {
			anchors = append(anchors, anchor{
				what: a.what(), counted: a.Counted, of: a.amount(k),
				in: func(p samples.CodePart) int {
					_, bytes := CodeAccess{Widths: a.widths(p.Accesses)}.instructions()
					return bytes / int(a.Bytes)
				},
			})
		}
	}
	return accesses, anchors, nil
}

// operations counts the operations of a type.
func operations(k *kernel.Kernel, dtype string) amount {
	return func(s *kernel.Stmt) (n int64) {
		v := ops.Visitor{Kernel: k, Found: func(_ string, t expr.DType, more int64) {
			if string(t) == dtype {
				n += more
			}
		}}
		if v.Visit(s.RHS) != nil {
			return 0
		}
		return n
	}
}

// amount counts such accesses.
func (a CodeAccess) amount(k *kernel.Kernel) amount {
	return func(s *kernel.Stmt) (n int64) {
		accesses := k.Reads(s)
		if a.Action == string(features.Store) {
			accesses = k.Writes(s)
		}
		for _, at := range accesses {
			if at.Array == a.Array {
				n++
			}
		}
		return n
	}
}
