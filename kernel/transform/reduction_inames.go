package transform

import (
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// separateReductions gives reductions copies of their inames, in place, if they cannot share a loop with other users of
// these inames: reductions of other statements, or over other sets of inames. Reductions of one statement over the same
// inames share a loop. So do a reduction and a statement on which its statement depends, such as one that fills a tile.
func separateReductions(k *kernel.Kernel) {
	type owner struct {
		stmt string
		set  string
	}
	owners := map[string]owner{}
	for i := range k.Statements {
		s := k.Statements[i]
		if s.RHS == nil {
			continue
		}
		for _, r := range expr.Reductions(s.RHS) {
			me := owner{s.ID, nameset.Text(nameset.Sorted(r.Inames))}
			copies := map[string]string{}
			for _, n := range r.Inames {
				o, seen := owners[n]
				if !feeds(k, s, n) && (seen && o != me || elsewhere(k, s, n)) {
					copies[n] = k.FreshName(n)
				} else if !seen {
					owners[n] = me
				}
			}
			if len(copies) == 0 {
				continue
			}
			copyInames(k, copies)
			by := map[string]expr.Expr{}
			inames := slices.Clone(r.Inames)
			for j, n := range inames {
				if copies[n] != "" {
					inames[j], by[n] = copies[n], expr.Var{Name: copies[n]}
					owners[inames[j]] = owner{s.ID, nameset.Text(nameset.Sorted(inames))}
				}
			}
			next := *s
			next.RHS = replaceReduction(s.RHS, r, r.Subst(inames, by))
			k.Statements[i] = &next
			separateReductions(k)
			return // the reductions found are of the old expression
		}
	}
}

// feeds reports whether a statement that s depends on is within the iname.
func feeds(k *kernel.Kernel, s *kernel.Stmt, iname string) bool {
	return slices.ContainsFunc(s.Deps, func(id string) bool {
		d := k.Stmt(id)
		return d != nil && slices.Contains(d.Inames, iname)
	})
}

// elsewhere reports whether another statement is within the iname.
func elsewhere(k *kernel.Kernel, s *kernel.Stmt, iname string) bool {
	return slices.ContainsFunc(k.Statements, func(o *kernel.Stmt) bool { return o.ID != s.ID && slices.Contains(o.Inames, iname) })
}

func replaceReduction(e expr.Expr, old, by *expr.Reduce) expr.Expr {
	return rewriteDown(e, func(x expr.Expr) (expr.Expr, bool) { return by, x == old })
}
