package derive

import (
	"math/rand"
	"slices"

	"gpuperf/lift"
)

// Config is an ND-range for a variant: the size of a work-group and the number of work-items, per dimension. Dimensions
// that no map uses are 1.
type Config struct{ Local, Global [3]int64 }

// Items is the number of work-items of a work-group.
func (c Config) Items() int64 { return c.Local[0] * c.Local[1] * c.Local[2] }

// Configs are at most count ND-ranges of the variant, of different shapes, in a fixed order for a seed; the first is the
// one that its maps ask for. Work-groups have between 32 work-items and MaxGroup, powers of two along each dimension; with
// mapLcl they are no longer than what is mapped, and with mapGlb each work-item computes 1, 2, 4 … elements.
func (v *Variant) Configs(opt Options, count int, seed int64) []Config {
	opt = opt.withDefaults()
	longest := map[lift.Op]*[3]int64{lift.MapGlb: {}, lift.MapWrg: {}, lift.MapLcl: {}}
	lift.Walk(v.Program.Body, func(t *lift.Term) {
		if trips := longest[t.Op]; trips != nil {
			if n, err := t.Arg().Type.Len.Eval(opt.Sizes); err == nil {
				trips[t.Ints[0]] = max(trips[t.Ints[0]], n)
			}
		}
	})
	glb, wrg, lcl := longest[lift.MapGlb], longest[lift.MapWrg], longest[lift.MapLcl]
	var dims [3][]dimension
	for d := range 3 {
		switch {
		case lcl[d] > 0 || wrg[d] > 0:
			for _, l := range localSizes(max(1, lcl[d]), opt.MaxGroup) {
				for groups := max(1, wrg[d]); ; groups = (groups + 1) / 2 {
					dims[d] = append(dims[d], dimension{l, groups * l})
					if groups <= 128 || len(dims[d]) > 60 {
						break
					}
				}
			}
		case glb[d] > 0:
			for _, l := range localSizes(glb[d], opt.MaxGroup) {
				for per := int64(1); per <= 16 && (per == 1 || glb[d]/per >= l); per *= 2 {
					items := (glb[d] + per - 1) / per
					dims[d] = append(dims[d], dimension{l, (items + l - 1) / l * l})
				}
			}
		default:
			dims[d] = []dimension{{1, 1}}
		}
	}
	var list []Config
	for _, z := range dims[2] {
		for _, y := range dims[1] {
			for _, x := range dims[0] {
				c := Config{[3]int64{x.local, y.local, z.local}, [3]int64{x.global, y.global, z.global}}
				if n := c.Items(); n <= opt.MaxGroup && (n >= 32 || n == c.Global[0]*c.Global[1]*c.Global[2]) {
					list = append(list, c)
				}
			}
		}
	}
	if len(list) == 0 { // small maps in work-groups
		for _, y := range dims[1] {
			for _, x := range dims[0] {
				list = append(list, Config{[3]int64{x.local, y.local, 1}, [3]int64{x.global, y.global, 1}})
			}
		}
		list = slices.DeleteFunc(list, func(c Config) bool { return c.Items() > opt.MaxGroup })
	}
	first := slices.IndexFunc(list, func(c Config) bool { return c.asked(lcl) })
	r := rand.New(rand.NewSource(seed))
	r.Shuffle(len(list), func(i, j int) {
		list[i], list[j] = list[j], list[i]
		switch first {
		case i:
			first = j
		case j:
			first = i
		}
	})
	if first > 0 {
		list[0], list[first] = list[first], list[0]
	}
	return list[:min(len(list), count)]
}

type dimension struct{ local, global int64 }

// asked reports whether every mapLcl has a work-item for each element.
func (c Config) asked(lcl *[3]int64) bool {
	for d, n := range lcl {
		if n > 0 && c.Local[d] != n {
			return false
		}
	}
	return lcl[0]+lcl[1]+lcl[2] > 0
}

// localSizes are the sizes of a work-group along a dimension of n elements: powers of two, and n itself where it is small.
func localSizes(n, most int64) []int64 {
	var list []int64
	for l := int64(1); l <= min(n, most); l *= 2 {
		list = append(list, l)
	}
	if n <= most && !slices.Contains(list, n) {
		list = append(list, n)
	}
	return list
}
