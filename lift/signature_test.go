package lift

import (
	"strings"
	"testing"
	"unicode"
)

// signature matches the text of a signature with the type of a term, and remembers what its letters stand for.
type signature struct {
	rest  string
	types map[string]*Type
	sizes map[string]int64
}

// atSizes are those of the terms that TestPatterns evaluates.
var atSizes = map[string]int64{"n": 6, "m": 2}

func (s *signature) skip(text string) bool {
	s.rest = strings.TrimLeft(s.rest, " ")
	rest, ok := strings.CutPrefix(s.rest, text)
	if ok {
		s.rest = rest
	}
	return ok
}

func (s *signature) word() string {
	s.rest = strings.TrimLeft(s.rest, " ")
	n := strings.IndexFunc(s.rest+" ", func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	word := s.rest[:n]
	s.rest = s.rest[n:]
	return word
}

// length matches a length: a letter that has no value yet gets that of the array.
func (s *signature) length(t *testing.T, l Size) {
	text := s.rest
	if s.skip("(") {
		depth := 0
		end := strings.IndexFunc(text, func(r rune) bool {
			depth += map[rune]int{'(': 1, ')': -1}[r]
			return depth == 0
		})
		text, s.rest = text[:end+1], text[end+1:]
	} else {
		text = s.word()
	}
	got, err := l.Eval(atSizes)
	if err != nil {
		t.Fatal(err)
	}
	size, err := parseSize(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	for _, sym := range size.Symbols() {
		if _, known := s.sizes[sym]; !known { // of m + 1 and the like
			s.sizes[sym] = got
			if v, err := size.Eval(s.sizes); err == nil {
				s.sizes[sym] += got - v
			}
		}
	}
	if want, err := size.Eval(s.sizes); err != nil || want != got {
		t.Errorf("length %s is %d (%v), the term has %d", text, want, err, got)
	}
}

// matches reads one type of the signature.
func (s *signature) matches(t *testing.T, of *Type) {
	switch {
	case s.skip("["):
		if of.Kind != ArrayType {
			t.Fatalf("%s is no array", of)
		}
		s.matches(t, of.Elem)
		s.skip("]")
		s.length(t, of.Len)
	case s.skip("<"):
		s.matches(t, Scalar(of.DType))
		s.skip(">")
		s.sizes[s.word()] = int64(of.Width)
	case s.skip("("):
		s.list(t, of.Elems)
	default:
		name := s.word()
		switch known := s.types[name]; {
		case name == "int32" && of == Int32, known == of:
		case known == nil && name != "int32":
			s.types[name] = of
		default:
			t.Errorf("%s is %v, the term has %s", name, known, of)
		}
	}
}

// list matches the rest of (T, U, ...) with types.
func (s *signature) list(t *testing.T, types []*Type) {
	for ; !s.skip(")"); s.skip(",") {
		if !s.skip("...") && len(types) > 0 {
			s.matches(t, types[0])
			types = types[1:]
		}
	}
}

// function matches T => U or (T, T) => T with the type of a function.
func (s *signature) function(t *testing.T, f *Type) {
	if s.skip("(") {
		s.list(t, f.Elems)
	} else {
		s.matches(t, f.Elems[0])
	}
	if !s.skip("=>") {
		t.Fatalf("no function: %q", s.rest)
	}
	s.matches(t, f.Result)
}

// agree matches the signature of a pattern with a term of it.
func agree(t *testing.T, name string, x *Term) {
	s := &signature{rest: signatures[name], types: map[string]*Type{}, sizes: map[string]int64{}}
	s.skip("(")
	sizes, ints, kids := x.Sizes, x.Ints, x.Kids
	next := func() *Type { k := kids[0]; kids = kids[1:]; return k.Type }
	for _, a := range rows[x.Op].args {
		s.skip(",")
		switch a {
		case argFun:
			s.function(t, next())
		case argSize:
			n, err := sizes[0].Eval(atSizes)
			if err != nil {
				t.Fatal(err)
			}
			s.sizes[s.word()] = n
			sizes = sizes[1:]
		case argInt, argDim, argMode:
			s.sizes[s.word()] = int64(ints[0])
			ints = ints[1:]
		case argIndex:
			s.word()
		case argTerm, argData:
			s.matches(t, next())
		case argList:
			for !strings.HasPrefix(strings.TrimLeft(s.rest, " "), ")") {
				if s.skip(","); s.skip("...") {
					continue
				}
				if len(kids) == 0 {
					return // fewer than the signature shows
				}
				s.matches(t, next())
			}
			kids = nil
		}
	}
	if !s.skip(")") || !s.skip("=>") {
		t.Fatalf("%q is left", s.rest)
	}
	if text := strings.TrimSpace(s.rest); !strings.HasPrefix(text, "the ") && !strings.HasPrefix(text, "component") {
		s.matches(t, x.Type)
	}
}

// Every pattern and builtin function has a signature, and those of patterns are the types of the terms that TestPatterns evaluates.
func TestSignatures(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range patternCases {
		term, err := parseTerm(strings.ReplaceAll(c.term, "XS", ints), "n", "m")
		if err != nil {
			t.Fatal(err)
		}
		Walk(term, AnyOp, func(x *Term) {
			name := x.name()
			if patterns[name] == nil || name == "iterate" {
				return
			}
			seen[name] = true
			t.Run(name, func(t *testing.T) { agree(t, name, x) })
		})
	}
	for _, name := range Patterns() {
		if !seen[name] && name != "iterate" {
			t.Errorf("no case has the type of %s", name)
		}
	}
	for _, name := range append(Patterns(), Builtins()...) {
		if Usage(name) == "" {
			t.Errorf("%s has no signature", name)
		}
	}
}
