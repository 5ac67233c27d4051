package lower

import (
	"fmt"
	"maps"
	"slices"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
)

// declare is the array as the kernel IR has it.
func (b *buffer) declare() *kernel.Array {
	a := &kernel.Array{Name: b.name, DType: b.dtype, Space: b.space, IsValue: b.value, PerItem: b.perItem}
	if !b.scalar {
		a.Shape = []expr.Expr{expr.Int{Value: b.size}}
	} else if !b.value {
		a.Shape = []expr.Expr{}
	}
	return a
}

// part is one outermost loop of the program, or an assignment outside of loops, with the names that it reads and writes.
type part struct {
	stmts         []*statement
	reads, writes map[string]bool
	puts          map[string]bool // those of writes whose elements are not known before the part runs
	// alone: it writes only private variables, which every work-item computes for itself; it is part of every kernel that
	// needs them.
	alone bool
}

// program divides the statements into kernels. A part that reads scratch memory which an earlier part of the same kernel
// writes begins a new kernel, because work-groups of one launch are not ordered, and so does one that puts elements into such memory.
func (c *lowering) program(name string) *kernel.Program {
	if len(c.stmts) == 0 {
		fail("the result is empty: there is nothing to compute")
	}
	parts := c.parts()
	p := &kernel.Program{Name: name}
	var groups [][]*part
	var current []*part
	written := map[string]bool{}
	for i, x := range parts {
		if x.alone {
			continue
		}
		need := c.needs(parts[:i], x)
		for _, q := range need {
			if slices.ContainsFunc(c.bufs, func(b *buffer) bool {
				return b.space == kernel.Global && (q.reads[b.name] || q.puts[b.name]) && written[b.name]
			}) {
				groups, current, written = append(groups, current), nil, map[string]bool{}
				break
			}
		}
		for _, q := range need {
			if !slices.Contains(current, q) {
				current = append(current, q)
			}
		}
		maps.Copy(written, x.writes)
	}
	groups = append(groups, current)
	for i, group := range groups {
		kernelName := name
		if kernelName == "" {
			kernelName = "lift"
		}
		if len(groups) > 1 {
			kernelName = fmt.Sprintf("%s_%d", kernelName, i)
		}
		p.Kernels = append(p.Kernels, c.kernel(kernelName, group))
	}
	for _, b := range c.bufs {
		if b.kind == scratch && p.Array(b.name) != nil {
			p.Scratch = append(p.Scratch, b.name)
		}
	}
	return p
}

func (c *lowering) parts() []*part {
	var out []*part
	last := -1
	for _, s := range c.stmts {
		if s.phase != last {
			out = append(out, &part{reads: map[string]bool{}, writes: map[string]bool{}, puts: map[string]bool{}, alone: true})
			last = s.phase
		}
		x := out[len(out)-1]
		x.stmts = append(x.stmts, s)
		x.alone = x.alone && s.target.space == kernel.Private
		x.writes[s.target.name] = true
		if s.puts {
			x.puts[s.target.name] = true
		}
		for _, l := range c.all {
			if len(l.bounds) > 0 && slices.Contains(s.Inames, l.inames[0]) {
				x.reads[l.bounds[0]], x.reads[l.bounds[1]] = true, true
			}
		}
		for _, e := range []expr.Expr{s.LHS, s.RHS} {
			for _, name := range mentioned(e) {
				if e == s.RHS || name != s.target.name {
					x.reads[name] = true
				}
			}
		}
	}
	return out
}

// needs are the parts before x whose private variables it reads, directly or not, in order, and x.
func (c *lowering) needs(before []*part, x *part) []*part {
	need := []*part{x}
	reads := maps.Clone(x.reads)
	for _, q := range slices.Backward(before) {
		used := false
		for name := range q.writes {
			used = used || reads[name]
		}
		if !q.alone || !used {
			continue
		}
		need = append(need, q)
		maps.Copy(reads, q.reads)
	}
	slices.Reverse(need)
	return need
}

func (c *lowering) kernel(name string, group []*part) *kernel.Kernel {
	k := &kernel.Kernel{Name: c.fresh(name), Tags: map[string]kernel.Tag{}}
	used := map[string]bool{}
	inames := map[string]bool{}
	ids := map[string]bool{}
	for _, x := range group {
		for _, s := range x.stmts {
			k.Statements = append(k.Statements, s.Stmt)
			ids[s.ID] = true
			addNames(used, s.LHS)
			addNames(used, s.RHS)
			for _, n := range s.Inames {
				inames[n] = true
			}
		}
	}
	for i, s := range k.Statements { // statements of other kernels need no dependencies
		if slices.ContainsFunc(s.Deps, func(d string) bool { return !ids[d] }) {
			copied := *s
			copied.Deps = slices.DeleteFunc(slices.Clone(s.Deps), func(d string) bool { return !ids[d] })
			k.Statements[i] = &copied
		}
	}
	for _, kind := range []bufferKind{output, input, scratch, temporary} {
		for _, b := range c.bufs {
			switch {
			case b.kind != kind || !used[b.name]:
			case kind == temporary:
				k.Temps = append(k.Temps, b.declare())
			default:
				k.Args = append(k.Args, b.declare())
			}
		}
	}
	for _, l := range c.all {
		if len(l.inames) == 0 || !inames[l.inames[0]] {
			continue
		}
		k.Domains = append(k.Domains, polycount.NewSet(l.bounds, l.inames, l.domain...))
		if len(l.bounds) > 0 {
			k.Averages = append(k.Averages, l.average)
		}
		for n, tag := range l.tags {
			if tag != (kernel.Tag{}) {
				k.Tags[n] = tag
			}
		}
	}
	c.unroll(k)
	c.reuse(k)
	k.Functions = slices.DeleteFunc(slices.Clone(c.order), func(f *kernel.Function) bool { return !used[f.Name] })
	return k
}

// addNames adds the variables, arrays and functions of an expression.
func addNames(used map[string]bool, e expr.Expr) {
	for name := range expr.Names(e) {
		used[name] = true
	}
}

// maxUnrolled bounds the copies of a statement that unrolling makes.
const maxUnrolled = 64

// unroll tags the sequential loops whose iname indexes a private array: with constant indices its elements become
// registers.
func (c *lowering) unroll(k *kernel.Kernel) {
	private := map[string]bool{}
	for _, a := range k.Temps {
		private[a.Name] = a.Space == kernel.Private && len(a.Shape) > 0
	}
	copies := func(s *kernel.Stmt, more string) int64 {
		n := int64(1)
		for _, iname := range s.Inames {
			if iname == more || k.Tags[iname].Kind == kernel.Unroll {
				n *= c.spans[iname].hi + 1
			}
		}
		return n
	}
	for _, s := range k.Statements {
		for _, e := range []expr.Expr{s.LHS, s.RHS} {
			for _, a := range expr.Accesses(e) {
				if !private[a.Array] {
					continue
				}
				for _, iname := range mentioned(a.Index[0]) {
					if !slices.Contains(s.Inames, iname) || k.Tags[iname] != (kernel.Tag{}) {
						continue
					}
					if !slices.ContainsFunc(k.Statements, func(s *kernel.Stmt) bool {
						return slices.Contains(s.Inames, iname) && copies(s, iname) > maxUnrolled
					}) {
						k.Tags[iname] = kernel.Tag{Kind: kernel.Unroll}
					}
				}
			}
		}
	}
}
