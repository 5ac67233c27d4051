package kernel

import (
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/polycount"
)

// A domain may have an integer scalar temporary as a parameter, as in {[j]: start <= j < end} with start and end read
// from the row pointers of a sparse matrix (Loopy's data-dependent loop bounds). Such a temporary is a bound of the
// inames of that domain and of the domains that use these inames. A statement within such an iname reads its bounds where
// the loop starts: Reads lists them, so that they give dependencies, inames and an order like the reads in the text.

// Bounds lists the temporaries that the values of the inames depend on, through the domains of the inames and those that
// these domains use inames of; sorted.
func (k *Kernel) Bounds(inames []string) []string {
	if len(inames) == 0 || !k.hasBounds() {
		return nil
	}
	var out []string
	for _, d := range k.domainsOf(inames) {
		for _, p := range d.Params() {
			if k.IsTemp(p) {
				out = append(out, p)
			}
		}
	}
	return nameset.Sorted(out)
}

// hasBounds reports whether a temporary is a parameter of a domain.
func (k *Kernel) hasBounds() bool {
	if len(k.Temps) == 0 {
		return false
	}
	return slices.ContainsFunc(k.Domains, func(d *polycount.Set) bool { return slices.ContainsFunc(d.Params(), k.IsTemp) })
}

// BoundedBy lists the inames, of those given, whose values depend on the temporary.
func (k *Kernel) BoundedBy(temp string, inames []string) []string {
	return lists.Where(inames, func(n string) bool { return slices.Contains(k.Bounds([]string{n}), temp) })
}

// checkBounds: a temporary that bounds inames is a private integer scalar, written outside these inames.
func (k *Kernel) checkBounds() error {
	for _, t := range k.Bounds(k.Inames()) {
		a := k.Array(t)
		writers := k.Writers(t)
		inames := k.BoundedBy(t, k.Inames())
		switch {
		case len(writers) == 0:
			return k.Errorf("iname %s is bounded by the temporary %s, which no statement assigns to", inames[0], t)
		case len(a.Shape) > 0 || k.SpaceOf(t) != Private || a.PerItem:
			return k.Errorf("iname %s is bounded by %s, which is not a private scalar: assign the bound to one first", inames[0], t)
		case a.DType != "" && !a.DType.IsInteger():
			return k.Errorf("iname %s is bounded by %s, which is %s and not an integer", inames[0], t, a.DType)
		}
		for _, w := range writers {
			if inside := nameset.Intersect(w.AllInames(), inames); len(inside) > 0 {
				return k.Errorf("statement %s assigns to %s within iname %s, which %s bounds: the bound of a loop must not change in it", w.ID, t, inside[0], t)
			}
		}
	}
	return nil
}

// forAnyBounds projects the bounds of the inames out of a set, which leaves its points for all values of these bounds.
func (k *Kernel) forAnyBounds(d *polycount.Set, inames []string) *polycount.Set {
	bounds := k.Bounds(inames)
	if len(bounds) == 0 {
		return d
	}
	return throw.Get(d.ToDims(nameset.Intersect(bounds, d.Params())...).Project(d.Dims()...))
}
