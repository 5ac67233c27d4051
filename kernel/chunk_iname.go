package kernel

import "gpuperf/polycount"

// ChunkIname splits an iname into a fixed number of chunks, which the outer iname counts. The sizes of the chunks differ
// by one at most: with s values from lo on, chunk c starts at lo + floor(s*c/chunks). The number of values must be
// constant, since the start of a chunk would else multiply a parameter by an iname.
func (k *Kernel) ChunkIname(iname string, chunks int64, opt Split) (out *Kernel, err error) {
	defer rescue(&err)
	lo, size, err := k.checkChunks(iname, chunks)
	if err != nil {
		return nil, err
	}
	return k.divide(iname, opt, func(inner, outer polycount.Affine) (polycount.Affine, []polycount.Constraint) {
		start := outer.Scale(size).FloorDiv(chunks)
		next := outer.AddInt(1).Scale(size).FloorDiv(chunks)
		return inner.Add(start).AddInt(lo), []polycount.Constraint{
			polycount.GE(outer, polycount.Int(0)), polycount.GE(polycount.Int(chunks-1), outer),
			polycount.GE(inner, polycount.Int(0)), polycount.GE(next.Sub(start).AddInt(-1), inner),
		}
	})
}

func (k *Kernel) checkChunks(iname string, chunks int64) (lo, size int64, err error) {
	if !k.IsIname(iname) {
		return 0, 0, k.unknownIname(iname)
	}
	if chunks <= 0 {
		return 0, 0, k.errorf("cannot divide iname %s into %d chunks: their number must be positive", iname, chunks)
	}
	lo, hi, hasLo, hasHi, err := k.interval(polycount.Name(iname), []string{iname})
	if err != nil {
		return 0, 0, err
	}
	if !hasLo || !hasHi {
		return 0, 0, k.errorf("cannot divide iname %s into chunks: the number of its values is not constant; fix the parameters, or split it by a length", iname)
	}
	return lo, max(hi-lo+1, 0), nil
}
