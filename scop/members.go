package scop

import (
	"gpuperf/cfront"
	"gpuperf/internal/lists"
)

// A record that is a variable is a variable for each member that a region uses, and an array of records an array for each: of a[i].c[k] that is a_c[i][k]. Assigning
// a record assigns all its members.

// members are statements with such variables.
func members(items []cfront.Stmt) []cfront.Stmt {
	m := &memberwise{vars: map[*cfront.Var]map[string]*cfront.Var{}}
	out := make([]cfront.Stmt, len(items))
	for i, s := range items {
		out[i] = m.statement(s)
	}
	return out
}

type memberwise struct {
	vars map[*cfront.Var]map[string]*cfront.Var
}

func (m *memberwise) statement(s cfront.Stmt) cfront.Stmt {
	switch x := s.(type) {
	case *cfront.Block:
		return m.block(x.Pos, x.Items, x.Last)
	case *cfront.For:
		out := *x
		if x.Init != nil {
			out.Init = m.statement(x.Init)
		}
		out.Cond, out.Step, out.Body = m.expr(x.Cond), m.expr(x.Step), m.statement(x.Body)
		return &out
	case *cfront.While:
		out := *x
		out.Cond, out.Body = m.expr(x.Cond), m.statement(x.Body)
		return &out
	case *cfront.If:
		out := *x
		out.Cond, out.Then = m.expr(x.Cond), m.statement(x.Then)
		if x.Else != nil {
			out.Else = m.statement(x.Else)
		}
		return &out
	case *cfront.Do:
		if a, ok := x.X.(*cfront.Assign); ok && a.Op == "" && a.To.Record() != nil && a.To.Type() == "" && a.To.PointsTo() == "" {
			if list := m.copied(a); list != nil {
				return list
			}
		}
		return &cfront.Do{Pos: x.Pos, X: m.expr(x.X)}
	case *cfront.Declare:
		return m.declare(x)
	}
	return s
}

func (m *memberwise) block(at cfront.Pos, items []cfront.Stmt, last int) *cfront.Block {
	out := &cfront.Block{Pos: at, Last: last}
	for _, inner := range items {
		if d, ok := inner.(*cfront.Declare); ok {
			out.Items = append(out.Items, m.declared(d)...)
		} else {
			out.Items = append(out.Items, m.statement(inner))
		}
	}
	return out
}

// declare keeps a declaration as one statement.
func (m *memberwise) declare(d *cfront.Declare) cfront.Stmt {
	list := m.declared(d)
	if len(list) == 1 {
		return list[0]
	}
	return &cfront.Block{Pos: d.Pos, Items: list, Last: d.Pos.Line}
}

func (m *memberwise) declared(d *cfront.Declare) (out []cfront.Stmt) {
	changed := false
	for _, v := range d.Vars {
		if v.Init != nil && v.DType != "" && m.uses(v.Init) {
			changed = true
		}
	}
	if !changed || d.Bare {
		return []cfront.Stmt{d}
	}
	for _, v := range d.Vars {
		if v.Init == nil || !m.uses(v.Init) {
			out = append(out, &cfront.Declare{Pos: d.Pos, Vars: []*cfront.Var{v}})
			continue
		}
		out = append(out, &cfront.Declare{Pos: d.Pos, Vars: []*cfront.Var{v}, Bare: true}, &cfront.Do{Pos: d.Pos, X: cfront.Assignment(cfront.Use(v), m.expr(v.Init))})
	}
	return out
}

// uses reports that there is a member in an expression.
func (m *memberwise) uses(e cfront.Expr) bool {
	return cfront.Any(e, func(e cfront.Expr) bool { _, is := e.(*cfront.Member); return is })
}

// copied are the assignments of the members of a record; nil where it has others than numbers.
func (m *memberwise) copied(a *cfront.Assign) cfront.Stmt {
	r := a.To.Record()
	if r.Union || r.Unknown != "" {
		return nil
	}
	out := &cfront.Block{Pos: a.Pos, Last: a.Pos.Line}
	for _, f := range r.Fields {
		if f.DType == "" || f.Pointer || len(f.Dims) > 0 {
			return nil
		}
		to, ok := m.member(cfront.Part(a.To, f).(*cfront.Member))
		from, also := m.member(cfront.Part(a.Value, f).(*cfront.Member))
		if !ok || !also {
			return nil
		}
		out.Items = append(out.Items, &cfront.Do{Pos: a.Pos, X: cfront.Assignment(to, from)})
	}
	return out
}

func (m *memberwise) expr(e cfront.Expr) cfront.Expr {
	return cfront.Rebuilt(e, func(e cfront.Expr) (cfront.Expr, bool) {
		switch x := e.(type) {
		case *cfront.Member:
			return m.member(x)
		case *cfront.Index: // an element of a member that is an array
			if of, ok := x.Of.(*cfront.Member); ok {
				whole, ok := m.member(of)
				if !ok {
					return nil, false
				}
				return cfront.Subscripted(x, whole, m.all(x.Subs)), true
			}
		}
		return nil, false
	})
}

func (m *memberwise) all(list []cfront.Expr) (out []cfront.Expr) {
	return lists.Map(list, func(e cfront.Expr) cfront.Expr { return m.expr(e) })
}

// member is a member as the variable that stands for it, or as an element of that; ok is false for members of other things, and for what is no number or array of numbers.
func (m *memberwise) member(x *cfront.Member) (e cfront.Expr, ok bool) {
	path, of := x.Name, x.X
	for {
		inner, nested := of.(*cfront.Member)
		if !nested {
			break
		}
		path, of = inner.Name+"."+path, inner.X
	}
	var subs []cfront.Expr
	if i, isElement := of.(*cfront.Index); isElement {
		of, subs = i.Of, m.all(i.Subs)
	}
	r, ok := of.(*cfront.Ref)
	if !ok || r.Var.Record == nil || len(subs) != len(r.Var.Dims) {
		return nil, false
	}
	v := m.vars[r.Var][path]
	if v == nil {
		if v = cfront.MemberOf(r.Var, path); v == nil {
			return nil, false
		}
		if m.vars[r.Var] == nil {
			m.vars[r.Var] = map[string]*cfront.Var{}
		}
		m.vars[r.Var][path] = v
	}
	return cfront.Subscripted(x, cfront.Use(v), subs), true
}
