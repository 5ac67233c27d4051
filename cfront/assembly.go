package cfront

import (
	"strings"

	"gpuperf/cfront/cpp"
)

// Assembly is inline assembly: its text, in which %0 is the first operand, and its operands, those that it writes first.
type Assembly struct {
	Text     string
	Out, In  []Expr
	Modifies []bool // of Out: it is read, too
}

// Assembly is the inline assembly that a statement stands for, or nil. Who does not know what its instructions do finds in the statement what they may do.
func (f *File) Assembly(s Stmt) *Assembly { return f.assembly[s] }

// stands keeps the assembly that a statement stands for.
func (p *parser) stands(s Stmt, a *Assembly) Stmt {
	if p.file.assembly == nil {
		p.file.assembly = map[Stmt]*Assembly{}
	}
	if a != nil {
		p.file.assembly[s] = a
	}
	return s
}

// operandsAt reads the operands of an asm from a token on once more, where they can be read.
func (p *parser) operandsAt(start int) (a *Assembly) {
	if p.lang.hosted {
		return nil
	}
	after := p.i
	_ = p.attempt(func() {
		p.i = start
		for p.tok().Kind == cpp.Name {
			p.next()
		}
		a = p.operands()
	})
	p.i = after
	return a
}

// operands reads the brackets of asm.
func (p *parser) operands() *Assembly {
	a := &Assembly{}
	p.expect("(")
	for p.tok().Kind == cpp.String {
		a.Text += strings.NewReplacer(`\n`, "\n", `\t`, " ").Replace(strings.Trim(p.next().Text, `"`))
	}
	for n := 0; p.is(":") || p.is("::"); n++ {
		if p.next().Text == "::" {
			n++
		}
		for n < 2 && p.tok().Kind == cpp.String {
			constraint := p.next().Text
			p.expect("(")
			e := p.value().e
			p.expect(")")
			p.accept(",")
			if n == 0 {
				a.Out, a.Modifies = append(a.Out, e), append(a.Modifies, strings.Contains(constraint, "+"))
			} else {
				a.In = append(a.In, e)
			}
		}
		for n >= 2 && !p.is(")") && !p.is(":") {
			p.next()
		}
	}
	p.expect(")")
	return a
}
