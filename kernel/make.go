package kernel

import (
	"fmt"
	"slices"
	"strings"

	"gpuperf/internal/nameset"
	"gpuperf/internal/source"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// DefaultName is the name of a kernel that was given none, as Loopy calls it.
const DefaultName = "loopy_kernel"

// Rename returns the kernel under another name.
func (k *Kernel) Rename(name string) *Kernel {
	c := *k
	c.Name = name
	return &c
}

// Spec is what Make builds a kernel from.
type Spec struct {
	Name string // "" is DefaultName
	// Domains in isl's notation; parameters need not be declared. A later one may use inames of an earlier one.
	Domains []string
	// Instructions in the syntax of ParseInstructions.
	Instructions string
	// Args declares arguments. Others that the kernel uses are inferred and appended, unless Complete.
	Args []*Array
	// Temps declares temporaries in addition to those that the instructions declare.
	Temps []*Array
	// Complete: every argument is declared, and none is inferred.
	Complete bool
	// Assumptions on the parameters, as in "n >= 1 and n % 16 = 0".
	Assumptions string
	// Functions are user functions that the instructions may call.
	Functions []*Function
	// DTypes gives element types to arguments and temporaries.
	DTypes map[string]expr.DType
}

// Make builds a kernel and infers what the spec does not give: arguments, shapes, inames and dependencies of statements.
//
// A statement depends on the inames that its expressions use, on those of the for blocks around it, and on those that all
// writers of a temporary that it reads are within without indexing the temporary by them. A reader of a temporary with one
// writer depends on that writer; otherwise statements that access the same variable, one of them writing, keep the order of
// the text. Errors in the texts are *source.Error.
func Make(spec Spec) (k *Kernel, err error) {
	ins, err := ParseInstructions(spec.Instructions)
	if err != nil {
		return nil, err
	}
	k = &Kernel{Name: spec.Name, Tags: map[string]Tag{}, Functions: slices.Clone(spec.Functions)}
	if k.Name == "" {
		k.Name = DefaultName
	}
	if !expr.IsName(k.Name) {
		return nil, fmt.Errorf("kernel name %q is not an identifier", k.Name)
	}
	m := &maker{Kernel: k, Instructions: ins, spec: spec}
	for i, s := range ins.Statements {
		s.At.Pos = source.PosAt(ins.text, ins.more[i].at)
	}
	for _, step := range []func() error{
		m.domains, m.declare, m.rules, m.names, m.ids, m.inames, m.infer, m.resolve, m.checkReductions, m.deps, m.dtypes, m.InferShapes,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	if err := k.CheckForm(); err != nil {
		return nil, err
	}
	return k, nil
}

type maker struct {
	*Kernel
	*Instructions
	spec Spec
}

// at is an error at the statement with that index.
func (m *maker) at(i int, hint, format string, args ...any) error {
	e := source.New("", m.text, m.more[i].at, format, args...)
	if hint != "" {
		e = e.WithHint("%s", hint)
	}
	return e
}

func (m *maker) domains() error {
	for _, text := range m.spec.Domains {
		d, err := polycount.ParseDomain(text)
		if err != nil {
			return fmt.Errorf("domain: %w", err)
		}
		if n := len(d.Disjuncts()); n != 1 {
			return source.New("", text, 0, "a domain is one set of conditions that hold together, here are %d", n).
				WithHint("split the kernel, or use a predicate {if=...}")
		}
		for _, name := range d.Dims() {
			if m.IsIname(name) {
				return source.New("", text, max(0, strings.Index(text, name)), "iname %s is in two domains", name)
			}
			if slices.ContainsFunc(append(m.Domains, d), func(o *polycount.Set) bool { return o.HasParam(name) }) {
				return source.New("", text, max(0, strings.Index(text, name)), "%s is an iname here and was a parameter before", name).
					WithHint("put the domain that defines %s first", name)
			}
		}
		m.Domains = append(m.Domains, d)
	}
	if m.spec.Assumptions != "" {
		next, err := m.Assume(m.spec.Assumptions)
		if err != nil {
			return err
		}
		m.Assumptions = next.Assumptions
	}
	return nil
}

// declare enters arguments and temporaries.
func (m *maker) declare() error {
	enter := func(list *[]*Array, a *Array, what string) error {
		switch {
		case !expr.IsName(a.Name):
			return m.Errorf("%s name %q is not an identifier", what, a.Name)
		case m.Array(a.Name) != nil:
			return m.Errorf("%s is declared twice", a.Name)
		case m.IsIname(a.Name):
			return m.Errorf("%s is an iname and %s %s", a.Name, article(what), what)
		case a.DType != "" && !a.DType.Known():
			return m.Errorf("%s: unknown element type %q (%s)", a.Name, a.DType, expr.KnownDTypes)
		}
		*list = append(*list, a)
		return nil
	}
	for _, a := range m.spec.Args {
		c := *a
		if c.IsValue {
			c.Space = Private
		} else {
			c.Space = Global
		}
		if err := enter(&m.Args, &c, "argument"); err != nil {
			return err
		}
	}
	for _, a := range slices.Concat(m.spec.Temps, m.Instructions.Temps) {
		if err := enter(&m.Kernel.Temps, a, "temporary"); err != nil {
			return err
		}
	}
	return nil
}

func article(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "an"
	}
	return "a"
}

func (m *maker) rules() error {
	for _, r := range m.Instructions.Rules {
		if m.InUse(r.Name) {
			return m.Errorf("rule %s has the name of an iname, a parameter or an array", r.Name)
		}
		m.Kernel.Rules = append(m.Kernel.Rules, r)
	}
	return nil
}

func (m *maker) ids() error {
	seen := map[string]bool{}
	for i, s := range m.Kernel.Statements {
		if s.ID != "" && seen[s.ID] {
			return m.at(i, "", "statement id %s is used twice", s.ID)
		}
		seen[s.ID] = true
	}
	for i, s := range m.Kernel.Statements {
		if s.ID == "" {
			base := m.more[i].prefix
			if base == "" {
				base = "insn"
			}
			s.ID = Fresh(base, func(id string) bool { return seen[id] })
			seen[s.ID] = true
		}
	}
	return nil
}

func (m *maker) inames() error {
	for i, s := range m.Kernel.Statements {
		notes := m.more[i]
		for _, n := range slices.Concat(notes.within, s.Inames) {
			if !m.IsIname(n) {
				return m.at(i, "the kernel has "+nameset.Text(m.Inames()), "unknown iname %q", n)
			}
		}
		s.Inames = slices.Concat(s.Inames, notes.within)
		used := m.usedInames(s)
		if notes.exactNames {
			for _, n := range used {
				if !slices.Contains(s.Inames, n) {
					return m.at(i, "write inames=+... to add to those used", "the statement uses iname %s, which its inames leave out", n)
				}
			}
		} else {
			s.Inames = append(s.Inames, used...)
		}
		s.Inames = nameset.Sorted(s.Inames)
		for _, n := range s.ReductionInames() {
			if slices.Contains(s.Inames, n) {
				return m.at(i, "give the reduction an iname of its own", "iname %s is both reduced over and used outside the reduction", n)
			}
		}
	}
	// A temporary that is always written within some inames that do not index it has a value per iteration of these:
	// its readers are within them too (as in Loopy).
	for changed := true; changed; {
		changed = false
		for i, s := range m.Kernel.Statements {
			if m.more[i].exactNames {
				continue
			}
			before := len(s.Inames)
			if m.more[i].pair { // both targets of one statement are assigned at the same points
				next := m.Kernel.Statements[i+1]
				s.Inames = nameset.Add(s.Inames, next.Inames...)
				next.Inames = s.Inames
			}
			for _, r := range m.Reads(s) {
				if m.IsTemp(r.Array) {
					s.Inames = nameset.Add(s.Inames, nameset.Remove(m.implicitInames(r.Array), s.ReductionInames()...)...)
				}
			}
			changed = changed || len(s.Inames) != before
		}
	}
	return nil
}

// implicitInames are those that all writers of the temporary are within without indexing it by them.
func (m *maker) implicitInames(temp string) []string {
	var common []string
	for n, w := range m.Writers(temp) {
		own := slices.Clone(w.Inames)
		expr.FreeVars(w.LHS, func(v string) { own = nameset.Remove(own, v) })
		if n == 0 {
			common = own
		} else {
			common = nameset.Intersect(common, own)
		}
	}
	return common
}

// usedInames are the inames that the statement's expressions use outside reductions over them. Rules count by their
// bodies.
func (m *maker) usedInames(s *Stmt) []string {
	var out []string
	for _, e := range s.Exprs() {
		expanded, err := m.Expand(e)
		if err != nil {
			expanded = e // reported when the rules are expanded
		}
		expr.FreeVars(expanded, func(n string) {
			if m.IsIname(n) {
				out = append(out, n)
			}
		})
	}
	return nameset.Sorted(out)
}

func (m *maker) dtypes() error {
	if len(m.spec.DTypes) == 0 {
		return nil
	}
	next, err := m.AddDTypes(m.spec.DTypes)
	if err != nil {
		return err
	}
	m.Args, m.Kernel.Temps = next.Args, next.Temps
	return nil
}
