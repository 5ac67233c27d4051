package compile

import (
	"slices"
	"strings"

	"gpuperf/cfront"
)

// uses is what a function does with the variables of a region.
type uses struct {
	declared map[*cfront.Var]bool // in the region
	after    map[*cfront.Var]bool // mentioned outside of the region, other than in loops that begin by assigning to them
	repeated bool                 // the function may run the region several times
}

func usesOf(r *cfront.Region) *uses {
	u := &uses{map[*cfront.Var]bool{}, map[*cfront.Var]bool{}, false}
	region := map[cfront.Stmt]bool{}
	for _, s := range r.Items {
		region[s] = true
		for s := range cfront.Statements(s) {
			if d, ok := s.(*cfront.Declare); ok {
				for _, v := range d.Vars {
					u.declared[v] = true
				}
			}
		}
	}
	u.around(r.Function.Body, region, nil, false)
	return u
}

// counts is the variable that the head of a loop assigns to, or nil.
func counts(x *cfront.For) *cfront.Var {
	switch init := x.Init.(type) {
	case *cfront.Declare:
		if len(init.Vars) == 1 {
			return init.Vars[0]
		}
	case *cfront.Do:
		if a, ok := init.X.(*cfront.Assign); ok && a.Op == "" {
			if r, ok := a.To.(*cfront.Ref); ok && !cfront.Mentions(a.Value, r.Var) {
				return r.Var
			}
		}
	}
	return nil
}

// around notes what the function mentions outside of the region; own are the variables that loops around assign first,
// and loop tells that there is one.
func (u *uses) around(s cfront.Stmt, region map[cfront.Stmt]bool, own []*cfront.Var, loop bool) {
	if region[s] {
		u.repeated = u.repeated || loop
		return
	}
	inner, exprs := cfront.Inside(s)
	switch x := s.(type) {
	case *cfront.For:
		loop = true
		if v := counts(x); v != nil {
			own = append(own[:len(own):len(own)], v)
		}
	case *cfront.While:
		loop = true
	case *cfront.Jump:
		u.repeated = u.repeated || strings.HasPrefix(x.What, "goto")
	}
	for _, e := range exprs {
		for e := range cfront.All(e) {
			if r, ok := e.(*cfront.Ref); ok && !slices.Contains(own, r.Var) {
				u.after[r.Var] = true
			}
		}
	}
	for _, s := range inner {
		u.around(s, region, own, loop)
	}
}
