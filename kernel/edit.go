package kernel

import (
	"fmt"
	"maps"
	"slices"

	"gpuperf/internal/nameset"
	"gpuperf/kernel/expr"
)

// The building blocks of transformations. A transformation clones a kernel, edits the clone in place and returns it:
// statements and arrays are replaced by changed copies, never changed, because the original shares them.

// Clone copies the kernel's own lists and maps; statements, arrays and expressions are shared until replaced.
func (k *Kernel) Clone() *Kernel {
	c := *k
	c.Domains = slices.Clone(k.Domains)
	c.Averages = slices.Clone(k.Averages)
	c.Values = slices.Clone(k.Values)
	c.Statements = slices.Clone(k.Statements)
	c.Args = slices.Clone(k.Args)
	c.Temps = slices.Clone(k.Temps)
	c.Rules = slices.Clone(k.Rules)
	c.Functions = slices.Clone(k.Functions)
	c.Tags = maps.Clone(k.Tags)
	if c.Tags == nil {
		c.Tags = map[string]Tag{}
	}
	c.Priorities = slices.Clone(k.Priorities)
	return &c
}

// MapStmts replaces each statement by a copy that change has edited.
func (k *Kernel) MapStmts(change func(s *Stmt)) {
	for i, s := range k.Statements {
		c := *s
		change(&c)
		k.Statements[i] = &c
	}
}

// MapExprs applies f to the expressions of the statement: both sides and the predicates.
func (s *Stmt) MapExprs(f func(expr.Expr) expr.Expr) {
	if s.LHS != nil {
		s.LHS = f(s.LHS)
	}
	if s.RHS != nil {
		s.RHS = f(s.RHS)
	}
	s.Predicates = slices.Clone(s.Predicates)
	for i, p := range s.Predicates {
		s.Predicates[i] = f(p)
	}
}

// MapArrays replaces each argument and temporary by a copy that change has edited.
func (k *Kernel) MapArrays(change func(a *Array)) {
	for _, list := range [2][]*Array{k.Args, k.Temps} {
		for i, a := range list {
			c := *a
			change(&c)
			list[i] = &c
		}
	}
}

// ChangeArray replaces the argument or temporary of that name by a copy that change has edited.
func (k *Kernel) ChangeArray(name string, change func(a *Array)) {
	for _, list := range [2][]*Array{k.Args, k.Temps} {
		for i, a := range list {
			if a.Name == name {
				c := *a
				change(&c)
				list[i] = &c
			}
		}
	}
}

// SetTag tags an iname. An iname with another tag is an error, except that l.auto gives way and that Sequential removes
// a tag.
func (k *Kernel) SetTag(iname string, tag Tag) error {
	if !k.IsIname(iname) {
		return k.UnknownIname(iname)
	}
	if tag.Kind == Sequential {
		delete(k.Tags, iname)
		return nil
	}
	if old, ok := k.Tags[iname]; ok && old != tag && old.Kind != LocalAuto {
		return k.Errorf("iname %s is tagged %s already: remove that first (%s:for)", iname, old, iname)
	}
	k.Tags[iname] = tag
	return k.CheckTag(iname)
}

// InUse reports whether an iname, a parameter, an array, a function or a rule has the name.
func (k *Kernel) InUse(name string) bool {
	return k.IsIname(name) || k.IsParam(name) || k.Array(name) != nil || k.Function(name) != nil || k.Rule(name) != nil
}

// Fresh is base, or the first of base_0, base_1, ... that is not taken.
func Fresh(base string, taken func(string) bool) string {
	name := base
	for i := 0; taken(name); i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	return name
}

// FreshName is a name that is not InUse, made from base by Fresh.
func (k *Kernel) FreshName(base string) string { return Fresh(base, k.InUse) }

// FreshID is an ID that no statement has, made from base by Fresh.
func (k *Kernel) FreshID(base string) string {
	return Fresh(base, func(id string) bool { return k.Stmt(id) != nil })
}

// Errorf is an error that names the kernel.
func (k *Kernel) Errorf(format string, args ...any) error {
	return fmt.Errorf("kernel %s: %w", k.Name, fmt.Errorf(format, args...))
}

// UnknownIname is the error for a name that is not an iname of the kernel; it lists those that are.
func (k *Kernel) UnknownIname(name string) error {
	return k.Errorf("unknown iname %q (the kernel has %s)", name, nameset.Text(k.Inames()))
}
