package transform

import (
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/polycount"
)

// ChunkIname splits an iname into a fixed number of chunks, which the outer iname counts. The sizes of the chunks differ
// by one at most: with s values from lo on, chunk c starts at lo + floor(s*c/chunks). lo may be a parameter. The number of
// values must be constant. If s were a parameter, the start of any contiguous chunk, and also Loopy's
// floor(s/chunks)*c + min(c, s mod chunks), would be a product of a parameter and an iname, which is not polyhedral.
func ChunkIname(k *kernel.Kernel, iname string, chunks int64, opt Split) (out *kernel.Kernel, err error) {
	defer throw.Catch(&err)
	lo, size := checkChunks(k, iname, chunks)
	return divide(k, iname, opt, func(inner, outer polycount.Affine) (polycount.Affine, []polycount.Constraint) {
		start := outer.Scale(size).FloorDiv(chunks)
		next := outer.AddInt(1).Scale(size).FloorDiv(chunks)
		return inner.Add(start).Add(lo), []polycount.Constraint{
			polycount.GE(outer, polycount.Int(0)), polycount.GE(polycount.Int(chunks-1), outer),
			polycount.GE(inner, polycount.Int(0)), polycount.GE(next.Sub(start).AddInt(-1), inner),
		}
	}), nil
}

func checkChunks(k *kernel.Kernel, iname string, chunks int64) (lo polycount.Affine, size int64) {
	if !k.IsIname(iname) {
		panic(throw.Of(k.UnknownIname(iname)))
	}
	if chunks <= 0 {
		panic(throw.Of(k.Errorf("cannot divide iname %s into %d chunks: their number must be positive", iname, chunks)))
	}
	starts := starts(k, iname)
	for _, start := range starts {
		first, last, hasFirst, hasLast, err := k.Interval(polycount.Name(iname).Sub(start), []string{iname})
		throw.If(err)
		if hasFirst && hasLast {
			return start.AddInt(first), max(last-first+1, 0)
		}
	}
	panic(throw.Of(k.Errorf("cannot divide iname %[1]s into %[2]d chunks: the number of its values is not constant, so that the start of a chunk"+
		" would be a product of a parameter and the iname of the chunks, which no affine domain has; fix the parameters (fix_parameters),"+
		" or split into chunks of constant length (split_iname), or split by %[2]d, so that the inner iname counts parts of interleaved values", iname, chunks)))
}

// starts are candidates for the first value of an iname: 0, for a constant first value, and its lower bounds in parameters.
func starts(k *kernel.Kernel, iname string) []polycount.Affine {
	out := []polycount.Affine{polycount.Int(0)}
	d := throw.Get(k.DomainOf([]string{iname}))
	for _, part := range d.Disjuncts() {
		lower, _ := throw.Get2(part.Bounds(iname))
		for _, b := range lower {
			if b.Den == 1 && !slices.ContainsFunc(b.Num.Names(), func(n string) bool { return !k.IsParam(n) }) {
				out = append(out, b.Num)
			}
		}
	}
	return out
}
