// Package offload makes kernels of loop nests, and the loops of the host around their launches.
//
// Compile takes a nest and a tree of launches (package scop/schedule). The loops of the host are Loop steps. Each launch becomes a nest of its own
// (nest.go), whose statements run over the loops of the tree, with the host's loops as parameters; that nest is a kernel like any other, whose
// parallel loops are put on the axes of work-items (axes.go). Loops that only accumulate are reductions (accumulate.go): work-items share them where few loops are parallel,
// long loops that carry values forward where none is are launches of chunks (package scop/chain), and work-groups compute tiles of sums with their operands in local memory where many are (block.go, fetch.go). Tiles that are too few make their sums in parts (parts.go), and tiles of wavefronts may have their elements in local memory (windows.go, package scop/window). Loops of the host over the time of a stencil become fewer launches, of
// several steps each (stencil.go, timetile.go, timestep.go). Where nothing depends on another iteration of loops around all of a nest, a work-group may make each (group.go). How large tiles are by default is in choose.go. Plan lists the launches at given sizes (kernel.go).
package offload

import (
	"errors"
	"fmt"
	"slices"

	"gpuperf/device/machine"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/schedule"
)

// Program is a nest as kernels.
type Program struct {
	Nest    *scop.Nest
	Text    *scop.Nest // the nest before it got copies of arrays, which does the same
	Steps   []Step
	Kernels []*kernel.Kernel // in the order of the steps
	// Scratch are arrays of the nest alone: neither inputs nor results.
	Scratch []string
	// Original says why the order is that of the text, where no better one was found.
	Original error
	found    *schedule.Found // nil where the order is that of the text
	single   *schedule.Found // the order without blocks of steps, where there are such
	tree     schedule.Node
	opt      Options     // by which it was made
	asked    []asked     // the forms of its kernels
	known    *references // nil keeps none
	most     int         // launches; 0 is maxRuns
}

// Step is *Loop or *Launch.
type Step any

// Loop is a loop of the host. Its values increase by 1.
type Loop struct {
	Name string
	// Values are those of the loop, over the names of the host's loops around it and its own; some may do nothing.
	Values *polycount.Set
	Body   []Step
}

// Launch is the launch of a kernel. The host's loops around it are parameters of the kernel; where no statement runs there is no launch.
type Launch struct {
	Kernel *kernel.Kernel
	// Where are the values of the host's loops at which it does something.
	Where *polycount.Set
}

// Options say how kernels are made.
type Options struct {
	// Map says how the loops of each launch are put on work-items; nil is Default.
	Map func(Form) Mapping
	// Sizes are those for which mappings are chosen; parameters that it does not have are about 1000.
	Sizes map[string]int64
	// On is the machine for which mappings are chosen, and the tree of launches; nil is the usual one.
	On *machine.Machine
}

// Compile makes kernels of a tree that violates no dependence (schedule.Verify). What a work-group is to do alone and cannot, the loops of the host do.
func Compile(n *scop.Nest, tree schedule.Node, opt Options) (*Program, error) {
	p, err := compileTree(n, tree, opt)
	if errors.Is(err, errGroup) {
		return compileTree(n, schedule.Hosted(tree), opt)
	}
	return p, err
}

func compileTree(n *scop.Nest, tree schedule.Node, opt Options) (*Program, error) {
	if opt.Map == nil {
		opt.Map = Default
	}
	text, own := n, *n
	n = &own
	n.Arrays = slices.Clone(n.Arrays)
	c := &compiler{nest: n, opt: opt, program: &Program{Nest: n, Text: text, tree: tree, opt: opt}, taken: map[string]bool{}, launches: map[*scop.Array]int{}, contracted: map[*scop.Array]bool{}, when: map[string]*polycount.Set{}}
	for _, w := range polycount.Words() {
		c.taken[w] = true
	}
	for _, p := range n.Params {
		c.taken[p] = true
	}
	for _, a := range n.Arrays {
		c.taken[a.Name] = true
	}
	c.arrays(tree, false)
	var err error
	c.program.Steps, err = c.steps(tree, nil)
	for _, a := range n.Arrays {
		used := slices.ContainsFunc(c.program.Kernels, func(k *kernel.Kernel) bool { return k.Array(a.Name) != nil })
		if used && a.Local && (len(a.Shape) > 0 && !c.contracted[a] || c.launches[a] > 1) {
			c.program.Scratch = append(c.program.Scratch, a.Name)
		}
	}
	return c.program, err
}

type compiler struct {
	nest    *scop.Nest
	opt     Options
	program *Program
	taken   map[string]bool
	// launches is in how many launches an array is used; a launch in a loop of the host counts as several.
	launches map[*scop.Array]int
	// contracted are the arrays that are scalars of a launch.
	contracted map[*scop.Array]bool
	// when is at which sizes kernels run, by name, where others take their place at others.
	when map[string]*polycount.Set
	// parts are the statements of the text that several launches make together, which forms name then; nil elsewhere.
	parts []*scop.Statement
}

func (c *compiler) arrays(n schedule.Node, repeated bool) {
	switch x := n.(type) {
	case *schedule.Sequence:
		for _, p := range x.Parts {
			c.arrays(p, repeated)
		}
	case *schedule.Band:
		c.arrays(x.Body, true)
	case *schedule.Launch:
		seen := map[*scop.Array]bool{}
		for _, s := range schedule.Statements(x) {
			for _, a := range s.Accesses {
				if !seen[a.Array] {
					seen[a.Array] = true
					c.launches[a.Array]++
					if repeated || x.Tiled != nil {
						c.launches[a.Array]++
					}
				}
			}
		}
	}
}

// fresh is a name that nothing has.
func (c *compiler) fresh(base string) string {
	name := kernel.Fresh(base, func(s string) bool { return c.taken[s] || !expr.IsName(s) })
	c.taken[name] = true
	return name
}

// asked is a form that was asked for a mapping, with the statements that it is of.
type asked struct {
	form       Form
	statements []string
}

// ask gets the mapping of a form. Where a kernel has another form after all, that takes the place of the first.
func (c *compiler) ask(f Form, list []*scop.Statement) Mapping {
	f.On = c.opt.On
	a := asked{form: f}
	if c.parts != nil {
		list = c.parts
	}
	for _, s := range list {
		a.statements = append(a.statements, s.Name)
	}
	if last := len(c.program.asked) - 1; last >= 0 && c.program.asked[last].form.Kernel == f.Kernel {
		c.program.asked = c.program.asked[:last]
	}
	c.program.asked = append(c.program.asked, a)
	return c.opt.Map(f)
}

// level is a loop of the tree around a part, with its name.
type level struct {
	name string
	loop schedule.Loop
	// values of it and the levels around it, of the numbers of tiles, of which some may have no points; nil for others.
	values *polycount.Set
}

// steps follows the tree outside of launches.
func (c *compiler) steps(n schedule.Node, host []level) (_ []Step, err error) {
	defer throw.Catch(&err)
	switch x := n.(type) {
	case *schedule.Sequence:
		var out []Step
		for _, p := range x.Parts {
			more := throw.Get(c.steps(p, host))
			out = append(out, more...)
		}
		return out, nil
	case *schedule.Band:
		if len(x.Loops) != 1 {
			return nil, fmt.Errorf("a band of %d loops is outside of launches", len(x.Loops))
		}
		if tiled, err := c.timeTiles(x, host); tiled != nil || err != nil {
			return tiled, err
		}
		l := level{name: c.fresh(plain(x.Loops[0], "step")), loop: x.Loops[0]}
		inner := append(slices.Clip(host), l)
		values := throw.Get(values(schedule.Statements(x), inner))
		body, err := c.steps(x.Body, inner)
		return []Step{&Loop{l.name, values, body}}, err
	case *schedule.Launch:
		if loop, ok := schedule.Hosted(x).(*schedule.Band); ok { // time tiles have many work-groups
			if tiled, err := c.timeTiles(loop, host); tiled != nil || err != nil {
				return tiled, err
			}
		}
		if x.Tiled != nil {
			if steps, err := c.wavefronts(x); steps != nil {
				return steps, err
			} // what its tiles do is done without them
			return c.steps(x.Host, host)
		}
		if chained, err := c.chained(x, host); chained != nil || err != nil {
			return chained, err
		}
		return c.launch(x, host)
	}
	return nil, fmt.Errorf("statement %s is in no launch", schedule.Statements(n)[0].Name)
}

// plain is the name of the iterator that a loop counts, where that is the same for all statements.
func plain(l schedule.Loop, otherwise string) string {
	name := ""
	for _, a := range l.Of {
		if names := a.Names(); !a.IsName() || name != "" && name != names[0] {
			return otherwise
		} else {
			name = names[0]
		}
	}
	return name
}
