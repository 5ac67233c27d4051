package kernel

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel/expr"
)

// Match lists the statements that a text selects: terms joined by "and", "or", "not" and parentheses. A term is id:GLOB,
// writes:VARIABLE, reads:VARIABLE, iname:INAME, tag:GLOB, or a bare GLOB for an id. The empty text selects all statements.
func (k *Kernel) Match(text string) ([]*Stmt, error) {
	if strings.TrimSpace(text) == "" {
		return k.Statements, nil
	}
	p := &matcher{k: k, words: strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(text))}
	match, err := p.or(0)
	if err == nil && len(p.words) > 0 {
		err = fmt.Errorf("and, or or a parenthesis is missing before %q", p.words[0])
	}
	if err != nil {
		return nil, k.Errorf("statement match %q: %w", strings.Join(strings.Fields(text), " "), err)
	}
	return lists.Where(k.Statements, match), nil
}

type matcher struct {
	k     *Kernel
	words []string
}

func (p *matcher) accept(word string) bool {
	if len(p.words) > 0 && p.words[0] == word {
		p.words = p.words[1:]
		return true
	}
	return false
}

func (p *matcher) or(depth int) (_ func(*Stmt) bool, err error) {
	defer throw.Catch(&err)
	return p.chain("or", true, depth, p.and), nil
}

func (p *matcher) and(depth int) (_ func(*Stmt) bool, err error) {
	defer throw.Catch(&err)
	return p.chain("and", false, depth, p.term), nil
}

// chain reads operands with a word between them; one that is decisive decides the result.
func (p *matcher) chain(word string, decisive bool, depth int, operand func(int) (func(*Stmt) bool, error)) func(*Stmt) bool {
	left, err := operand(depth)
	for err == nil && p.accept(word) {
		a := left
		var b func(*Stmt) bool
		b, err = operand(depth)
		left = func(s *Stmt) bool {
			if a(s) == decisive {
				return decisive
			}
			return b(s)
		}
	}
	return throw.Get(left, err)
}

func (p *matcher) term(depth int) (func(*Stmt) bool, error) {
	if depth > expr.MaxDepth {
		return nil, fmt.Errorf("nested more than %d deep", expr.MaxDepth)
	}
	switch {
	case len(p.words) == 0:
		return nil, fmt.Errorf("a criterion such as writes:c is missing at the end")
	case p.accept("not"):
		f, err := p.term(depth + 1)
		return func(s *Stmt) bool { return !f(s) }, err
	case p.accept("("):
		f, err := p.or(depth + 1)
		if err == nil && !p.accept(")") {
			err = fmt.Errorf("a parenthesis is never closed")
		}
		return f, err
	}
	word := p.words[0]
	p.words = p.words[1:]
	key, pattern, found := strings.Cut(word, ":")
	if !found {
		key, pattern = "id", word
	}
	if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
		return nil, fmt.Errorf("%q has no pattern of names, as in tag:fetch or id:fetch*", word)
	}
	glob := func(s string) bool { ok, _ := path.Match(pattern, s); return ok }
	holds, known := criteria[key]
	if !known {
		return nil, fmt.Errorf("unknown criterion %q (%s)", key, nameset.Text(Criteria()))
	}
	return func(s *Stmt) bool { return holds(p.k, s, glob) }, nil
}

// criteria are the terms of a match: whether one holds of a statement, by what stands before the colon.
var criteria = map[string]func(k *Kernel, s *Stmt, glob func(string) bool) bool{
	"id":     func(_ *Kernel, s *Stmt, glob func(string) bool) bool { return glob(s.ID) },
	"tag":    func(_ *Kernel, s *Stmt, glob func(string) bool) bool { return slices.ContainsFunc(s.Tags, glob) },
	"iname":  func(_ *Kernel, s *Stmt, glob func(string) bool) bool { return slices.ContainsFunc(s.Inames, glob) },
	"writes": func(_ *Kernel, s *Stmt, glob func(string) bool) bool { return s.Target() != "" && glob(s.Target()) },
	"reads": func(k *Kernel, s *Stmt, glob func(string) bool) bool {
		return slices.ContainsFunc(k.Reads(s), func(a *expr.Access) bool { return glob(a.Array) })
	},
}

// Criteria lists what the terms of a match begin with, sorted.
func Criteria() []string { return slices.Sorted(maps.Keys(criteria)) }
