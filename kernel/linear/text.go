package linear

import (
	"fmt"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// String prints the program, one line per node:
//
//	groups (n/16, …, 1), work-items (16, 16, 1)
//	for k_outer = 0 .. n/16 - 1
//	    barrier local: a_fetch: read by update, written by a_fetch_rule
//	    if 16*gid(1) + lid(1) < n
//	        a_fetch_rule: a_fetch[a_dim_0, a_dim_1] = a[16*i_outer + a_dim_0, 16*k_outer + a_dim_1]
func (n *Nest) String() string {
	var b strings.Builder
	var groups []string
	for _, g := range n.Groups {
		list := lists.Map(g, func(x polycount.Bound) polycount.Bound { return polycount.Bound{Num: x.Num.AddInt(x.Den), Den: x.Den} })
		groups = append(groups, n.bounds(list, "min", false))
	}
	fmt.Fprintf(&b, "groups (%s), work-items (%d, %d, %d)\n", strings.Join(groups, ", "), n.Local[0], n.Local[1], n.Local[2])
	n.write(&b, n.Body, "")
	return b.String()
}

func (n *Nest) write(b *strings.Builder, body []Node, indent string) {
	for _, node := range body {
		switch x := node.(type) {
		case *Loop:
			word := "for"
			if x.Unroll {
				word = "unroll"
			}
			fmt.Fprintf(b, "%s%s %s = %s .. %s", indent, word, x.Iname, n.bounds(x.Lower, "max", true), n.bounds(x.Upper, "min", false))
			if x.Step > 1 {
				fmt.Fprintf(b, " step %d", x.Step)
			}
			b.WriteByte('\n')
			n.write(b, x.Body, indent+"    ")
		case *Guard:
			var conds []string
			for _, c := range x.Conds {
				c.Affine = n.exact(c.Affine)
				conds = append(conds, c.String())
			}
			for _, p := range x.Predicates {
				conds = append(conds, n.shown(p).String())
			}
			fmt.Fprintf(b, "%sif %s\n", indent, strings.Join(conds, " and "))
			n.write(b, x.Body, indent+"    ")
		case *Exec:
			fmt.Fprintf(b, "%s%s: %s = %s\n", indent, x.Stmt.ID, n.shown(x.Stmt.LHS), n.shown(x.Stmt.RHS))
		case *Barrier:
			fmt.Fprintf(b, "%sbarrier %s (%s)\n", indent, x.Space, x.Why)
		}
	}
}

func (n *Nest) bounds(list []polycount.Bound, of string, up bool) string {
	var parts []string
	for _, b := range list {
		q := b.Num.FloorDiv(b.Den)
		if up {
			q = b.Num.Neg().FloorDiv(b.Den).Neg()
		}
		parts = append(parts, n.exact(q).String())
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return of + "(" + strings.Join(parts, ", ") + ")"
}

// exact writes quotients that the assumptions say have no remainder without rounding: n/16 for floor(n/16).
func (n *Nest) exact(a polycount.Affine) polycount.Affine {
	if n.Kernel.Assumptions == nil || a.Err() != nil {
		return a
	}
	out := polycount.Int(a.Constant())
	for _, t := range a.All() {
		part := polycount.Name(t.Name)
		if f := t.Floor; f != nil {
			text := f.String()
			if whole, err := n.Kernel.Assumptions.Implies(polycount.EQ(f.Num.Mod(f.Den), polycount.Int(0))); err == nil && whole {
				text = strings.TrimSuffix(strings.TrimPrefix(text, "floor("), ")")
			}
			part = polycount.Name(text)
		}
		out = out.AddScaled(t.Coeff, part)
	}
	return out
}

// shown is an expression as the listing has it: indices are folded, and inames on axes have the names of these.
func (n *Nest) shown(e expr.Expr) expr.Expr {
	switch x := e.(type) {
	case expr.Var:
		if v, ok := n.Fixed(x.Name); ok {
			return expr.Int{Value: v}
		}
		return n.Expr(e)
	case *expr.Access:
		return expr.MapChildren(x, n.shownIndex)
	}
	return expr.MapChildren(e, n.shown)
}

func (n *Nest) shownIndex(e expr.Expr) expr.Expr {
	a, err := expr.ToAffine(e, n.isIndex)
	if err != nil {
		return n.shown(e)
	}
	if short := n.Affine(a); !short.Equal(a.Subst(n.axes)) {
		return expr.FromAffine(short)
	}
	return n.Expr(e)
}
