package exprlang

import "github.com/expr-lang/expr/ast"

// typed checks that the operands of a node are conditions or numbers, as it needs them, and tells whether it is a condition itself.
// Comparisons in a row, which expr joins by and where they are < <= > >=, become so with == and != among them.
//
// What stands between two comparisons of a row belongs to both, so that rows in each other could take for ever.
func (t *Tree) typed(n ast.Node) (ast.Node, bool) {
	if t.visited++; t.visited > maxText {
		t.FailAt(t.leftmost(n).At, "too many comparisons in a row stand in each other")
	}
	switch n := n.(type) {
	case *ast.ConditionalNode:
		t.conditions(&n.Cond)
		t.numbers(&n.Exp1, &n.Exp2)
	case *ast.CallNode:
		for i := range n.Arguments {
			t.numbers(&n.Arguments[i])
		}
	case *ast.UnaryNode:
		if n.Operator == "not" || n.Operator == "!" {
			t.conditions(&n.Node)
			return n, true
		}
		t.numbers(&n.Node)
	case *ast.BinaryNode:
		switch n.Operator {
		case "and", "or", "&&", "||":
			t.conditions(&n.Left, &n.Right)
			return n, true
		case "<", "<=", ">", ">=", "==", "!=":
			if before := t.comparedBefore(n); before != nil {
				return t.typed(at(n, "&&", n.Left, at(n, n.Operator, before.Right, n.Right)))
			}
			t.numbers(&n.Left, &n.Right)
			return n, true
		}
		t.numbers(&n.Left, &n.Right)
	}
	return n, false
}

// at is an operator in the place of another one.
func at(of *ast.BinaryNode, operator string, left, right ast.Node) ast.Node {
	n := &ast.BinaryNode{Operator: operator, Left: left, Right: right}
	n.SetLocation(of.Location())
	return n
}

func (t *Tree) conditions(list ...*ast.Node) {
	for _, n := range list {
		checked, condition := t.typed(*n)
		if !condition {
			t.noCondition(*n)
		}
		*n = checked
	}
}

func (t *Tree) numbers(list ...*ast.Node) {
	for _, n := range list {
		checked, condition := t.typed(*n)
		if condition {
			t.noNumber(*n)
		}
		*n = checked
	}
}

func (t *Tree) noCondition(n ast.Node) {
	t.FailHint(t.leftmost(n).At, "a condition compares, as in a > 0", "a condition is needed here, and this is a number")
}

func (t *Tree) noNumber(n ast.Node) {
	t.FailHint(t.leftmost(n).At, "a condition chooses between numbers: a < b ? 1 : 0", "a number is needed here, and this is a condition")
}

// Number is the root, which fails where it is a condition.
func (t *Tree) Number() ast.Node {
	if t.condition {
		t.noNumber(t.root)
	}
	return t.root
}

// Holds is the root, which fails where it is a number.
func (t *Tree) Holds() ast.Node {
	if !t.condition {
		t.noCondition(t.root)
	}
	return t.root
}

// comparedBefore is the comparison that ends where a comparison begins, as a == b does in a == b < c.
func (t *Tree) comparedBefore(n *ast.BinaryNode) *ast.BinaryNode {
	left, ok := n.Left.(*ast.BinaryNode)
	if ok && left.Operator == "&&" {
		left, ok = left.Right.(*ast.BinaryNode)
	}
	if !ok || t.inParentheses(n) {
		return nil
	}
	switch left.Operator {
	case "<", "<=", ">", ">=", "==", "!=":
		return left
	}
	return nil
}

// inParentheses reports whether the left operand of an operator stands in parentheses of its own.
func (t *Tree) inParentheses(of *ast.BinaryNode) bool {
	depth := 0
	for i := t.index(of.Location().From) - 1; i >= 0; i-- {
		switch t.Tokens[i].Text {
		case ")":
			depth++
		case "(":
			depth--
		}
		if depth <= 0 {
			return t.Tokens[i].Text == "(" && t.Tokens[i].At < t.leftmost(of.Left).At
		}
	}
	return false
}
