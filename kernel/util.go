package kernel

import (
	"fmt"
	"maps"
	"slices"

	"gpuperf/kernel/expr"
)

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

// MapStmts replaces each statement by f of a copy of it.
func (k *Kernel) MapStmts(f func(s *Stmt)) {
	for i, s := range k.Statements {
		c := *s
		f(&c)
		k.Statements[i] = &c
	}
}

// MapExprs applies f to the expressions of the statement.
func (s *Stmt) MapExprs(f func(expr.Expr) expr.Expr) {
	if s.LHS != nil {
		s.LHS = f(s.LHS)
	}
	if s.RHS != nil {
		s.RHS = f(s.RHS)
	}
	if len(s.Predicates) > 0 {
		fresh := make([]expr.Expr, len(s.Predicates))
		for i, p := range s.Predicates {
			fresh[i] = f(p)
		}
		s.Predicates = fresh
	}
}

// SetArray replaces the argument or temporary of the same name.
func (k *Kernel) SetArray(a *Array) {
	for _, list := range [2][]*Array{k.Args, k.Temps} {
		for i, old := range list {
			if old.Name == a.Name {
				list[i] = a
				return
			}
		}
	}
}

// InUse reports whether a name is in use for an iname, a parameter, an array or a rule.
func (k *Kernel) InUse(name string) bool {
	return k.IsIname(name) || k.IsParam(name) || k.Array(name) != nil || k.Function(name) != nil ||
		slices.ContainsFunc(k.Rules, func(r *Rule) bool { return r.Name == name })
}

// Fresh is base, or base_0, base_1 ... where that is taken.
func Fresh(base string, taken func(string) bool) string {
	name := base
	for i := 0; taken(name); i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	return name
}

// FreshName is base, or base_0, base_1, ... where that is in use.
func (k *Kernel) FreshName(base string) string { return Fresh(base, k.InUse) }

// FreshID is an ID for a statement: base, or base_0, base_1, ... where that is in use.
func (k *Kernel) FreshID(base string) string {
	return Fresh(base, func(id string) bool { return k.Stmt(id) != nil })
}

// Errorf is an error of this kernel.
func (k *Kernel) Errorf(format string, args ...any) error {
	return fmt.Errorf("kernel %s: %w", k.Name, fmt.Errorf(format, args...))
}
