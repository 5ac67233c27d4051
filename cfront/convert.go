package cfront

import (
	"modernc.org/cc/v4"

	"gpuperf/internal/source"
	"gpuperf/kernel/expr"
)

// converter turns the library's trees into those of this package.
type converter struct {
	file *File
	main string // name of the main file for the library
	vars map[*cc.Declarator]*Var
	fn   *Function
}

func (c *converter) pos(n cc.Node) Pos {
	p := n.Position()
	name := p.Filename
	if name == c.main {
		name = c.file.Name
	}
	return Pos{name, source.Pos{Line: p.Line, Column: p.Column}}
}

// dtypes are the types of numbers.
var dtypes = map[cc.Kind]expr.DType{
	cc.Bool: expr.Bool, cc.Char: expr.Int8, cc.SChar: expr.Int8, cc.UChar: expr.Uint8, cc.Short: expr.Int16, cc.UShort: expr.Uint16,
	cc.Int: expr.Int32, cc.Enum: expr.Int32, cc.UInt: expr.Uint32, cc.Long: expr.Int64, cc.LongLong: expr.Int64, cc.ULong: expr.Uint64,
	cc.ULongLong: expr.Uint64, cc.Float: expr.Float32, cc.Double: expr.Float64,
}

func dtypeOf(t cc.Type) expr.DType {
	if t == nil {
		return ""
	}
	return dtypes[t.Kind()]
}

// pointee is the type of the numbers that a pointer or an array points to.
func pointee(t cc.Type) expr.DType {
	switch x := t.(type) {
	case *cc.PointerType:
		t = x.Elem()
	case *cc.ArrayType:
		t = x.Elem()
	default:
		return ""
	}
	for a, ok := t.(*cc.ArrayType); ok; a, ok = t.(*cc.ArrayType) {
		t = a.Elem()
	}
	return dtypeOf(t)
}

func (c *converter) function(f *cc.FunctionDefinition) *Function {
	fn := &Function{Name: f.Declarator.Name(), Pos: c.pos(f.Declarator)}
	c.fn = fn
	if t, ok := f.Declarator.Type().(*cc.FunctionType); ok {
		fn.Result = dtypeOf(t.Result())
		for _, p := range t.Parameters() {
			if p.Declarator != nil {
				fn.Params = append(fn.Params, c.variable(p.Declarator))
			}
		}
	}
	fn.Body = c.block(f.CompoundStatement)
	return fn
}

// variable is the variable of a declarator.
func (c *converter) variable(d *cc.Declarator) *Var {
	if v := c.vars[d]; v != nil {
		return v
	}
	v := &Var{Name: d.Name(), Pos: c.pos(d), Class: Local}
	c.vars[d] = v
	switch {
	case d.IsParam():
		v.Class = Param
	case d.StorageDuration() == cc.Static:
		v.Class = Global
	}
	c.dimensions(v, d)
	return v
}

// dimensions sets the element type and the extents. They come from the declarator as it is written, as the type of a parameter has no
// outermost extent, and from the type where that is an array by a typedef.
func (c *converter) dimensions(v *Var, d *cc.Declarator) {
	t := d.Type()
	strip := func() bool {
		switch x := t.(type) {
		case *cc.PointerType:
			t = x.Elem()
		case *cc.ArrayType:
			t = x.Elem()
		default:
			return false
		}
		return true
	}
	for dd := d.DirectDeclarator; dd != nil; dd = dd.DirectDeclarator {
		switch dd.Case {
		case cc.DirectDeclaratorIdent:
		case cc.DirectDeclaratorArr, cc.DirectDeclaratorStaticArr, cc.DirectDeclaratorArrStatic, cc.DirectDeclaratorStar:
			// x[a][b] is written as (x[a])[b]: the innermost extent comes first.
			v.Dims = append([]Expr{c.expr(dd.AssignmentExpression)}, v.Dims...)
		case cc.DirectDeclaratorDecl: // a pointer to an array, (*x)[a]
			in := dd.Declarator
			if in.Pointer == nil || in.Pointer.Pointer != nil || in.DirectDeclarator.Case != cc.DirectDeclaratorIdent || v.Pointer {
				return
			}
			v.Dims, v.Pointer, v.Restrict = append([]Expr{nil}, v.Dims...), true, isRestrict(in.Pointer)
		default: // functions
			return
		}
	}
	for range v.Dims {
		if !strip() {
			return
		}
	}
	for p := d.Pointer; p != nil; p = p.Pointer {
		if len(v.Dims) > 0 || v.Pointer || !strip() { // an array of pointers, a pointer to a pointer
			return
		}
		v.Dims, v.Pointer, v.Restrict = []Expr{nil}, true, isRestrict(p)
	}
	for a, ok := t.(*cc.ArrayType); ok; a, ok = t.(*cc.ArrayType) {
		extent := c.expr(a.SizeExpression())
		if a.Len() >= 0 && !a.IsVLA() {
			extent = &Int{typed{Pos: v.Pos, DType: expr.Int64}, a.Len()}
		}
		v.Dims = append(v.Dims, extent)
		t = a.Elem()
	}
	v.DType = dtypeOf(t)
}

func isRestrict(p *cc.Pointer) bool {
	for q := p.TypeQualifiers; q != nil; q = q.TypeQualifiers {
		if x := q.TypeQualifier; x != nil && x.Case == cc.TypeQualifierRestrict {
			return true
		}
	}
	return false
}

func (c *converter) block(b *cc.CompoundStatement) *Block {
	out := &Block{Pos: c.pos(b), Last: b.Token2.Position().Line}
	for l := b.BlockItemList; l != nil; l = l.BlockItemList {
		switch item := l.BlockItem; item.Case {
		case cc.BlockItemDecl:
			if s := c.declaration(item.Declaration); len(s.Vars) > 0 {
				out.Items = append(out.Items, s)
			}
		case cc.BlockItemStmt:
			out.Items = append(out.Items, c.statement(item.Statement))
		default:
			out.Items = append(out.Items, &Other{Pos: c.pos(item), What: "a label or a nested function"})
		}
	}
	return out
}

func (c *converter) declaration(d *cc.Declaration) *Declare {
	out := &Declare{Pos: c.pos(d)}
	add := func(d *cc.Declarator, init *cc.Initializer) {
		if d.IsTypename() || d.IsSynthetic() || d.Name() == "__func__" {
			return
		}
		v := c.variable(d)
		if init != nil {
			v.Init, v.Listed = c.expr(init.AssignmentExpression), init.Case != cc.InitializerExpr
		}
		out.Vars = append(out.Vars, v)
	}
	if d.Case == cc.DeclarationAuto {
		add(d.Declarator, d.Initializer)
	}
	for l := d.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
		add(l.InitDeclarator.Declarator, l.InitDeclarator.Initializer)
	}
	return out
}

func (c *converter) statement(s *cc.Statement) Stmt {
	at := c.pos(s)
	switch s.Case {
	case cc.StatementCompound:
		return c.block(s.CompoundStatement)
	case cc.StatementExpr:
		return &Do{at, c.expr(s.ExpressionStatement.ExpressionList)}
	case cc.StatementSelection:
		x := s.SelectionStatement
		switch x.Case {
		case cc.SelectionStatementIf:
			return &If{at, c.expr(x.ExpressionList), c.statement(x.Statement), nil}
		case cc.SelectionStatementIfElse:
			return &If{at, c.expr(x.ExpressionList), c.statement(x.Statement), c.statement(x.Statement2)}
		}
		return &Other{at, "a switch", []Stmt{c.statement(x.Statement)}}
	case cc.StatementIteration:
		return c.loop(s.IterationStatement)
	case cc.StatementJump:
		return &Jump{at, jumps[s.JumpStatement.Case], c.expr(s.JumpStatement.ExpressionList)}
	case cc.StatementLabeled:
		return &Other{at, "a label", []Stmt{c.statement(s.LabeledStatement.Statement)}}
	}
	return &Other{Pos: at, What: "assembly"}
}

var jumps = map[cc.JumpStatementCase]string{
	cc.JumpStatementGoto: "goto", cc.JumpStatementGotoExpr: "goto", cc.JumpStatementContinue: "continue", cc.JumpStatementBreak: "break",
	cc.JumpStatementReturn: "return",
}

func (c *converter) loop(x *cc.IterationStatement) Stmt {
	at := c.pos(x)
	body := c.statement(x.Statement)
	switch x.Case {
	case cc.IterationStatementWhile:
		return &While{at, c.expr(x.ExpressionList), body, false}
	case cc.IterationStatementDo:
		return &While{at, c.expr(x.ExpressionList), body, true}
	}
	out := &For{Pos: at, Body: body}
	if x.Case == cc.IterationStatementForDecl {
		out.Init, out.Cond, out.Step = c.declaration(x.Declaration), c.expr(x.ExpressionList), c.expr(x.ExpressionList2)
		return out
	}
	if init := c.expr(x.ExpressionList); init != nil {
		out.Init = &Do{init.Place(), init}
	}
	out.Cond, out.Step = c.expr(x.ExpressionList2), c.expr(x.ExpressionList3)
	return out
}
