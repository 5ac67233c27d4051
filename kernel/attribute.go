package kernel

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/lex"
	"gpuperf/internal/nameset"
	"gpuperf/kernel/expr"
)

// attribute is key=value of a statement; the value is raw text, of if a list of conditions.
type attribute struct {
	key, value string
	conds      []expr.Expr
	at, from   int // offsets of the key and the value
}

// attributes reads {key=value, ...}. The key atomic has no value.
func (b blockParser) attributes() []attribute {
	b.Expect("{")
	var list []attribute
	for !b.Accept("}") {
		if len(list) > 0 {
			b.Expect(",")
		}
		a := attribute{at: b.Tok().At}
		if b.Is("if") { // a keyword elsewhere
			b.Next()
			a.key = "if"
		} else {
			a.key = b.Name("an attribute")
		}
		if b.Accept("@") {
			a.key += "@" + b.Name("an address space")
		}
		if a.key == "atomic" {
			list = append(list, a)
			continue
		}
		b.Expect("=")
		if a.key == "if" {
			a.conds = []expr.Expr{b.Expression()}
			for b.Accept(":") {
				a.conds = append(a.conds, b.Expression())
			}
		} else {
			a.from = b.Tok().At
			for !b.Is(",") && !b.Is("}") {
				if b.Tok().Kind == lex.End {
					b.Fail("attributes are not closed by }")
				}
				b.Next()
			}
			a.value = strings.TrimSpace(b.Text[a.from:b.Tok().At])
		}
		list = append(list, a)
	}
	return list
}

// attributeKinds are the attributes of a statement: what sets each, by key.
var attributeKinds = map[string]func(b blockParser, a attribute, s *Stmt, notes *stmtNotes){
	"id": blockParser.setID, "id_prefix": blockParser.setID, "dep": blockParser.setDeps, "inames": blockParser.setInames,
	"if": func(_ blockParser, a attribute, s *Stmt, _ *stmtNotes) {
		s.Predicates = append(s.Predicates, a.conds...)
	},
	"tags": func(b blockParser, a attribute, s *Stmt, _ *stmtNotes) {
		s.Tags = append(s.Tags, b.names(a, a.list(), "tag")...)
	},
	"nosync": blockParser.setNoSync, "nosync@any": blockParser.setNoSync, "nosync@local": blockParser.setNoSync, "nosync@global": blockParser.setNoSync,
	"priority": blockParser.setPriority, "mem_kind": blockParser.setMemory,
	"ahead": func(b blockParser, a attribute, s *Stmt, _ *stmtNotes) {
		n, err := strconv.ParseInt(a.value, 10, 64)
		if err != nil || n < 1 {
			b.FailHint(a.from, "it is 1 of copies, and 1 more than what may be under way of barriers", "ahead=%s is no positive integer", a.value)
		}
		s.Ahead = n
	},
	"atomic": func(_ blockParser, _ attribute, s *Stmt, _ *stmtNotes) { s.Atomic = true },
}

// Attributes lists the attributes that a statement may have, sorted.
func Attributes() []string { return slices.Sorted(maps.Keys(attributeKinds)) }

// apply sets an attribute on the statement.
func (b blockParser) apply(a attribute, s *Stmt, notes *stmtNotes) {
	set, ok := attributeKinds[a.key]
	if !ok {
		b.FailHint(a.at, "attributes are "+nameset.Text(Attributes()), "unknown attribute %q", a.key)
	}
	set(b, a, s, notes)
}

// list is the value of an attribute that takes several names.
func (a attribute) list() []string {
	return strings.FieldsFunc(a.value, func(r rune) bool { return r == ':' || r == ' ' || r == '\t' || r == '\n' || r == '\r' })
}

// names returns the list, all of which must be identifiers.
func (b blockParser) names(a attribute, list []string, what string) []string {
	for _, n := range list {
		if !expr.IsName(n) {
			b.FailHint(a.at, "separate them by colons", "%q is not a valid %s", n, what)
		}
	}
	return list
}

func (b blockParser) setID(a attribute, s *Stmt, notes *stmtNotes) {
	list := b.names(a, a.list(), "statement id")
	if len(list) != 1 {
		b.FailHint(a.at, "", "%s takes one name", a.key)
	}
	if a.key == "id" {
		s.ID = list[0]
	} else {
		notes.prefix = list[0]
	}
}

func (b blockParser) setDeps(a attribute, s *Stmt, notes *stmtNotes) {
	list, place := a.list(), b.placer(a, notes)
	for i, item := range list {
		n := item
		if i == 0 && strings.HasPrefix(n, "*") && !strings.HasPrefix(n, "**") {
			notes.exactDeps = true
			if n = n[1:]; n == "" {
				if len(list) > 1 {
					continue
				}
				n = "*"
			}
		}
		place(item, n)
		s.Deps = append(s.Deps, n)
	}
}

// placer returns a function that notes where the next item of an attribute has its pattern.
func (b blockParser) placer(a attribute, notes *stmtNotes) func(item, pattern string) {
	end := a.from // of the item before
	return func(item, pattern string) {
		at := end + strings.Index(b.Text[end:], item)
		end = at + len(item)
		notes.places[pattern] = at + strings.Index(item, pattern)
	}
}

func (b blockParser) setInames(a attribute, s *Stmt, notes *stmtNotes) {
	list := a.list()
	notes.exactNames = !strings.HasPrefix(a.value, "+")
	if !notes.exactNames {
		if list[0] = list[0][1:]; list[0] == "" {
			list = list[1:]
		}
	} else {
		s.Inames = nil
	}
	s.Inames = append(s.Inames, b.names(a, list, "iname")...)
}

func (b blockParser) setNoSync(a attribute, s *Stmt, notes *stmtNotes) {
	_, all, _ := strings.Cut(a.key, "@")
	place := b.placer(a, notes)
	for _, n := range a.list() {
		id, space, found := strings.Cut(n, "@")
		place(n, id)
		if !found {
			space = all
		}
		switch space {
		case "", "any":
		case "local", "global":
			id += "@" + space
		default:
			b.FailHint(a.at, "write @local, @global or @any", "%q is not a scope of nosync", space)
		}
		s.NoSync = append(s.NoSync, id)
	}
}

func (b blockParser) setPriority(a attribute, s *Stmt, _ *stmtNotes) {
	n, err := strconv.Atoi(a.value)
	if err != nil {
		b.FailHint(a.at, "the greatest runs first", "priority %q is not an integer", a.value)
	}
	s.Priority = n
}

func (b blockParser) setMemory(a attribute, s *Stmt, _ *stmtNotes) {
	s.Memory = Space(a.value)
	if s.Kind != LocalBarrier || s.Memory != Local && s.Memory != Global {
		b.FailHint(a.at, "write ... lbarrier {mem_kind=global}", "mem_kind is local or global, the memory that an lbarrier orders")
	}
}
