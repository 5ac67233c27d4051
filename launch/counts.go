package launch

import (
	"fmt"

	"gpuperf/kernel/expr"
)

// Counts are what a launch does in the units of the hardware's counters.
type Counts struct {
	Floats map[Float]int64 // operations, by the work-items that do them
	// Sectors of global memory, by loads and stores of sub-groups as the kernel has them; MergedSectors are those of loads without the
	// ones of elements that straight-line code holds already.
	SectorsLoaded, SectorsStored, MergedSectors int64
	// Wavefronts of local memory, the same.
	WavefrontsLoaded, WavefrontsStored, MergedWavefronts int64
	Barriers                                             int64 // by sub-groups
	Gathers                                              int64 // accesses at indices from memory, whose sectors are taken to be all different
	// Exact is as that of a Vector.
	Exact bool
}

// Float is an operation of a type.
type Float struct {
	DType expr.DType
	Op    string // add, mul or madd
}

func (f Float) String() string { return fmt.Sprintf("%s %s", f.DType, f.Op) }

// Counts counts at the given sizes. For the work-items at borders to count as what they do, the program needs the option Borders.
func (p *Program) Counts(sizes map[string]int64) (*Counts, error) {
	r, err := p.run(sizes)
	if err != nil {
		return nil, p.error(err)
	}
	s := &r.sum
	out := &Counts{
		Floats:        map[Float]int64{},
		SectorsLoaded: s[sectorLoads], SectorsStored: s[sectorStores], MergedSectors: s[straightSectors] - s[sectorStores],
		WavefrontsLoaded: s[localCycles], WavefrontsStored: s[localCycleStores], MergedWavefronts: s[straightLocal],
		Barriers: s[warpBarriers], Gathers: s[gathers], Exact: r.sampled == 0 && !r.merged,
	}
	for i, f := range floatOps {
		if n := s[floating+tally(i)]; n != 0 {
			out.Floats[Float{f.dtype, f.op}] = n
		}
	}
	return out, nil
}

// LocalWavefronts is how many wavefronts of local memory the launch takes at least: loads of what straight-line code holds already are left out. False
// where that is not known, as it depends on data, or on which side of a select is loaded.
func (p *Program) LocalWavefronts(sizes map[string]int64) (int64, bool, error) {
	r, err := p.run(sizes)
	if err != nil {
		return 0, false, p.error(err)
	}
	s := &r.sum
	return s[straightLocal] + s[straightLocalStores], r.sampled == 0 && !r.merged && !r.assumed && s[selects] == 0, nil
}

// Add adds the counts of another launch.
func (c *Counts) Add(o *Counts) {
	for f, n := range o.Floats {
		c.Floats[f] += n
	}
	c.SectorsLoaded += o.SectorsLoaded
	c.SectorsStored += o.SectorsStored
	c.MergedSectors += o.MergedSectors
	c.WavefrontsLoaded += o.WavefrontsLoaded
	c.WavefrontsStored += o.WavefrontsStored
	c.MergedWavefronts += o.MergedWavefronts
	c.Barriers += o.Barriers
	c.Gathers += o.Gathers
	c.Exact = c.Exact && o.Exact
}
