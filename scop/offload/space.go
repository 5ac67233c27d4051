package offload

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"gpuperf/device/machine"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/scop"
	"gpuperf/scop/schedule"
	"gpuperf/search"
)

// Space are the ways in which kernels can be made of a nest, as a graph of choices: first a schedule, then for each of its kernels how loops are put on work-items. A kernel that
// several schedules have is one part, whose choices have the same names.
type Space struct {
	nest      *scop.Nest
	sizes     map[string]int64
	on        *machine.Machine
	schedules []*candidate
	guided    *guided // where schedules are found by choices
	labels    *labels
	known     *references
	decided   sync.Map // by undecided: the next *search.Choice
}

// candidate is a schedule with its kernels, in the order of their launches.
type candidate struct {
	name  string // strategy/fusion, and blocks where the host's steps are in such, host where it has no loops in launches of one work-group
	text  string // tells what launches there are
	found *schedule.Found
	tree  schedule.Node
	parts []part
	// single is the order without blocks, where there are such.
	single *schedule.Found
}

// part is a kernel of a schedule.
type part struct {
	kernel string // its name there
	label  string // its name wherever it is
	form   Form
}

// dotted is a text with points for the spaces in names of choices, as users write these.
func dotted(text string) string { return strings.ReplaceAll(text, " ", ".") }

// scheduleChoice is the name of the first choice.
const scheduleChoice = "schedule"

// forLaunches are the strategies that make launches, the default first.
var forLaunches = []string{"launches", "bounded", "feautrier"}

// NewSpace makes a space. Its schedules are found within limits of work; those that several strategies find are listed once, and strategies that fail are left
// out. Defaults are those at the sizes and on the machine, as of Options.
func NewSpace(ctx context.Context, n *scop.Nest, opt Options, of Schedules) (*Space, error) {
	s := &Space{
		nest: n, sizes: opt.Sizes, on: opt.On, labels: &labels{of: map[string]string{}, count: map[string]int{}},
		known: newReferences(),
	}
	switch of {
	case ByPartitions:
		s.guided = newGuided(schedule.Partitions)
		return s, nil
	case ByHyperplanes:
		s.guided = newGuided(schedule.Hyperplanes)
		return s, nil
	}
	var failed error
	for _, strategy := range forLaunches {
		for _, fusion := range schedule.Fusions {
			_, err := scop.Limited(ctx, s.nest, scop.Work, func(n *scop.Nest) (*candidate, error) { return nil, s.add(n, strategy, fusion) })
			if failed == nil {
				failed = err
			}
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
		}
	}
	s.addBlocks(ctx)
	if len(s.schedules) == 0 {
		return nil, fmt.Errorf("%s: making kernels of %s: %w", n.File, n.Name, failed)
	}
	return s, nil
}

// addBlocks adds the first schedule with blocks of the host's steps, as the new first one, where these cost less.
func (s *Space) addBlocks(ctx context.Context) {
	if len(s.schedules) == 0 {
		return
	}
	first := s.schedules[0]
	in, err := inBlocks(ctx, first.found, Options{Sizes: s.sizes, On: s.on})
	if in == nil || err != nil {
		return
	}
	n := len(s.schedules)
	if c, err := s.addTree(&candidate{name: first.name + "/blocks", found: in, tree: in.Tree, single: first.found}); err == nil && len(s.schedules) > n {
		s.schedules = append([]*candidate{c}, s.schedules[:n]...)
	}
}

// add adds the schedule that a strategy finds, unless it is there.
func (s *Space) add(n *scop.Nest, strategy string, fusion schedule.Fusion) (err error) {
	defer throw.Catch(&err)
	found := throw.Get(schedule.Search(n, schedule.ByName[strategy], schedule.Options{Fusion: fusion, On: s.on, Sizes: s.sizes}))
	tree := throw.Get(found.Launches())
	name := strategy + "/" + string(fusion)
	if _, err := s.addTree(&candidate{name: name, found: found, tree: tree}); err != nil || !schedule.HasGroup(tree) {
		return err
	}
	_, err = s.addTree(&candidate{name: name + "/host", found: found, tree: schedule.Hosted(tree)})
	return err
}

// addTree adds a schedule, or finds one that is there with the same launches.
func (s *Space) addTree(c *candidate) (_ *candidate, err error) {
	defer throw.Catch(&err)
	p := throw.Get(s.compile(c, Default))
	throw.If((&kernel.Program{Name: s.nest.Name, Kernels: p.Kernels, Scratch: p.Scratch}).Check())
	names := map[string]string{}
	for _, a := range p.asked {
		text := fmt.Sprint(a.form) // of what is made in another way
		for _, k := range p.Kernels {
			if k.Name == a.form.Kernel {
				text = k.String()
			}
		}
		label := s.labels.label(a.statements, strings.ReplaceAll(text, a.form.Kernel, ""))
		c.parts = append(c.parts, part{a.form.Kernel, label, a.form})
		names[a.form.Kernel] = label
	}
	c.text = textOf(p.Steps, names)
	if i := slices.IndexFunc(s.schedules, func(other *candidate) bool { return other.text == c.text }); i >= 0 {
		return s.schedules[i], nil
	}
	s.schedules = append(s.schedules, c)
	return c, nil
}

// compile makes the kernels of a schedule, within a limit of work of its own: skewed loops may have bounds of any length.
func (s *Space) compile(c *candidate, mapping func(Form) Mapping) (*Program, error) {
	p, err := scop.Limited(context.Background(), c.found.Nest, scop.Work, func(n *scop.Nest) (*Program, error) {
		own := *c.found
		own.Tree = c.tree
		return Compile(n, own.Over(n).Tree, Options{Map: mapping, Sizes: s.sizes, On: s.on})
	})
	if err != nil {
		return nil, err
	}
	p.Text, p.single = s.nest, c.single
	return p, nil
}

// textOf is a text of steps that is the same where these are.
func textOf(steps []Step, names map[string]string) string {
	var b strings.Builder
	for _, s := range steps {
		switch x := s.(type) {
		case *Launch:
			fmt.Fprintln(&b, names[x.Kernel.Name], x.Where)
		case *Loop:
			fmt.Fprintf(&b, "%s %s {\n%s}\n", x.Name, x.Values, textOf(x.Body, names))
		}
	}
	return b.String()
}

// labels names kernels by their statements, with a number where different kernels have the same ones.
type labels struct {
	of    map[string]string // by the text of the kernel
	count map[string]int
}

func (l *labels) label(statements []string, text string) string {
	if l.of[text] == "" {
		label := strings.Join(statements, "+")
		l.count[label]++
		if n := l.count[label]; n > 1 {
			label = fmt.Sprintf("%s/%d", label, n)
		}
		l.of[text] = label
	}
	return l.of[text]
}

// Costly: schedules that are found by choices are searched for one by one.
func (s *Space) Costly() bool { return s.guided != nil }

// Next is the choice after those that are made; nil where they are a configuration.
func (s *Space) Next(config search.Config) *search.Choice {
	made := config.Options()
	if s.guided != nil {
		if step := s.step(made); step.next != nil || step.candidate == nil {
			return step.next
		}
	}
	c := s.candidate(made)
	if c == nil {
		choice := &search.Choice{Name: scheduleChoice}
		for _, c := range s.schedules {
			choice.Options = append(choice.Options, c.name)
		}
		return choice
	}
	for _, p := range c.parts {
		if next := s.next(p, p.made(made)); next != nil {
			return next
		}
	}
	return nil
}

// undecided is a part of which some decisions were made.
type undecided struct {
	label, made string
	form        Form
}

// next is the next decision of a part, nil where all are made.
func (s *Space) next(p part, own map[string]string) (next *search.Choice) {
	var made strings.Builder
	for _, d := range decisions {
		made.WriteString(own[d.name] + ",")
	}
	key := undecided{p.label, made.String(), p.form}
	if known, ok := s.decided.Load(key); ok {
		return known.(*search.Choice)
	}
	for _, d := range decisions {
		if own[d.name] != "" {
			continue
		}
		if options := d.options(p.form, own); len(options) > 0 {
			next = &search.Choice{Name: p.label + " " + d.name, Options: options, Part: p.label}
			break
		}
	}
	s.decided.Store(key, next)
	return next
}

// candidate is the chosen schedule.
func (s *Space) candidate(made map[string]string) *candidate {
	if s.guided != nil {
		return s.step(made).candidate
	}
	i := slices.IndexFunc(s.schedules, func(c *candidate) bool { return c.name == made[scheduleChoice] })
	if i < 0 {
		return nil
	}
	return s.schedules[i]
}

// made are the options of the part's own choices.
func (p part) made(all map[string]string) map[string]string {
	own := map[string]string{}
	for _, d := range decisions {
		if v := all[p.label+" "+d.name]; v != "" {
			own[d.name] = v
		}
	}
	return own
}

// Parse reads what users write, with points in the names of choices. Of choices that the text does not name, the option is the default.
func (s *Space) Parse(text string) (made search.Config, err error) {
	given, err := search.ParseConfig(text)
	if err != nil {
		return nil, fmt.Errorf("%q is no choice and its option, as schedule=%s", text, s.schedules[0].name)
	}
	named := given.Options()
	var met []string
	for c := s.Next(made); c != nil; c = s.Next(made) {
		name := dotted(c.Name)
		option, ok := named[name]
		if !ok {
			option = c.Options[0]
		} else if !slices.Contains(c.Options, option) {
			return nil, fmt.Errorf("%s=%s: its options here are %s", name, option, strings.Join(c.Options, ", "))
		}
		met, made = append(met, name), append(made, search.Pick{Choice: c.Name, Option: option})
		delete(named, name)
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		return nil, fmt.Errorf("there is no choice %s; there are %s", name, strings.Join(met, ", "))
	}
	return made, nil
}

// Program makes the kernels of a configuration.
func (s *Space) Program(config search.Config) (*Program, error) {
	if c := s.Next(config); c != nil {
		return nil, fmt.Errorf("the configuration says nothing of %s; its options are %s", c.Name, strings.Join(c.Options, ", "))
	}
	made := config.Options()
	c := s.candidate(made)
	if c == nil {
		return nil, errors.New("there are no kernels of this order")
	}
	p, err := s.compile(c, func(f Form) Mapping {
		for _, p := range c.parts {
			if p.kernel == f.Kernel && p.form == f {
				return f.mapping(p.made(made))
			}
		}
		return Default(f)
	})
	if err == nil {
		p.known, p.most = s.known, mostSearched
	}
	return p, err
}
