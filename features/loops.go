package features

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"sync"

	"gpuperf/device/facts"
	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/polycount"
)

// loopFacts describes the work of a work-item in one sequential loop of the linearized program, without the loops inside it.
type loopFacts struct {
	iname string
	trips *evaluator // iterations of a work-item in all
	size  int64      // operations of an iteration, see instructions
	// path counts the operations on the longest dependence chain of one iteration, by kind as in identifiers; carried counts the
	// operations that each iteration adds to the longest loop-carried chain.
	path, carried map[string]*big.Rat
}

// The kinds of chain links that are no arithmetic.
const (
	globalLink = "global"
	localLink  = "local"
)

// nominal holds typical latencies in units of an addition's. Counts are symbolic and do not depend on a device.
var nominal = sync.OnceValue((*facts.Device)(nil).Typical)

// duration is the nominal latency of an operation, in additions. It decides which chain of operations is the longest; it is no cost.
func duration(op string) int64 {
	switch op {
	case "func:max", "func:min", "func:fmax", "func:fmin", "func:fabs":
		return 1
	case "div", "pow":
		return nominal().Int(facts.FunctionLatency)
	}
	if strings.HasPrefix(op, "func:") {
		return nominal().Int(facts.FunctionLatency)
	}
	return 1
}

// instructions is the nominal number of instructions of an operation when compilers decide how often to unroll a loop. A multiply-add
// is still two then.
func instructions(op string) int64 {
	if op == "madd" {
		return 2
	}
	return duration(op)
}

const (
	accessSize = 2 // instructions: the address and the access, without the index
	loopSize   = 3 // the counter, the comparison and the jump
)

func (s *Statistics) findLoops() (_ []*loopFacts, err error) {
	defer throw.Catch(&err)
	s.mu.Lock()
	defer s.mu.Unlock()
	program := throw.Get(s.c.program())
	w := &loopWalker{c: s.c}
	w.walk(program.nest.Body, nil, program.nest.Context)
	return w.out, nil
}

// sumOfLoops makes the value of a class of loops: a sum of counts per iteration over all iterations of the selected loops.
func sumOfLoops(each func(*loopFacts, ID) *big.Rat) func(*Statistics, *class, ID, point) (float64, error) {
	return func(s *Statistics, _ *class, id ID, at point) (_ float64, err error) {
		defer throw.Catch(&err)
		list := throw.Get(s.loops())
		sum := new(big.Rat)
		for _, l := range list {
			if id.Iname != "" && id.Iname != l.iname {
				continue
			}
			n := each(l, id)
			if n == nil || n.Sign() == 0 {
				continue
			}
			trips := l.trips.rat(at.sizes)
			sum.Add(sum, trips.Mul(trips, n))
		}
		v, _ := sum.Float64()
		return v, nil
	}
}

func (l *loopFacts) once(ID) *big.Rat { return big.NewRat(1, 1) }

func (l *loopFacts) instructions(ID) *big.Rat { return big.NewRat(l.size, 1) }

func (l *loopFacts) onPath(id ID) *big.Rat { return l.path[id.link()] }

func (l *loopFacts) onCarried(id ID) *big.Rat { return l.carried[id.link()] }

// explainLoops lists the loops that a feature sums over.
func (s *Statistics) explainLoops(id ID) []string {
	list, err := s.loops()
	if err != nil {
		return []string{err.Error()}
	}
	var out []string
	for _, l := range list {
		if id.Iname == "" || id.Iname == l.iname {
			out = append(out, "loop over "+l.iname)
		}
	}
	return out
}

// link is the kind of chain links that the identifier counts.
func (id ID) link() string {
	if id.Space != "" {
		return string(id.Space)
	}
	return string(id.DType) + "_" + id.Op
}

type loopWalker struct {
	c   *counter
	out []*loopFacts
}

// walk visits the loops of a body inside the open loops; domain has the hardware axes and the open loops as dimensions.
func (w *loopWalker) walk(body []linear.Node, open []string, domain *polycount.Set) {
	for _, node := range body {
		switch x := node.(type) {
		case *linear.Guard:
			inner := throw.Get(domain.Constrain(x.Conds...))
			w.walk(x.Body, open, inner)
		case *linear.Loop:
			inside := append(slices.Clone(open), x.Iname)
			inner := throw.Get(domain.AddDims(x.Iname).Constrain(x.Constraints()...))
			if !x.Unroll {
				if err := w.measure(x, inside, inner); err != nil {
					panic(throw.Errorf("loop %s: %w", x.Iname, err))
				}
			}
			w.walk(x.Body, inside, inner)
		}
	}
}

// measure adds the facts of a loop that has statements of its own.
func (w *loopWalker) measure(l *linear.Loop, open []string, domain *polycount.Set) (err error) {
	defer throw.Catch(&err)
	d := &dataflow{c: w.c, loop: l, effects: linear.EffectsOf(w.c.k, l.Body)}
	d.iteration()
	if d.statements == 0 {
		return nil
	}
	f := &loopFacts{iname: l.Iname, size: d.size, path: d.longest.counts()}
	points := w.c.fixed(domain)
	points = throw.Get(points.Project(open...))
	n := w.c.count(points)
	n = w.c.gist(n)
	f.trips = newEvaluator(n)
	f.carried = d.growth()
	w.out = append(w.out, f)
	return nil
}

// settled is the number of iterations after which each iteration adds only to loop-carried chains.
const settled = 16

// longestBody bounds the statements of an iteration, since the copies in unrolled loops are unbounded.
const longestBody = 1 << 14

// link is n equal operations in sequence, at the end of the chain of operations that they depend on; nil is a value that is available
// from the start.
type link struct {
	before *link
	kind   string
	n      int64
	length int64
}

func (l *link) reach() int64 {
	if l == nil {
		return 0
	}
	return l.length
}

// counts is how many links of each kind the chain has.
func (l *link) counts() map[string]*big.Rat {
	out := map[string]*big.Rat{}
	for ; l != nil; l = l.before {
		if out[l.kind] == nil {
			out[l.kind] = new(big.Rat)
		}
		out[l.kind].Add(out[l.kind], new(big.Rat).SetInt64(l.n))
	}
	return out
}

func later(list ...*link) *link {
	var last *link
	for _, l := range list {
		if l.reach() > last.reach() {
			last = l
		}
	}
	return last
}

// dataflow follows values through the iterations of a loop. Each operation starts when its operands are available; the order of
// statements matters only through their reads and writes.
type dataflow struct {
	c       *counter
	loop    *linear.Loop
	effects linear.Effects // of the loop's body

	values     map[string]*link // of private variables and of elements of memory, by their text
	longest    *link            // of all so far
	size       int64
	statements int              // of the current iteration
	copies     map[string]int64 // values of unrolled inames
	err        error
}

// iteration follows the first iteration and counts its operations.
func (d *dataflow) iteration() {
	d.values, d.copies, d.longest, d.size, d.statements = map[string]*link{}, map[string]int64{}, nil, loopSize, 0
	d.run(d.loop.Body)
}

// growth is the number of operations, by kind, that an iteration adds to the chain of the variable whose chain grows most, after the
// first iterations.
func (d *dataflow) growth() map[string]*big.Rat {
	d.more(settled)
	was := maps.Clone(d.values)
	d.more(settled)
	most, name := int64(0), ""
	for _, n := range slices.Sorted(maps.Keys(d.values)) {
		if grown := d.values[n].reach() - was[n].reach(); grown > most {
			most, name = grown, n
		}
	}
	out := map[string]*big.Rat{}
	before := was[name].counts()
	for kind, n := range d.values[name].counts() {
		if before[kind] != nil {
			n.Sub(n, before[kind])
		}
		if n.Sign() > 0 {
			out[kind] = n.Quo(n, big.NewRat(settled, 1))
		}
	}
	return out
}

// more follows n more iterations.
func (d *dataflow) more(n int) {
	for range n {
		d.statements = 0
		d.run(d.loop.Body)
		maps.DeleteFunc(d.values, func(name string, _ *link) bool {
			return strings.HasPrefix(name, movingPrefix) // the next iteration accesses another element
		})
	}
}

// movingPrefix marks elements of memory whose index contains the loop's iname.
const movingPrefix = "~"

// run follows the statements of a body, with each copy of unrolled loops and without inner loops.
func (d *dataflow) run(body []linear.Node) {
	for _, node := range body {
		switch x := node.(type) {
		case *linear.Guard:
			d.run(x.Body)
		case *linear.Exec:
			if err := d.execute(x.Stmt); err != nil {
				panic(throw.Errorf("statement %s: %w", x.Stmt.ID, err))
			}
		case *linear.Loop:
			from, to, ok := x.Constants()
			if !x.Unroll || !ok {
				continue
			}
			for v := from; v <= to; v += max(x.Step, 1) {
				d.copies[x.Iname] = v
				d.run(x.Body)
			}
			delete(d.copies, x.Iname)
		}
	}
}

func (d *dataflow) execute(s *kernel.Stmt) error {
	if s.Kind != kernel.Assign {
		return nil
	}
	if d.statements++; d.statements > longestBody {
		return fmt.Errorf("an iteration of more than %d statements is too long to follow", longestBody)
	}
	v := chainVisitor{d, s, d.c.k, nil}
	value := v.value(s.RHS)
	switch target := s.LHS.(type) {
	case expr.Var:
		d.values[target.Name] = value
	case *expr.Access:
		at := v.index(target.Index)
		if d.c.k.SpaceOf(target.Array) != kernel.Private {
			d.size += d.accessSize(s, target)
		}
		value = later(value, at)
		d.values[d.element(target)] = value
	}
	d.longest = later(d.longest, value)
	return d.err
}

// fail keeps the first error of a statement, for execute to return.
func (d *dataflow) fail(err error) { d.err = cmp.Or(d.err, err) }

// accessSize is the number of instructions of an access. An index that changes with the loop is multiplied by its stride, unless that
// is 1, and added to the rest of the index.
func (d *dataflow) accessSize(s *kernel.Stmt, a *expr.Access) int64 {
	form, err := d.c.flatIndex(site{at: scope{stmt: s}, access: a})
	if err != nil || len(form.Floors) > 0 {
		return accessSize + 2
	}
	size := int64(accessSize)
	for _, t := range form.Terms {
		if t.Iname != d.loop.Iname {
			continue
		}
		if t.Coeff.String() != "1" {
			size++
		}
		if len(form.Terms) > 1 {
			size++
		}
	}
	return size
}

// element names an element of an array, with the values of unrolled inames.
func (d *dataflow) element(a *expr.Access) string {
	moving := false
	name := a.Array
	for _, i := range a.Index {
		e := expr.Rewrite(i, func(e expr.Expr) expr.Expr {
			if v, ok := e.(expr.Var); ok {
				if value, ok := d.copies[v.Name]; ok {
					return expr.Int{Value: value}
				}
				moving = moving || v.Name == d.loop.Iname
			}
			return e
		})
		text := e.String()
		if v, err := expr.EvalInt(e, nil); err == nil {
			text = v.String()
		}
		name += "[" + text + "]"
	}
	if moving {
		name = movingPrefix + name
	}
	return name
}

// Loop is a sequential loop with statements of its own.
type Loop struct {
	Iname string
	// Path lists the kinds of operations on the longest chain of an iteration, as in identifiers after f_loop_path_:
	// "float32_madd", "global".
	Path []string
	// Carried lists the kinds of operations on the longest loop-carried chain.
	Carried []string
}

// Loops lists the sequential loops of the linearized program in its order.
func (s *Statistics) Loops() ([]Loop, error) {
	list, err := s.loops()
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", s.Kernel, err)
	}
	return lists.Map(list, func(l *loopFacts) Loop {
		return Loop{l.iname, slices.Sorted(maps.Keys(l.path)), slices.Sorted(maps.Keys(l.carried))}
	}), nil
}
