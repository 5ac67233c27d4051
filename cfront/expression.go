package cfront

import (
	"reflect"

	"modernc.org/cc/v4"

	"gpuperf/kernel/expr"
)

// expr converts an expression; nil for none. What is computed from integer constants alone is one, as for compilers.
func (c *converter) expr(n cc.ExpressionNode) Expr {
	if n == nil || reflect.ValueOf(n).IsNil() {
		return nil
	}
	at := typed{c.pos(n), dtypeOf(n.Type()), pointee(n.Type())}
	e := c.form(n, at)
	switch e.(type) {
	case *Unary, *Binary, *Select, *Cast:
		for _, o := range Operands(e) {
			if _, ok := o.(*Int); !ok {
				return e
			}
		}
		if v, ok := integer(n, at); ok {
			return v
		}
	}
	return e
}

// integer is the value of an integer constant.
func integer(n cc.ExpressionNode, at typed) (*Int, bool) {
	if !at.DType.IsInteger() && at.DType != expr.Bool {
		return nil, false
	}
	switch v := n.Value().(type) {
	case cc.Int64Value:
		return &Int{at, int64(v)}, true
	case cc.UInt64Value:
		return &Int{at, int64(v)}, v < 1<<63
	}
	return nil, false
}

// form converts an expression as it is written.
func (c *converter) form(n cc.ExpressionNode, at typed) Expr {
	switch x := n.(type) {
	case *cc.ExpressionList:
		return c.list(x, at)
	case *cc.ConstantExpression:
		return c.expr(x.ConditionalExpression)
	case *cc.AssignmentExpression:
		return c.assignment(x, at)
	case *cc.ConditionalExpression:
		if x.Case == cc.ConditionalExpressionLOr {
			return c.expr(x.LogicalOrExpression)
		}
		if x.ExpressionList == nil || reflect.ValueOf(x.ExpressionList).IsNil() {
			return &Unknown{at, "?: without a middle operand", nil}
		}
		return &Select{at, c.expr(x.LogicalOrExpression), c.expr(x.ExpressionList), c.expr(x.ConditionalExpression)}
	case *cc.CastExpression:
		if x.Case == cc.CastExpressionUnary {
			return c.expr(x.UnaryExpression)
		}
		return &Cast{at, c.expr(x.CastExpression)}
	case *cc.UnaryExpression:
		return c.unary(x, at)
	case *cc.PostfixExpression:
		return c.postfix(x, at)
	case *cc.PrimaryExpression:
		return c.primary(x, at)
	}
	if op, a, b, ok := operands(n); ok {
		if op == "" {
			return c.expr(b)
		}
		return &Binary{at, op, c.expr(a), c.expr(b)}
	}
	return &Unknown{at, "an expression of a kind that is not known", nil}
}

// operands tells the operator and the operands of a binary expression; the operator is "" where there is only the second operand.
func operands(n cc.ExpressionNode) (op string, a, b cc.ExpressionNode, ok bool) {
	switch x := n.(type) {
	case *cc.LogicalOrExpression:
		return pick(x.Case != cc.LogicalOrExpressionLAnd, "||"), x.LogicalOrExpression, x.LogicalAndExpression, true
	case *cc.LogicalAndExpression:
		return pick(x.Case != cc.LogicalAndExpressionOr, "&&"), x.LogicalAndExpression, x.InclusiveOrExpression, true
	case *cc.InclusiveOrExpression:
		return pick(x.Case != cc.InclusiveOrExpressionXor, "|"), x.InclusiveOrExpression, x.ExclusiveOrExpression, true
	case *cc.ExclusiveOrExpression:
		return pick(x.Case != cc.ExclusiveOrExpressionAnd, "^"), x.ExclusiveOrExpression, x.AndExpression, true
	case *cc.AndExpression:
		return pick(x.Case != cc.AndExpressionEq, "&"), x.AndExpression, x.EqualityExpression, true
	case *cc.EqualityExpression:
		ops := map[cc.EqualityExpressionCase]string{cc.EqualityExpressionEq: "==", cc.EqualityExpressionNeq: "!="}
		return ops[x.Case], x.EqualityExpression, x.RelationalExpression, true
	case *cc.RelationalExpression:
		ops := map[cc.RelationalExpressionCase]string{
			cc.RelationalExpressionLt: "<", cc.RelationalExpressionGt: ">", cc.RelationalExpressionLeq: "<=", cc.RelationalExpressionGeq: ">=",
		}
		return ops[x.Case], x.RelationalExpression, x.ShiftExpression, true
	case *cc.ShiftExpression:
		ops := map[cc.ShiftExpressionCase]string{cc.ShiftExpressionLsh: "<<", cc.ShiftExpressionRsh: ">>"}
		return ops[x.Case], x.ShiftExpression, x.AdditiveExpression, true
	case *cc.AdditiveExpression:
		ops := map[cc.AdditiveExpressionCase]string{cc.AdditiveExpressionAdd: "+", cc.AdditiveExpressionSub: "-"}
		return ops[x.Case], x.AdditiveExpression, x.MultiplicativeExpression, true
	case *cc.MultiplicativeExpression:
		ops := map[cc.MultiplicativeExpressionCase]string{
			cc.MultiplicativeExpressionMul: "*", cc.MultiplicativeExpressionDiv: "/", cc.MultiplicativeExpressionMod: "%",
		}
		return ops[x.Case], x.MultiplicativeExpression, x.CastExpression, true
	}
	return "", nil, nil, false
}

func pick(is bool, op string) string {
	if is {
		return op
	}
	return ""
}

func (c *converter) list(x *cc.ExpressionList, at typed) Expr {
	var all []Expr
	for l := x; l != nil; l = l.ExpressionList {
		all = append(all, c.expr(l.AssignmentExpression))
	}
	if len(all) == 1 {
		return all[0]
	}
	return &List{at, all}
}

var assignments = map[cc.AssignmentExpressionCase]string{
	cc.AssignmentExpressionAssign: "", cc.AssignmentExpressionMul: "*", cc.AssignmentExpressionDiv: "/", cc.AssignmentExpressionMod: "%",
	cc.AssignmentExpressionAdd: "+", cc.AssignmentExpressionSub: "-", cc.AssignmentExpressionLsh: "<<", cc.AssignmentExpressionRsh: ">>",
	cc.AssignmentExpressionAnd: "&", cc.AssignmentExpressionXor: "^", cc.AssignmentExpressionOr: "|",
}

func (c *converter) assignment(x *cc.AssignmentExpression, at typed) Expr {
	if x.Case == cc.AssignmentExpressionCond {
		return c.expr(x.ConditionalExpression)
	}
	to := c.expr(x.UnaryExpression)
	at.DType = to.Type()
	return &Assign{typed: at, Op: assignments[x.Case], To: to, Value: c.expr(x.AssignmentExpression)}
}

// step is x++ and its like.
func (c *converter) step(x cc.ExpressionNode, op string, after bool, at typed) Expr {
	to := c.expr(x)
	at.DType = to.Type()
	return &Assign{typed: at, Op: op, To: to, Value: &Int{typed{Pos: at.Pos, DType: expr.Int32}, 1}, Step: true, After: after}
}

func (c *converter) unary(x *cc.UnaryExpression, at typed) Expr {
	switch x.Case {
	case cc.UnaryExpressionPostfix:
		return c.expr(x.PostfixExpression)
	case cc.UnaryExpressionInc:
		return c.step(x.UnaryExpression, "+", false, at)
	case cc.UnaryExpressionDec:
		return c.step(x.UnaryExpression, "-", false, at)
	case cc.UnaryExpressionDeref: // *p is p[0]
		return c.element(c.expr(x.CastExpression), &Int{typed{Pos: at.Pos, DType: expr.Int32}, 0}, at)
	case cc.UnaryExpressionPlus:
		return &Unary{at, "+", c.expr(x.CastExpression)}
	case cc.UnaryExpressionMinus:
		return &Unary{at, "-", c.expr(x.CastExpression)}
	case cc.UnaryExpressionNot:
		return &Unary{at, "!", c.expr(x.CastExpression)}
	case cc.UnaryExpressionCpl:
		return &Unary{at, "~", c.expr(x.CastExpression)}
	case cc.UnaryExpressionSizeofExpr, cc.UnaryExpressionSizeofType, cc.UnaryExpressionAlignofExpr, cc.UnaryExpressionAlignofType:
		if v, ok := integer(x, at); ok {
			return v
		}
	case cc.UnaryExpressionAddrof:
		return &Address{at, c.expr(x.CastExpression)}
	}
	return &Unknown{at, "an operator that is not known", nil}
}

func (c *converter) postfix(x *cc.PostfixExpression, at typed) Expr {
	switch x.Case {
	case cc.PostfixExpressionPrimary:
		return c.expr(x.PrimaryExpression)
	case cc.PostfixExpressionIndex:
		return c.element(c.expr(x.PostfixExpression), c.expr(x.ExpressionList), at)
	case cc.PostfixExpressionInc:
		return c.step(x.PostfixExpression, "+", true, at)
	case cc.PostfixExpressionDec:
		return c.step(x.PostfixExpression, "-", true, at)
	case cc.PostfixExpressionCall:
		var args []Expr
		for l := x.ArgumentExpressionList; l != nil; l = l.ArgumentExpressionList {
			args = append(args, c.expr(l.AssignmentExpression))
		}
		if f, ok := c.callee(x.PostfixExpression); ok {
			return &Call{at, f, args}
		}
		return &Unknown{at, "a call through a pointer", args}
	case cc.PostfixExpressionSelect, cc.PostfixExpressionPSelect:
		return &Member{at, c.expr(x.PostfixExpression), x.Token2.SrcStr()}
	}
	return &Unknown{at, "a compound literal", nil}
}

// callee is the name of a function that is called by its name.
func (c *converter) callee(n cc.ExpressionNode) (string, bool) {
	for {
		switch x := n.(type) {
		case *cc.PostfixExpression:
			n = x.PrimaryExpression
		case *cc.PrimaryExpression:
			if x.Case == cc.PrimaryExpressionExpr {
				n = x.ExpressionList
				continue
			}
			d, ok := x.ResolvedTo().(*cc.Declarator)
			if ok && d.Type().Kind() != cc.Function {
				return "", false
			}
			return x.Token.SrcStr(), x.Case == cc.PrimaryExpressionIdent
		default:
			return "", false
		}
	}
}

// element is an element of an array, or of an element that is an array itself.
func (c *converter) element(of, sub Expr, at typed) Expr {
	if x, ok := of.(*Index); ok {
		return &Index{typed{x.Pos, at.DType, at.Elem}, x.Of, append(x.Subs[:len(x.Subs):len(x.Subs)], sub)}
	}
	return &Index{at, of, []Expr{sub}}
}

func (c *converter) primary(x *cc.PrimaryExpression, at typed) Expr {
	switch x.Case {
	case cc.PrimaryExpressionIdent:
		if d, ok := x.ResolvedTo().(*cc.Declarator); ok && d.Type().Kind() != cc.Function {
			v := c.variable(d)
			if len(v.Dims) > 0 {
				at.DType = ""
			}
			return &Ref{at, v}
		}
		if v, ok := integer(x, at); ok { // of an enumeration
			return v
		}
		return &Unknown{at, x.Token.SrcStr(), nil}
	case cc.PrimaryExpressionInt, cc.PrimaryExpressionChar, cc.PrimaryExpressionLChar:
		if v, ok := integer(x, at); ok {
			return v
		}
	case cc.PrimaryExpressionFloat:
		if v, ok := x.Value().(cc.Float64Value); ok && at.DType.IsFloat() {
			return &Float{at, float64(v)}
		}
	case cc.PrimaryExpressionExpr:
		return c.expr(x.ExpressionList)
	case cc.PrimaryExpressionString, cc.PrimaryExpressionLString:
		return &Unknown{at, "a string", nil}
	}
	return &Unknown{at, "an expression of a kind that is not known", nil}
}
