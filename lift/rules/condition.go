package rules

import (
	"slices"
	"sync"

	"gpuperf/kernel/expr"
	"gpuperf/lift"
)

// conditions are those of rules, by the names that rules.txt has for them. f and z are the variables of the rule.
var conditions = map[string]Condition{
	"associative": {"f is associative", func(m *Match) bool {
		f, _ := operation(m.Funs["f"])
		return f != nil && f.Associative
	}},

	"commutative": {"f is commutative", func(m *Match) bool {
		f, _ := operation(m.Funs["f"])
		return f != nil && f.Commutative
	}},

	// z may begin every part of a reduction, and not only the whole. Beside neutral elements such are those which f
	// itself leaves as they are, where their place does not matter: the least of many numbers and a bound.
	"neutral": {"z is neutral for f, or f is commutative and f(z, z) is z", func(m *Match) bool {
		f, width := operation(m.Funs["f"])
		if f == nil {
			return false
		}
		z := f.Neutral
		if z != nil && width > 0 {
			z = lift.Splat(width, z)
		}
		return z != nil && z == m.Terms["z"] || f.Commutative && idempotent(m.Funs["f"], m.Terms["z"])
	}},

	// g is f on the lanes of vectors.
	"lifted": {"g is f on vectors, and ys is z in every lane", func(m *Match) bool {
		f, _ := operation(m.Funs["f"])
		g, width := operation(m.Funs["g"])
		return f != nil && f == g && width > 0 && m.Terms["z"].Op == lift.Literal && lift.Splat(width, m.Terms["z"]) == m.Terms["ys"]
	}},

	"isID":    {"f is id", func(m *Match) bool { f := m.Funs["f"]; return f.Op == lift.Fun && f.User.IsID() }},
	"literal": {"z is a literal", func(m *Match) bool { return m.Terms["z"].Op == lift.Literal }},
	"scalars": {"the elements of xs are numbers", func(m *Match) bool {
		t := m.Terms["xs"].Type
		return t.Kind == lift.ArrayType && t.Elem.Kind == lift.ScalarType && t.Elem.DType != expr.Bool
	}},

	// A function of scalars that can work on the lanes of a vector at once
	"lanewise": {"f computes a number from numbers by operations that vectors have", func(m *Match) bool {
		f := m.Funs["f"]
		if f.Type.Result.Kind != lift.ScalarType {
			return false
		}
		simple := lift.Set(lift.Var, lift.Free, lift.Lambda, lift.Fun, lift.Call, lift.Literal)
		if f.Ops()&^simple != 0 {
			return false
		}
		return !slices.ContainsFunc(lift.UserFuns(f), func(u *lift.UserFun) bool { return len(u.Defs) == 0 || u.Body != "" })
	}},

	// The contexts of parallel maps (001 section 4.2; the constraints are those of the OpenCL rules of the Lift project): the
	// function must compute something, in a map that is not parallel in the same way already.

	// An OpenCL map needs a function that writes something.
	"computes":  {"f computes something", func(m *Match) bool { return m.Funs["f"].Ops().Has(lift.Fun) }},
	"dimension": {"d is 0, 1 or 2", func(m *Match) bool { return m.Ints["d"] >= 0 && m.Ints["d"] <= 2 }},
	"mayBeGlb": {"no mapWrg or mapLcl is around it or in f, and no mapGlb d", func(m *Match) bool {
		f, d := m.Funs["f"], m.Ints["d"]
		return m.Site.inside(lift.Set(lift.MapWrg, lift.MapLcl)) == nil && !m.Site.insideDim(lift.MapGlb, d) &&
			!f.Ops().Has(lift.MapWrg) && !f.Ops().Has(lift.MapLcl) && !withinDim(f, lift.MapGlb, d)
	}},

	"mayBeWrg": {"no mapGlb is around it or in f, and no mapWrg d, nor a mapLcl around it; f has a map", func(m *Match) bool {
		f, d := m.Funs["f"], m.Ints["d"]
		inner := lift.Maps | lift.Set(lift.MapSeqSlide)
		return m.Site.inside(lift.Set(lift.MapGlb, lift.MapLcl)) == nil && !m.Site.insideDim(lift.MapWrg, d) &&
			!f.Ops().Has(lift.MapGlb) && !withinDim(f, lift.MapWrg, d) && f.Ops()&inner != 0
	}},

	"mayBeLcl": {"it is in a mapWrg d, no mapLcl d is around it or in f, and no mapWrg in f", func(m *Match) bool {
		f, d := m.Funs["f"], m.Ints["d"]
		return m.Site.insideDim(lift.MapWrg, d) && !m.Site.insideDim(lift.MapLcl, d) &&
			!withinDim(f, lift.MapLcl, d) && !f.Ops().Has(lift.MapWrg) && !f.Ops().Has(lift.MapGlb)
	}},

	"inGroup": {"it is in a mapWrg 0 and in no mapLcl", func(m *Match) bool {
		return m.Site.insideDim(lift.MapWrg, 0) && m.Site.inside(lift.Set(lift.MapLcl)) == nil
	}},

	// A private copy belongs to one work-item.
	"inThread": {"it is in a mapLcl or a mapGlb", func(m *Match) bool {
		return m.Site.inside(lift.Set(lift.MapLcl, lift.MapGlb)) != nil
	}},

	// The order of a sequential pattern is kept, and no barrier may stand in it.
	"noParallel": {"f has no parallel map", func(m *Match) bool { return m.Funs["f"].Ops()&lift.ParallelMaps == 0 }},
	"inverse": {"q undoes p", func(m *Match) bool {
		xs := m.Terms["xs"]
		if xs.Type.Kind != lift.ArrayType {
			return false
		}
		inv := m.Indexes["p"].Inverse(xs.Type.Len)
		return inv != nil && inv == m.Indexes["q"]
	}},

	"rowsOfN": {"the rows of xs have n elements", func(m *Match) bool {
		t := m.Terms["xs"].Type
		return t.Kind == lift.ArrayType && t.Elem.Kind == lift.ArrayType && t.Elem.Len == m.Sizes["n"]
	}},

	"closedZ": {"z refers to no variable", func(m *Match) bool { return m.Terms["z"].Closed() }},
	// What the work-items of a group do in an unrolled loop needs no barriers.
	"itemsAlone": {"f shares nothing among work-items", func(m *Match) bool {
		return m.Funs["f"].Ops()&lift.Set(lift.MapGlb, lift.MapWrg, lift.ToLocal, lift.ToGlobal) == 0
	}},
}

// operation is what a function of two operands is known to be: a user function, or one applied to the lanes of vectors.
func operation(f *lift.Term) (u *lift.UserFun, width int) {
	switch {
	case f.Op == lift.Fun:
		return f.User, 0
	case f.Op == lift.Lambda && len(f.Params) == 2 && f.Kids[0].Op == lift.MapVec && len(f.Kids[0].Kids) == 3:
		body := f.Kids[0]
		x, y := body.Kids[1], body.Kids[2]
		if body.Kids[0].Op == lift.Fun && x.Op == lift.Var && y.Op == lift.Var && x.Ints[0] == 1 && y.Ints[0] == 0 {
			return body.Kids[0].User, x.Type.Width
		}
	}
	return nil, 0
}

// idempotents remembers of functions and literals whether f(z, z) is z.
var idempotents sync.Map

// idempotent reports whether f(z, z) is z, for a z that is written as a literal.
func idempotent(f, z *lift.Term) bool {
	if !z.Closed() || z.Ops()&^lift.Set(lift.Literal, lift.Tuple) != 0 {
		return false
	}
	key := [2]*lift.Term{f, z}
	if known, ok := idempotents.Load(key); ok {
		return known.(bool)
	}
	is := false
	if got, err := lift.EvalTerm(f.Apply(z, z), nil, lift.EvalOptions{}); err == nil {
		want, err := lift.EvalTerm(z, nil, lift.EvalOptions{})
		is = err == nil && lift.Same(got, want, 0) == nil
	}
	idempotents.Store(key, is)
	return is
}

// withinDim reports whether a pattern of that operator and dimension stands in the term.
func withinDim(t *lift.Term, op lift.Op, dim int) bool {
	found := false
	lift.Walk(t, lift.Set(op), func(t *lift.Term) { found = found || t.Ints[0] == dim })
	return found
}
