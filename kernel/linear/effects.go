package linear

import (
	"slices"

	"gpuperf/kernel"
)

// Effects are what a program does that keeps loads where they are: compilers neither move them out of a loop with such effects nor
// keep what they loaded across them.
type Effects struct {
	Stores  []string // arrays that are written, sorted
	Barrier bool
	Guard   bool
}

// EffectsOf returns the effects of the body of a loop or of a whole program.
func EffectsOf(k *kernel.Kernel, body []Node) (e Effects) {
	for _, n := range body {
		var inner Effects
		switch n := n.(type) {
		case *Barrier:
			inner.Barrier = true
		case *Guard:
			inner = EffectsOf(k, n.Body)
			inner.Guard = true
		case *Loop:
			inner = EffectsOf(k, n.Body)
		case *Exec:
			for _, w := range k.Writes(n.Stmt) {
				inner.Stores = append(inner.Stores, w.Array)
			}
		}
		e.Stores = append(e.Stores, inner.Stores...)
		e.Barrier, e.Guard = e.Barrier || inner.Barrier, e.Guard || inner.Guard
	}
	slices.Sort(e.Stores)
	e.Stores = slices.Compact(e.Stores)
	return e
}

// Pins reports whether loads of an array stay inside of a loop with these effects.
func (e Effects) Pins(array string) bool {
	return e.Barrier || e.Guard || slices.Contains(e.Stores, array)
}
