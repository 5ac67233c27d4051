package linear

import (
	"fmt"
	"strings"

	"gpuperf/polycount"
)

// String prints the program, one line per node:
//
//	groups (floor((n - 1)/16) + 1, …, 1), work-items (16, 16, 1)
//	for k_outer = 0 .. floor((n - 1)/16)
//	    barrier local: a_fetch: read by update, written by a_fetch_rule
//	    if 16*gid(1) + lid(1) < n
//	        a_fetch_rule: a_fetch[a_dim_0, a_dim_1] = a[16*i_outer + a_dim_0, 16*k_outer + a_dim_1]
func (n *Nest) String() string {
	var b strings.Builder
	var groups []string
	for _, g := range n.Groups {
		var list []polycount.Bound
		for _, x := range g {
			list = append(list, polycount.Bound{Num: x.Num.AddInt(x.Den), Den: x.Den})
		}
		groups = append(groups, bounds(list, "min", false))
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
			fmt.Fprintf(b, "%s%s %s = %s .. %s", indent, word, x.Iname, bounds(x.Lower, "max", true), bounds(x.Upper, "min", false))
			if x.Step > 1 {
				fmt.Fprintf(b, " step %d", x.Step)
			}
			b.WriteByte('\n')
			n.write(b, x.Body, indent+"    ")
		case *Guard:
			var conds []string
			for _, c := range x.Conds {
				conds = append(conds, c.String())
			}
			for _, p := range x.Predicates {
				conds = append(conds, n.Expr(p).String())
			}
			fmt.Fprintf(b, "%sif %s\n", indent, strings.Join(conds, " and "))
			n.write(b, x.Body, indent+"    ")
		case *Exec:
			fmt.Fprintf(b, "%s%s: %s = %s\n", indent, x.Stmt.ID, n.Expr(x.Stmt.LHS), n.Expr(x.Stmt.RHS))
		case *Barrier:
			fmt.Fprintf(b, "%sbarrier %s (%s)\n", indent, x.Space, x.Why)
		}
	}
}

func bounds(list []polycount.Bound, of string, up bool) string {
	var parts []string
	for _, b := range list {
		if up {
			parts = append(parts, b.Num.Neg().FloorDiv(b.Den).Neg().String())
		} else {
			parts = append(parts, b.Num.FloorDiv(b.Den).String())
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return of + "(" + strings.Join(parts, ", ") + ")"
}
