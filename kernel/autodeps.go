package kernel

import (
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/internal/nameset"
	"gpuperf/kernel/expr"
)

// addAutomaticDeps adds the dependencies that follow from reads and writes, to the statements for which wanted holds. It
// leaves out a dependency that would close a cycle with existing ones: explicit dependencies win.
//
// A reader of a temporary with a single writer depends on it, whatever their order in the text. All other pairs of
// statements that access the same variable, at least one of them writing, keep their order in the text.
func (k *Kernel) addAutomaticDeps(wanted func(*Stmt) bool) {
	type use struct{ reads, writes []string }
	uses := make([]use, len(k.Statements))
	writers := map[string]int{}
	for i, s := range k.Statements {
		for _, r := range k.Reads(s) {
			uses[i].reads = append(uses[i].reads, r.Array)
		}
		uses[i].reads = append(nameset.Sorted(uses[i].reads), k.ruleReads(s)...)
		if t := s.Target(); t != "" {
			uses[i].writes = []string{t}
			writers[t]++
		}
	}
	link := func(s, on *Stmt) {
		if s != on && wanted(s) && !slices.Contains(s.Deps, on.ID) && !k.DependsOn(on, s.ID) {
			s.Deps = nameset.Add(s.Deps, on.ID)
		}
	}
	single := func(name string) bool { return writers[name] == 1 && k.IsTemp(name) }
	lastWriter := map[string]*Stmt{}
	readersSince := map[string][]*Stmt{}
	for i, s := range k.Statements {
		for _, name := range uses[i].reads {
			if w := lastWriter[name]; w != nil && !single(name) {
				link(s, w)
			}
			readersSince[name] = append(readersSince[name], s)
		}
		for _, name := range uses[i].writes {
			if !single(name) {
				if w := lastWriter[name]; w != nil {
					link(s, w)
				}
				for _, r := range readersSince[name] {
					link(s, r)
				}
			}
			lastWriter[name], readersSince[name] = s, nil
			// a statement that reads what it writes counts as a writer
		}
	}
	for i, s := range k.Statements {
		for _, name := range uses[i].reads {
			if w := lastWriter[name]; w != nil && single(name) {
				link(s, w)
			}
		}
	}
}

// ruleReads lists the variables that s reads through substitution rules, sorted.
func (k *Kernel) ruleReads(s *Stmt) []string {
	if len(k.Rules) == 0 {
		return nil
	}
	c := *s
	c.MapExprs(func(e expr.Expr) expr.Expr {
		if x, err := k.Expand(e); err == nil {
			return x
		}
		return e
	})
	out := lists.Map(k.Reads(&c), func(r *expr.Access) string { return r.Array })
	return nameset.Sorted(out)
}

// DependsOn reports whether s depends on the statement with that ID, directly or through others.
func (k *Kernel) DependsOn(s *Stmt, id string) bool { return k.before(s, id)[id] }

// Before are the IDs of the statements on which s depends, directly or through others.
func (k *Kernel) Before(s *Stmt) map[string]bool { return k.before(s, "") }

// before is Before, which ends where it finds a statement.
func (k *Kernel) before(s *Stmt, last string) map[string]bool {
	out := map[string]bool{}
	var byID map[string]*Stmt
	for todo := slices.Clone(s.Deps); len(todo) > 0 && !out[last]; {
		d := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if out[d] {
			continue
		}
		if byID == nil {
			byID = make(map[string]*Stmt, len(k.Statements))
			for _, x := range k.Statements {
				byID[x.ID] = x
			}
		}
		if out[d] = true; byID[d] != nil {
			todo = append(todo, byID[d].Deps...)
		}
	}
	return out
}
