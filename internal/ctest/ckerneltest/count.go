package ckerneltest

import (
	"gpuperf/cfront"
	"gpuperf/kernel/expr"
)

// Op is a kind of operation, as features name them.
type Op struct {
	Name  string
	DType expr.DType
}

// Access is a place of the text that accesses an array.
type Access struct {
	Array string
	Space cfront.Space
	DType expr.DType
	Write bool
	At    cfront.Pos
}

// Accesses are those of one place.
type Accesses struct {
	Count
	// Shared: by its form it is the same for all work-items of a sub-group. Uniform: it has always been.
	Shared, Uniform bool
}

// Count is how often something is done: by work-items, and by sub-groups of which a work-item does it.
type Count struct{ Items, SubGroups int64 }

// tally collects the operations of an expression, before it is known whether they are work or index arithmetic.
type tally struct {
	ops  map[Op]Count
	uses []*version // variables whose computation is work if this is
}

// version is an assignment to an integer variable whose value is an index form: work, once, if a value uses it.
type version struct {
	tally
	at site
}

// site is a place of the text, and the calls by which it is reached.
type site struct {
	at   cfront.Pos
	path string
}

// take is the work of the assignment, once.
func (v *version) take() tally {
	t := v.tally
	v.tally = tally{}
	return t
}

func (t *tally) add(op Op, n Count) {
	if t.ops == nil {
		t.ops = map[Op]Count{}
	}
	old := t.ops[op]
	t.ops[op] = Count{old.Items + n.Items, old.SubGroups + n.SubGroups}
}

// merge adds what another tally has.
func (t *tally) merge(other tally) {
	for op, n := range other.ops {
		t.add(op, n)
	}
	t.uses = append(t.uses, other.uses...)
}

// commit counts a tally as work, with the variables that it uses.
func (m *machine) commit(t tally) {
	work := []tally{t}
	for len(work) > 0 {
		next := work[len(work)-1]
		work = work[:len(work)-1]
		for op, n := range next.ops {
			old := m.run.Ops[op]
			m.run.Ops[op] = Count{old.Items + n.Items, old.SubGroups + n.SubGroups}
		}
		for _, v := range next.uses {
			m.launch.Used[v.at] = true
			work = append(work, v.take())
		}
	}
}

// apart evaluates something with a tally of its own.
func (m *machine) apart(eval func()) tally {
	old := m.tally
	m.tally = tally{}
	eval()
	out := m.tally
	m.tally = old
	return out
}

// found counts n operations on a type: one for each lane.
func (m *machine) found(op string, t expr.DType, mask []bool, n int64) {
	if n == 0 {
		return
	}
	c := m.executions(mask)
	n *= max(1, t.Lanes())
	m.tally.add(Op{op, t.Base()}, Count{c.Items * n, c.SubGroups * n})
}

// executions counts the work-items of a mask, and the sub-groups that have any.
func (m *machine) executions(mask []bool) (c Count) {
	last := -1
	for item, is := range mask {
		if is {
			c.Items++
			if s := item / m.launch.SubGroup; s != last {
				c.SubGroups++
				last = s
			}
		}
	}
	return c
}

// family is what an operator of arithmetic on scalars or vectors counts as.
var family = map[string]string{
	"+": "add", "-": "add", "*": "mul", "/": "div", "%": "div", "<<": "shift", ">>": "shift", "&": "bw", "|": "bw", "^": "bw",
}

// count counts the operator of x; sums within sums and products within products are counted with the outermost.
func (m *machine) count(x *cfront.Binary, mask []bool) {
	if name := family[x.Op]; name != "add" && name != "mul" {
		m.found(name, x.DType, mask, 1)
		return
	}
	if m.inner[x] {
		return
	}
	if x.Op == "*" {
		n, _ := m.multiplications(x)
		m.found("mul", x.DType, mask, n)
		return
	}
	terms := m.flatten(x, x.DType, isSum, nil)
	var products int64
	for _, term := range terms {
		if n, t := m.multiplications(term); n > 0 && t == x.DType {
			products++
		}
	}
	adds := int64(len(terms)) - 1
	pairs := min(products, adds)
	if m.launch.NoMadd {
		pairs = 0
	}
	m.found("add", x.DType, mask, adds-pairs)
	m.found("madd", x.DType, mask, pairs)
	m.found("mul", x.DType, mask, -pairs) // the products count theirs
}

func isSum(x *cfront.Binary) bool     { return x.Op == "+" || x.Op == "-" }
func isProduct(x *cfront.Binary) bool { return x.Op == "*" }

// flatten lists the operands of nested sums or products of type t, and notes which operators are not outermost.
func (m *machine) flatten(x *cfront.Binary, t expr.DType, same func(*cfront.Binary) bool, out []cfront.Expr) []cfront.Expr {
	for _, arg := range []cfront.Expr{x.X, x.Y} {
		if op, ok := unsigned(arg).(*cfront.Binary); ok && same(op) && op.DType == t {
			m.inner[op] = true
			out = m.flatten(op, t, same, out)
		} else {
			out = append(out, arg)
		}
	}
	return out
}

// unsigned takes the signs off e.
func unsigned(e cfront.Expr) cfront.Expr {
	for {
		x, ok := e.(*cfront.Unary)
		if !ok || x.Op != "-" && x.Op != "+" {
			return e
		}
		e = x.X
	}
}

// multiplications counts those at the top of e: factors, less one.
func (m *machine) multiplications(e cfront.Expr) (n int64, t expr.DType) {
	x, ok := unsigned(e).(*cfront.Binary)
	if !ok || !isProduct(x) {
		return 0, ""
	}
	return int64(len(m.flatten(x, x.DType, isProduct, nil))) - 1, x.DType
}
