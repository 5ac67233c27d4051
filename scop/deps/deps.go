// Package deps finds the dependences of loop nests, exactly over the integers, and from them which loops may run in parallel.
//
// Two points of statements depend on each other if they access one element and one of them writes it. Analyze makes a relation for each pair of
// accesses and each loop that may carry the dependence (memory.go), and drops those that are empty. Of flow it also tells
// the last writers, whose values arrive (value.go; Feautrier 1991). Loops are classified by what they carry
// (loops.go). Relations are over iterators in the order of time: those of decreasing loops are negated (forward.go).
package deps

import (
	"fmt"
	"slices"

	"gpuperf/polycount"
	"gpuperf/scop"
)

// Kind says which of two accesses write.
type Kind string

// The kinds of dependences.
const (
	Flow   Kind = "flow"   // a read after a write
	Anti   Kind = "anti"   // a write after a read
	Output Kind = "output" // a write after a write
)

// Dependence is a relation between points of two statements: To runs after From and accesses the same element.
type Dependence struct {
	Kind Kind
	// ValueBased: To reads the value that From wrote. Otherwise others may write the element between them.
	ValueBased bool
	From, To   *scop.Statement
	Array      *scop.Array
	// Carrier is the outermost common loop of which the two points are in different iterations; nil if there is none.
	Carrier *scop.Loop
	// Map is from points of From to points of To, whose iterators have primes.
	Map *polycount.Map
	// Distance is To − From along the common loops, where it is constant; else nil.
	Distance []int64
	// Accumulation: both accesses are of accumulations by one associative operator, whose order does not matter but for rounding.
	Accumulation bool
}

// Among reports whether both points are of statements of a list.
func (d *Dependence) Among(list []*scop.Statement) bool {
	return slices.Contains(list, d.From) && slices.Contains(list, d.To)
}

// Class is what a loop needs to run in parallel.
type Class string

// The classes of loops.
const (
	Parallel   Class = "parallel"   // it carries no dependence
	Reduction  Class = "reduction"  // it carries only an associative accumulation
	Private    Class = "private"    // it carries no value: with private or old copies of arrays it is parallel
	Sequential Class = "sequential" // it carries values
)

// Loop is a loop with its class.
type Loop struct {
	*scop.Loop
	Class Class
}

// Initial says that a statement reads an array where no statement has written it before.
type Initial struct {
	Statement *scop.Statement
	Array     *scop.Array
	// Access is the number of the access; Always: no statement ever writes what it reads before.
	Access int
	Always bool
}

// Analysis is what Analyze finds.
type Analysis struct {
	Nest        *scop.Nest
	Dependences []*Dependence
	Loops       []Loop
	Initial     []Initial // without arrays that the nest does not write
}

// Analyze finds the dependences of a nest, those by memory before those by value, and classifies its loops.
func Analyze(n *scop.Nest) (*Analysis, error) { return analyze(n, (*analyzer).byValue) }

// ByMemory is Analyze without values, which take the most work: any value may come from before the nest, and loops that are private are called sequential.
func ByMemory(n *scop.Nest) (*Analysis, error) {
	return analyze(n, func(z *analyzer) error {
		for _, c := range z.carried {
			c.value = true
		}
		return nil
	})
}

func analyze(n *scop.Nest, values func(*analyzer) error) (*Analysis, error) {
	z := &analyzer{carried: map[*scop.Loop]*carried{}, merged: map[key]*relation{}}
	for _, l := range n.Loops {
		z.carried[l] = &carried{}
	}
	for i, s := range n.Statements {
		f, err := forward(s)
		if err != nil {
			return nil, err
		}
		f.index = i
		z.statements = append(z.statements, f)
	}
	if err := z.byMemory(); err != nil {
		return nil, err
	}
	if err := values(z); err != nil {
		return nil, err
	}
	a := &Analysis{Nest: n, Initial: z.initial}
	for _, k := range z.order {
		d, err := z.merged[k].dependence(k)
		if err != nil {
			return nil, k.error(err)
		}
		a.Dependences = append(a.Dependences, d)
	}
	for _, l := range n.Loops {
		a.Loops = append(a.Loops, Loop{l, z.carried[l].class()})
	}
	return a, nil
}

// analyzer collects relations.
type analyzer struct {
	statements []*statement
	carried    map[*scop.Loop]*carried
	merged     map[key]*relation
	order      []key
	initial    []Initial
}

// key is what relations are joined by.
type key struct {
	kind     Kind
	value    bool
	from, to *statement
	array    *scop.Array
	carrier  *scop.Loop
}

// error says which dependence an error is about.
func (k key) error(err error) error {
	return fmt.Errorf("%s of line %d on line %d by %s: %w", k.kind, k.to.of.Pos.Line, k.from.of.Pos.Line, k.array.Name, err)
}

// relation is a set of pairs: iterators of the source, then those of the target.
type relation struct {
	pairs        *polycount.Set
	accumulation bool // all of them
}

// add joins pairs to what is known of a key.
func (z *analyzer) add(k key, pairs *polycount.Set, accumulation bool) error {
	r := z.merged[k]
	if r == nil {
		z.merged[k] = &relation{pairs, accumulation}
		z.order = append(z.order, k)
		return nil
	}
	r.accumulation = r.accumulation && accumulation
	if inside, err := pairs.IsSubset(r.pairs); err == nil && inside {
		return nil
	}
	var err error
	r.pairs, err = r.pairs.Union(pairs)
	return err
}

func (r *relation) dependence(k key) (*Dependence, error) {
	pairs := tidy(r.pairs)
	d := &Dependence{Kind: k.kind, ValueBased: k.value, From: k.from.of, To: k.to.of, Array: k.array, Carrier: k.carrier, Accumulation: r.accumulation}
	pairs, err := backward(pairs, k.from, k.to)
	if err != nil {
		return nil, err
	}
	d.Map = polycount.Relation(pairs, len(k.from.dims), k.from.of.Name, k.to.of.Name)
	d.Distance = distance(pairs, k.from, k.to)
	return d, nil
}

// manyParts is from how many disjuncts on a set is left as it is: to merge them takes the square of their number.
const manyParts = 20

// tidy merges the disjuncts of a set where that takes little work.
func tidy(s *polycount.Set) *polycount.Set {
	if n := len(s.Disjuncts()); n > 1 && n < manyParts {
		if out, err := s.Coalesce(); err == nil {
			return out
		}
	}
	return s
}

// distance is the difference along the common loops where it is constant, and found to be without much work.
func distance(pairs *polycount.Set, from, to *statement) []int64 {
	out := make([]int64, from.common(to))
	if len(out) == 0 {
		return nil
	}
	point, ok, err := pairs.Sample()
	if err != nil || !ok {
		return nil
	}
	for i := range out {
		x, y := from.dims[i], to.primed()[i]
		out[i] = point[y] - point[x]
		same, err := pairs.Implies(polycount.EQ(polycount.Name(y), polycount.Name(x).AddInt(out[i])))
		if err != nil || !same {
			return nil
		}
	}
	return out
}
