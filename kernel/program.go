package kernel

import (
	"fmt"
	"slices"
	"strings"
)

// Program is a sequence of kernels that run one after the other, for computations that need a barrier across all
// work-items. The kernels share global memory: arguments of the same name are one array, and a later kernel reads what
// an earlier one wrote. Global temporaries belong to one kernel. The time of a program is the sum of the times of its
// launches.
type Program struct {
	Name    string
	Kernels []*Kernel
	// Scratch names the arguments that pass values from one kernel to another and are neither inputs nor results.
	Scratch []string
}

// Check verifies every kernel and that they agree on what they share.
func (p *Program) Check() error {
	if len(p.Kernels) == 0 {
		return fmt.Errorf("program %s has no kernels", p.Name)
	}
	fail := func(format string, args ...any) error {
		return fmt.Errorf("program %s: %w", p.Name, fmt.Errorf(format, args...))
	}
	names := map[string]bool{}
	args, owner := map[string]*Array{}, map[string]string{}
	for _, k := range p.Kernels {
		if err := k.Check(); err != nil {
			return fail("%w", err)
		}
		if names[k.Name] {
			return fail("two kernels are named %s", k.Name)
		}
		names[k.Name] = true
		for _, a := range k.Args {
			old := args[a.Name]
			if old == nil {
				args[a.Name], owner[a.Name] = a, k.Name
				continue
			}
			if x, y := old.form(), a.form(); x != y {
				return fail("%s is %s in kernel %s and %s in kernel %s", a.Name, x, owner[a.Name], y, k.Name)
			}
		}
	}
	written := map[string]bool{}
	for _, k := range p.Kernels {
		for _, s := range k.Statements {
			for _, r := range k.Reads(s) {
				if slices.Contains(p.Scratch, r.Array) && !written[r.Array] && len(k.Writers(r.Array)) == 0 {
					return fail("kernel %s reads %s, which no kernel before it writes", k.Name, r.Array)
				}
			}
		}
		for _, s := range k.Statements {
			written[s.Target()] = true
		}
	}
	for _, name := range p.Scratch {
		if args[name] == nil || args[name].IsValue {
			return fail("%s is not an array argument", name)
		}
	}
	return nil
}

// form is the part of the declaration on which kernels must agree: all but whether the array is constant, because one
// kernel may only read what another writes.
func (a *Array) form() string {
	c := *a
	c.Constant = false
	_, text, _ := strings.Cut(c.String(), ": ")
	return text
}

// Array returns the argument of that name, nil where no kernel has one.
func (p *Program) Array(name string) *Array {
	for _, k := range p.Kernels {
		if i := slices.IndexFunc(k.Args, func(a *Array) bool { return a.Name == name }); i >= 0 {
			return k.Args[i]
		}
	}
	return nil
}

// String is the IR of all kernels as text.
func (p *Program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "program %s\n", p.Name)
	if len(p.Scratch) > 0 {
		fmt.Fprintf(&b, "scratch: %s\n", strings.Join(p.Scratch, ", "))
	}
	for _, k := range p.Kernels {
		b.WriteString("\n" + k.String())
	}
	return b.String()
}
