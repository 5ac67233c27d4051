package cpp

import (
	"slices"
	"strconv"
	"strings"
)

// branch is #if, #elif or #else with its condition.
type branch struct {
	word Token
	args []Token
}

// Limits of looking for definitions under which a branch is read.
const (
	maxProposed = 64    // tokens of a condition, and functions that are left out
	maxTrials   = 4_000 // conditions that are tried in a text
)

// proposal are definitions that are tried, by the macros that they stand for.
type proposal struct {
	*reader
	flags []string
	// before are the macros that stood for the names; nil where none did.
	before map[string]*macro
}

// propose looks for definitions under which goal holds, and leaves the macros as they are.
func (r *reader) propose(goal func(p *proposal) bool) []string {
	p := &proposal{reader: r, before: map[string]*macro{}}
	defer func() {
		for name := range p.before {
			p.unset(name)
		}
	}()
	if !goal(p) {
		return nil
	}
	return p.flags
}

// avoid has the branch that is read left out: its own condition fails, or one before it holds.
func (p *proposal) avoid(c *condition) bool {
	n := len(c.branches) - 1
	if c.branches[n].word.Text != "else" && p.solve(c.branches[n], false) {
		return true
	}
	return slices.ContainsFunc(c.branches[:n], func(b branch) bool { return p.solve(b, true) })
}

// reach has the last branch of a condition read.
func (p *proposal) reach(c *condition) bool {
	for i, b := range c.branches {
		if b.word.Text != "else" && !p.solve(b, i == len(c.branches)-1) {
			return false
		}
	}
	return true
}

// solve finds definitions of one or two names, as few as there must be, under which the condition of a branch has a value.
func (p *proposal) solve(b branch, want bool) bool {
	if len(b.args) > maxProposed {
		return false
	}
	if v, ok := p.test(b); !ok || v == want {
		return ok
	}
	names, values := p.open(b)
	for i, name := range names {
		for _, v := range values {
			p.set(name, v)
			if p.reaches(b, want) {
				p.keep(b, name, v)
				return true
			}
			for _, second := range names[:i] {
				for _, w := range values {
					p.set(second, w)
					if p.reaches(b, want) {
						p.keep(b, name, v)
						p.keep(b, second, w)
						return true
					}
				}
				p.unset(second)
			}
		}
		p.unset(name)
	}
	return false
}

func (p *proposal) reaches(b branch, want bool) bool {
	v, ok := p.test(b)
	return ok && v == want
}

func (p *proposal) set(name string, value int64) {
	if _, known := p.before[name]; !known {
		p.before[name] = p.macros[name]
	}
	p.macros[name] = &macro{name: name, body: []Token{{Kind: Number, Text: strconv.FormatInt(value, 10)}}}
}

func (p *proposal) unset(name string) {
	if p.macros[name] = p.before[name]; p.before[name] == nil {
		delete(p.macros, name)
	}
	delete(p.before, name)
}

// keep notes a definition. A name whose value no condition looks at has none.
func (p *proposal) keep(b branch, name string, value int64) {
	flag := name + "=" + strconv.FormatInt(value, 10)
	if strings.HasSuffix(b.word.Text, "def") || value == 1 && slices.ContainsFunc(b.args, func(t Token) bool { return t.Is("defined") }) {
		flag = name
	}
	p.flags = append(p.flags, flag)
}

// test is the value of a condition; ok is false where it has none.
func (p *proposal) test(b branch) (holds, ok bool) {
	if p.trials++; p.trials > maxTrials {
		return false, false
	}
	ok = p.guarded(func() { holds = p.holds(b.word, b.args) })
	return holds && ok, ok
}

// guarded does what may fail, and reports whether it did not.
func (p *proposal) guarded(f func()) (ok bool) {
	lists, nested := len(p.lists), p.nested
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Error:
			for len(p.lists) > lists {
				p.pop()
			}
			p.nested, ok = nested, false
		default:
			panic(e)
		}
	}()
	f()
	return true
}

// free reports that nothing defines a name, or the text only where -D does not. Names that begin with __ are those of compilers; that of GNU's may be asked for.
func (p *proposal) free(name string) bool {
	m := p.macros[name]
	_, kept := p.before[name]
	return (m == nil || m.fallback) && !kept && ownMacros[name] == nil && name != "defined" && (!strings.HasPrefix(name, "__") || name == "__GNUC__")
}

// open are the free names of a condition, and values that may decide it: 1, and the numbers in it with those beside them.
func (p *proposal) open(b branch) (names []string, values []int64) {
	values = []int64{1}
	add := func(tokens []Token) {
		for i, t := range tokens {
			if t.Kind == Name && p.free(t.Text) && (i == 0 || !tokens[i-1].Is("__has_include")) && !slices.Contains(names, t.Text) {
				names = append(names, t.Text)
			}
			if n, err := strconv.ParseInt(strings.TrimRight(t.Text, "uUlL"), 0, 64); t.Kind == Number && err == nil {
				for _, v := range []int64{n, n + 1, n - 1} {
					if !slices.Contains(values, v) {
						values = append(values, v)
					}
				}
			}
		}
	}
	add(b.args)
	if !strings.HasSuffix(b.word.Text, "def") {
		p.guarded(func() { add(p.all(b.args)) })
	}
	if len(values) > 12 {
		values = values[:12]
	}
	return names[:min(len(names), 6)], values
}

// leaveOut notes a kernel that stands in a branch which is left out, by what would have it read: the names of functions behind the word that declares one.
func (r *reader) leaveOut(in *input, nested []condition) {
	if len(r.cfg.LeftOut) >= maxProposed {
		return
	}
	saved := *in.lexer
	defer func() { *in.lexer = saved }()
	var name string
	for n := 0; n < maxProposed; n++ {
		t := in.next()
		if t.Kind == Name {
			name = t.Text
			continue
		}
		if t.Is("{") || t.Is(";") || t.Kind == End || t.Is("#") {
			return
		}
		if t.Is("(") && name != "" && !strings.HasPrefix(name, "__attribute") && !strings.HasPrefix(name, "__launch") && !strings.Contains(name, "work_group") && name != "vec_type_hint" {
			break
		}
		if t.Kind != newline {
			name = ""
		}
	}
	if _, known := r.cfg.LeftOut[name]; known || name == "" {
		return
	}
	r.cfg.LeftOut[name] = r.read(in, nested)
}

// read looks for definitions under which a place is read that is left out.
func (r *reader) read(in *input, nested []condition) []string {
	return r.propose(func(p *proposal) bool {
		chain := append([]condition{in.conditions[len(in.conditions)-1]}, nested...)
		return !slices.ContainsFunc(chain, func(c condition) bool { return !p.reach(&c) })
	})
}

// leaveOutName notes by what a name would be defined that the text lacks.
func (r *reader) leaveOutName(in *input, nested []condition, name string) {
	if flags, lacks := r.cfg.Lacking[name]; lacks && flags == nil {
		r.cfg.Lacking[name] = r.read(in, nested)
	}
}
