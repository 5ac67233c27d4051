package script

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"gpuperf/internal/source"
)

// argError is an error in an argument of a builtin.
type argError struct {
	function string
	arg      string // the parameter's name; "" means the whole call
	msg      string
	hint     string
	// within is the position in the argument's text (the strings of a list are joined by line ends), and line the line
	// there; the zero position means the whole text.
	within source.Pos
	line   string
}

func (e *argError) Error() string { return e.function + ": " + e.msg }

// places knows the positions of the calls in a file.
type places struct {
	file, text string
	calls      map[source.Pos]*syntax.CallExpr // by the position of the opening parenthesis
	constants  map[string]syntax.Expr          // globals and locals that are assigned once
	also       []*places                       // of the files that this one uses
}

func newPlaces(filename, text string, f *syntax.File) *places {
	p := &places{file: filename, text: text, calls: map[source.Pos]*syntax.CallExpr{}, constants: map[string]syntax.Expr{}}
	assigned := map[string]int{}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			p.calls[place(n.Lparen)] = n
		case *syntax.AssignStmt:
			if id, ok := n.LHS.(*syntax.Ident); ok {
				assigned[id.Name]++
				p.constants[id.Name] = n.RHS
			}
		}
		return true
	})
	for name, n := range assigned {
		if n > 1 {
			delete(p.constants, name)
		}
	}
	return p
}

// place converts a position of Starlark: both count lines and runes from 1.
func place(p syntax.Position) source.Pos { return source.Pos{Line: int(p.Line), Column: int(p.Col)} }

// syntaxError turns the errors of parsing and resolving into *source.Error. Of several, the first is reported.
func syntaxError(filename, text string, err error) error {
	var at syntax.Position
	var msg string
	var list resolve.ErrorList
	var one syntax.Error
	switch {
	case errors.As(err, &one):
		at, msg = one.Pos, one.Msg
	case errors.As(err, &list) && len(list) > 0:
		at, msg = list[0].Pos, list[0].Msg
	default:
		return fmt.Errorf("%s: %w", filename, err)
	}
	e := source.At(filename, text, place(at), "%s", msg)
	if strings.HasPrefix(msg, "undefined: ") && strings.HasPrefix(strings.TrimPrefix(msg, "undefined: "), "np") {
		return e.WithHint(`write element types as strings ("float32") or as lp.float32`)
	}
	return e
}

// explain turns the error of a run into a *source.Error at the innermost call in a file that is known, into the string
// argument at fault where there is one.
func (p *places) explain(err error) error {
	var eval *starlark.EvalError
	if err == nil || !errors.As(err, &eval) {
		return err
	}
	var at source.Pos
	var in *places
	var outer []string
	for i := len(eval.CallStack) - 1; i >= 0; i-- {
		fr := eval.CallStack[i]
		known := p.of(fr.Pos.Filename())
		switch {
		case known == nil || fr.Pos.Line < 1:
		case in == nil:
			in, at = known, place(fr.Pos)
		default:
			outer = append(outer, fmt.Sprintf("called from %s:%d:%d", known.file, fr.Pos.Line, fr.Pos.Col))
		}
	}
	msg := strings.TrimPrefix(eval.Msg, "Starlark computation cancelled: ")
	if in == nil {
		return &source.Error{File: p.file, Msg: msg}
	}
	e := source.At(in.file, in.text, at, "%s", msg)
	var arg *argError
	if errors.As(err, &arg) {
		e = in.locate(at, arg)
	}
	if len(outer) > 0 {
		if e.Hint != "" {
			e.Hint += "\n    "
		}
		e.Hint += strings.Join(outer, "\n    ")
	}
	return e
}

func (p *places) of(filename string) *places {
	if p.file == filename {
		return p
	}
	for _, q := range p.also {
		if found := q.of(filename); found != nil {
			return found
		}
	}
	return nil
}

// locate returns the position of an error in an argument of the call whose opening parenthesis is at lparen.
func (p *places) locate(lparen source.Pos, arg *argError) *source.Error {
	at, inside := lparen, false
	if c := p.calls[lparen]; c != nil {
		at = place(syntax.Start(c))
		if expr := argument(c, arg.arg, arg.function); expr != nil {
			at = place(syntax.Start(expr))
			if arg.within.Line > 0 {
				if found, ok := p.intoText(expr, arg.within); ok {
					at, inside = found, true
				}
			}
		}
	}
	e := source.At(p.file, p.text, at, "%s", arg.Error())
	e.Hint = arg.hint
	if arg.within.Line > 0 && !inside && arg.line != "" {
		// the text was computed: show its own line
		quoted := &source.Error{Pos: arg.within, Line: arg.line, Msg: fmt.Sprintf("in line %d of the text:", arg.within.Line)}
		_, shown, _ := strings.Cut(quoted.Error(), " ")
		e.Hint = strings.TrimSuffix(shown+"\n    "+arg.hint, "\n    ")
	}
	return e
}

// argument returns the expression that a call passes for a parameter, nil if that cannot be determined.
func argument(c *syntax.CallExpr, name, function string) syntax.Expr {
	if name == "" {
		return nil
	}
	f := functions[function]
	if f == nil {
		return nil
	}
	index, keys := f.find(name)
	for i, a := range c.Args {
		if b, ok := a.(*syntax.BinaryExpr); ok && b.Op == syntax.EQ {
			if slices.Contains(keys, b.X.(*syntax.Ident).Name) {
				return b.Y
			}
			continue
		}
		if u, ok := a.(*syntax.UnaryExpr); ok && (u.Op == syntax.STAR || u.Op == syntax.STARSTAR) {
			return nil
		}
		if i == index {
			return a
		}
	}
	return nil
}

// piece is a part of a text and the literal that it comes from, nil for a line end between the strings of a list.
type piece struct {
	value string
	lit   *syntax.Literal
}

// pieces finds the literals that make up the text of an expression: strings, lists of them (joined by line ends),
// sums, and names bound once to such.
func (p *places) pieces(e syntax.Expr, depth int) ([]piece, bool) {
	if depth > 20 {
		return nil, false
	}
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return p.pieces(e.X, depth+1)
	case *syntax.Literal:
		s, ok := e.Value.(string)
		return []piece{{s, e}}, ok
	case *syntax.Ident:
		if c := p.constants[e.Name]; c != nil {
			return p.pieces(c, depth+1)
		}
	case *syntax.BinaryExpr:
		if e.Op == syntax.PLUS {
			a, ok := p.pieces(e.X, depth+1)
			b, ok2 := p.pieces(e.Y, depth+1)
			return append(a, b...), ok && ok2
		}
	case *syntax.ListExpr:
		var out []piece
		for i, x := range e.List {
			if i > 0 {
				out = append(out, piece{value: "\n"})
			}
			part, ok := p.pieces(x, depth+1)
			if !ok {
				return nil, false
			}
			out = append(out, part...)
		}
		return out, true
	}
	return nil, false
}

// intoText maps a position in the value of a string expression to the file.
func (p *places) intoText(e syntax.Expr, within source.Pos) (source.Pos, bool) {
	parts, ok := p.pieces(e, 0)
	if !ok {
		return source.Pos{}, false
	}
	var all strings.Builder
	for _, part := range parts {
		all.WriteString(part.value)
	}
	offset := within.Offset(all.String())
	for i, part := range parts {
		last := i == len(parts)-1
		if part.lit != nil && (offset < len(part.value) || offset == len(part.value) && (last || parts[i+1].lit == nil)) {
			raw, ok := rawOffset(part.lit, offset)
			if !ok {
				return source.Pos{}, false
			}
			in := source.PosAt(part.lit.Raw, raw)
			if in.Line == 1 {
				in.Column += int(part.lit.TokenPos.Col) - 1
			}
			in.Line += int(part.lit.TokenPos.Line) - 1
			return in, true
		}
		offset -= len(part.value)
		if offset < 0 {
			break
		}
	}
	return source.Pos{}, false
}

// nearText is the line of the file near which a position of a computed string is: a literal has its lines there, whatever is put into them.
func nearText(e syntax.Expr, within source.Pos) source.Pos {
	if b, ok := e.(*syntax.BinaryExpr); ok && b.Op == syntax.PERCENT {
		e = b.X
	}
	start, _ := e.Span()
	at := source.Pos{Line: int(start.Line), Column: int(start.Col)}
	if lit, ok := e.(*syntax.Literal); ok && lit.Token == syntax.STRING && within.Line > 1 && strings.Contains(lit.Raw, "\n") {
		at = source.Pos{Line: at.Line + within.Line - 1, Column: 1}
	}
	return at
}

// rawOffset maps an offset in the value of a literal to its source; false if an escape sequence is not handled.
func rawOffset(lit *syntax.Literal, offset int) (int, bool) {
	raw, start := lit.Raw, 0
	rawString := false
	for start < len(raw) && raw[start] != '"' && raw[start] != '\'' {
		rawString = rawString || raw[start] == 'r'
		start++
	}
	if start+2 < len(raw) && raw[start+1] == raw[start] && raw[start+2] == raw[start] {
		start += 2
	}
	i := min(start+1, len(raw))
	for n := 0; n < offset && i < len(raw); n++ {
		switch {
		case raw[i] == '\r' && i+1 < len(raw) && raw[i+1] == '\n':
			i += 2
		case raw[i] != '\\' || rawString:
			i++
		case i+1 < len(raw) && raw[i+1] == '\n':
			i, n = i+2, n-1
		case i+1 < len(raw) && strings.IndexByte("abfnrtv\\'\"", raw[i+1]) >= 0:
			i += 2
		default:
			return 0, false
		}
	}
	return i, true
}
