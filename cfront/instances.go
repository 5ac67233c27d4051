package cfront

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"gpuperf/cfront/cpp"
	"gpuperf/cfront/launches"
	"gpuperf/internal/lex"
	"gpuperf/internal/nameset"
)

// draft is the template of a kernel, for which an instance is proposed once all declarations of the file are known.
type draft struct {
	name   string
	params []templateParam
	text   []cpp.Token
	asked  string // the instance that the file asks for
}

// Limits of trying instances of the templates of a file.
const (
	maxTrials    = 48      // of one template
	maxTrialWork = 300_000 // tokens that are read
	maxFitting   = 6       // records that have what a template uses
	unreadable   = 1 << 20 // the cost of an instance that is refused
)

// proposer tries instances of the templates of kernels.
type proposer struct {
	*parser
	wanted string // the only kernel that is asked for; "" for any
	tried  int    // tokens that it has read
}

// asked notes the instance that a file asks for: template void k<float, 16>(float *).
func (p *parser) asked(tokens []cpp.Token) {
	i := slices.IndexFunc(tokens, func(t cpp.Token) bool { return p.drafted(t.Text) != nil })
	if i < 0 || !tokens[i+1].Is("<") {
		return
	}
	text := ""
	for _, t := range tokens[i+1:] {
		if t.Is("(") {
			break
		}
		if word := t.Kind == cpp.Name || t.Kind == cpp.Number; word && text != "" && !strings.HasSuffix(text, "<") && !strings.HasSuffix(text, "::") {
			text += " "
		}
		text += t.Text
	}
	p.drafted(tokens[i].Text).asked = tokens[i].Text + text
}

func (p *parser) drafted(name string) *draft {
	i := slices.IndexFunc(p.drafts, func(d *draft) bool { return d.name == name })
	if i < 0 {
		return nil
	}
	return p.drafts[i]
}

// propose chooses instances of the templates of kernels: the one that the file asks for, those that its host code launches, and one for those of which it says
// nothing. Arguments that nothing says are the first of several by which most of the kernel is read.
func (p *proposer) propose() {
	if p.one {
		return
	}
	p.file.Proposed, p.file.chosen = map[string]string{}, map[string]string{}
	for _, d := range p.drafts {
		if p.file.Proposed[d.name] = d.asked; d.asked != "" {
			p.file.told = append(p.file.told, d.asked)
		} else {
			args := make([]string, 0, len(d.params))
			for i := range d.named() {
				args = append(args, p.candidates(d, i)[0])
			}
			if p.wanted == "" || p.wanted == d.name {
				args = p.settled(d, args, 0)
			}
			p.file.Proposed[d.name] = instanceName(d.name, args)
		}
		for _, l := range p.file.Launches {
			if l.Kernel != d.name || p.wanted != "" && p.wanted != d.name {
				continue
			}
			l.Resolve()
			args, open := p.file.merged(l)
			name := instanceName(d.name, args)
			if p.file.chosen[name] == "" && len(p.file.chosen) < maxTrials {
				p.file.chosen[name] = p.launched(d, args, open)
			}
			if open == 0 && !l.Guessed && (p.file.chosen[name] == "" || p.file.chosen[name] == name) {
				p.file.told = append(p.file.told, name)
			}
		}
	}
}

// launched is the instance for the arguments of a launch, those that are open chosen anew; the one that is proposed where it is refused.
func (p *proposer) launched(d *draft, args []string, open uint64) string {
	if len(args) != d.named() || d.asked != "" {
		return instanceName(d.name, args)
	}
	if out := p.settled(d, slices.Clone(args), ^open); p.trial(instanceName(d.name, out)) < unreadable {
		return instanceName(d.name, out)
	}
	return p.file.Proposed[d.name]
}

// named is the number of parameters that an instance names: those before the first with a default.
func (d *draft) named() int {
	if i := slices.IndexFunc(d.params, func(x templateParam) bool { return x.def > 0 }); i >= 0 {
		return i
	}
	return len(d.params)
}

// settled changes arguments, one after the other, where more of the kernel is read then. The bits of fixed are those that stay.
func (p *proposer) settled(d *draft, args []string, fixed uint64) []string {
	trials := maxTrials
	best := p.trial(instanceName(d.name, args))
	for before := unreadable + 1; best > 0 && best < before; {
		before = best
		for i, kept := range args {
			if fixed>>i&1 == 1 {
				continue
			}
			for _, c := range p.candidates(d, i) {
				if trials--; best == 0 || trials < 0 {
					break
				}
				args[i] = c
				if cost := p.trial(instanceName(d.name, args)); cost < best {
					best, kept = cost, c
				}
			}
			args[i] = kept
		}
	}
	return args
}

// trial is how many statements of an instance, and of what it calls, are not read.
func (p *proposer) trial(text string) (cost int) {
	q, leftOut := *p.parser, p.file.leftOut
	q.opaque, q.one, q.queue, q.defined = true, true, nil, nil
	q.work = maxWork - maxTrialWork + p.tried
	p.file.leftOut = nil
	defer func() {
		p.file.leftOut = leftOut
		p.tried = q.work - maxWork + maxTrialWork
		p.tokens = q.tokens // with what was written out
		if e := recover(); e != nil {
			if _, is := e.(fault); !is || p.ctx.Err() != nil {
				panic(e)
			}
			cost = unreadable
		}
	}()
	c := q.instance(text)
	q.need(c)
	for len(q.queue) > 0 {
		next := q.queue[0]
		q.queue = q.queue[1:]
		q.define(next)
	}
	return c.lacks(map[*callable]bool{})
}

// lacks is how many statements of a function, and of those that it calls, are not read.
func (c *callable) lacks(seen map[*callable]bool) (n int) {
	switch lost := c.fn == nil || c.fn.Err != nil; {
	case lost && len(seen) == 0:
		return unreadable
	case lost: // fewer calls of it are better
		return unreadable / 64
	case seen[c]:
		return 0
	}
	seen[c] = true
	n = c.unread
	for _, of := range c.calls {
		n = min(n+of.lacks(seen), unreadable)
	}
	return n
}

// candidates are arguments that a parameter of a template may mean, the likeliest first.
func (p *proposer) candidates(d *draft, i int) (list []string) {
	switch x := d.params[i]; {
	case x.isClass:
		return p.classes(len(x.params))
	case x.isType:
		if list = p.typesWith(usedOf(x.name, d.text)); points(x.name, d.text) {
			list = append(list, "float *", "int *")
		}
		if len(list) == 0 {
			defer func() { list = append(list, p.specialTypes(d.text)...) }()
		}
		if counts(x.name, d.text) {
			list = append(list, "int", "float")
		} else {
			list = append(list, "float", "int")
		}
		list = append(list, "float *", "int *")
		return list
	case x.of != nil && x.of.values != nil:
		return []string{"0"}
	case x.of != nil && x.of.dtype == boolType.dtype:
		return []string{"true", "false"}
	}
	return []string{"16", "4", "1", "32"}
}

// specialTypes are those for which templates of functions that a text names have specializations, where they have no body for all types.
func (p *proposer) specialTypes(text []cpp.Token) (list []string) {
	for _, t := range text {
		o, is := p.global.find(t.Text).(*overloads)
		if t.Kind != cpp.Name || !is {
			continue
		}
		for _, of := range o.templates {
			if p.defines(of.start, p.declarationEnd(of.start)) {
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(of.instances)) {
				for i, a := range of.instances[name].special {
					if i < len(of.params) && a.t != nil && of.instances[name].body > 0 && len(list) < maxFitting {
						list = nameset.Add(list, a.String())
					}
				}
			}
		}
	}
	return list
}

// points reports that a parameter of a type is used as a pointer: it has subscripts, or stands behind a star that multiplies nothing.
func points(name string, tokens []cpp.Token) bool {
	var objects []string
	for i := range max(0, len(tokens)-2) {
		if t, after := tokens[i+1], tokens[i+2]; tokens[i].Is(name) && t.Kind == cpp.Name && oneOf(after, ",", ")") {
			objects = append(objects, t.Text)
		} else if i < 2 || t.Kind != cpp.Name || !slices.Contains(objects, t.Text) {
			continue
		}
		at := i
		if tokens[at].Is("(") {
			at--
		}
		before := tokens[max(at-1, 0)]
		if after := tokens[i+2]; after.Is("[") || tokens[at].Is("*") && before.Kind == cpp.Symbol && !oneOf(before, ")", "]") {
			return true
		}
	}
	return false
}

// indexName is how types are called that number things.
var indexName = regexp.MustCompile(`(?i)(ind(ex|ices)|idx|off_?set|size|count|label)|^(id|int|key)(_?t(ype)?)?$|^i_?t(ype)?$`)

// counts reports that a type seems to be one of integers: by its name, as the type of what a loop counts by, or of what numbers of work-items are assigned to.
func counts(name string, tokens []cpp.Token) bool {
	if indexName.MatchString(name) {
		return true
	}
	for i := range max(0, len(tokens)-4) {
		if !tokens[i+1].Is(name) {
			continue
		}
		if tokens[i].Is("(") && i > 0 && tokens[i-1].Is("for") {
			return true
		}
		if tokens[i+2].Kind == cpp.Name && tokens[i+3].Is("=") {
			end := slices.IndexFunc(tokens[i:], func(t cpp.Token) bool { return t.Is(";") })
			if slices.ContainsFunc(tokens[i:i+max(end, 0)], func(t cpp.Token) bool { return oneOf(t, "threadIdx", "blockIdx") }) {
				return true
			}
		}
	}
	return false
}

// classes are class templates of the file with so many parameters, in the order of their names.
func (p *proposer) classes(params int) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(p.global.names)) {
		if c, is := p.global.names[name].(*class); is && (len(c.params) == params || params == 0) && len(list) < maxFitting {
			list = append(list, name)
		}
	}
	return append(list, "float") // which is refused
}

// usedOf are what a text uses of a type that is a parameter of a template: X::member, X()(…), and the call of a parameter x of the type.
func usedOf(name string, tokens []cpp.Token) (members []string) {
	objects := []string{}
	for i, t := range tokens[:max(0, len(tokens)-4)] {
		next := func(n int, text string) bool { return tokens[i+n].Is(text) }
		object := t.Kind == cpp.Name && slices.Contains(objects, t.Text)
		switch {
		case t.Text == name && next(1, "::") && tokens[i+2].Kind == cpp.Name:
			members = nameset.Add(members, tokens[i+2].Text)
		case t.Text == name && (next(1, "(") && next(2, ")") || next(1, "{") && next(2, "}")) && next(3, "("):
			members = nameset.Add(members, called(tokens[i+3:]))
		case object && next(1, "("):
			members = nameset.Add(members, called(tokens[i+1:]))
		case object && next(1, ".") && tokens[i+2].Kind == cpp.Name:
			members = nameset.Add(members, tokens[i+2].Text)
		case t.Text == name:
			at := i + 1
			for oneOf(tokens[at], "const", "&", "&&", "__restrict__", "volatile") && at < len(tokens)-2 {
				at++
			}
			if tokens[at].Kind == cpp.Name && (at > i+1 || oneOf(tokens[at+1], ",", ")", ";", "{", "=")) {
				objects = append(objects, tokens[at].Text)
			}
		}
	}
	return members
}

// typesWith are vectors and records that have all of some members, and instances of class templates that may have them, in the order of their names.
func (p *proposer) typesWith(members []string) (list []string) {
	if len(members) == 0 {
		return nil
	}
	for n, name := range []string{"float2", "float3", "float4"} {
		if !slices.ContainsFunc(members, func(m string) bool { return !slices.Contains([]string{"x", "y", "z", "w"}[:n+2], m) }) {
			list = append(list, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.global.names)) {
		if strings.Contains(name, " ") || len(list) == maxFitting {
			continue
		}
		switch t := p.global.names[name].(type) {
		case *ctype:
			if isRecord(t) && !slices.ContainsFunc(members, func(m string) bool { return !t.record.has(m) }) {
				list = append(list, name)
			}
		case *class:
			if !slices.ContainsFunc(members, func(m string) bool { return !p.mayHave(t, m) }) {
				list = append(list, p.plainInstance(t))
			}
		}
	}
	return list
}

// mayHave reports that the text of a class template names a member.
func (p *proposer) mayHave(c *class, member string) bool {
	member, call := strings.CutPrefix(member, callOperator)
	end := p.declarationEnd(c.start)
	return slices.ContainsFunc(p.tokens[c.start:end], func(t cpp.Token) bool { return call && t.Is("operator") || !call && t.Text == member })
}

// plainInstance is that of a class template for numbers.
func (p *proposer) plainInstance(c *class) string {
	d := &draft{name: c.name, params: c.params}
	var args []string
	for i, x := range d.params[:d.named()] {
		if x.isClass {
			args = append(args, p.classes(len(x.params))[0])
		} else {
			args = append(args, p.candidates(d, i)[0])
		}
	}
	return instanceName(c.name, args)
}

func instanceName(name string, args []string) string {
	return name + "<" + strings.Join(args, ", ") + ">"
}

// Instances are those of a template that the host code of the file launches, or else the one that is proposed.
func (f *File) Instances(name string) (list []string) {
	for _, l := range f.Launches {
		if l.Kernel == name {
			list = nameset.Add(list, f.InstanceOf(l))
		}
	}
	if len(list) == 0 {
		list = append(list, f.Proposed[name])
	}
	return list
}

// InstanceOf is the instance of a template that the host code launches. What the launch leaves to be told by its arguments, and names that only its surroundings
// know, are as proposed.
func (f *File) InstanceOf(l *launches.Launch) string {
	l.Resolve()
	args, _ := f.merged(l)
	name := instanceName(l.Kernel, args)
	if chosen := f.chosen[name]; chosen != "" {
		return chosen
	}
	return name
}

// IsProposed reports that an argument of an instance is said neither by a launch nor by a declaration of the file.
func (f *File) IsProposed(instance string) bool { return !slices.Contains(f.told, instance) }

// merged are the arguments of the template that a launch gives, and those that are proposed in place of others, which the bits of open tell.
func (f *File) merged(l *launches.Launch) (args []string, open uint64) {
	args, proposed := slices.Clone(l.Template), f.proposedArguments(l.Kernel)
	for i, a := range args {
		if first := strings.TrimLeft(a, "0123456789"); i < len(proposed) && (a == "?" || first == a && !f.known(a)) {
			args[i], open = proposed[i], open|1<<i
		}
	}
	for i := len(args); i < len(proposed); i++ {
		args, open = append(args, proposed[i]), open|1<<i
		if strings.HasPrefix(proposed[i], launches.ClosurePrefix) {
			args[i] = cmp.Or(l.Closure(), proposed[i])
		}
	}
	return args, open
}

// proposedArguments are those of the instance of a template that is proposed, nil without one.
func (f *File) proposedArguments(name string) []string {
	_, text, ok := strings.Cut(strings.TrimSuffix(f.Proposed[name], ">"), "<")
	if !ok {
		return nil
	}
	var args []string
	for _, a := range lex.Split(text, ",", "()<>") {
		args = append(args, strings.TrimSpace(a))
	}
	return args
}
