package schedule

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gpuperf/internal/intmath"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/scop"
	"gpuperf/scop/deps"
)

// blockSize is how many steps of the host a block has, unless one of other sizes costs less; blocks have to cost so much less than single steps.
const (
	blockSize = 32
	blockPays = 1.25
)

// otherSizes are smaller ones, and larger ones.
var otherSizes = [][]int64{{16}, {64, 128}}

// InBlocks makes blocks of the steps of loops of the host, where launches cost less so; nil where none do. In a block the points that others of it wait for are made step by step, by few work-items or by
// those of one work-group; all other points have all steps of the block in one launch, as the sums of a block of an elimination are the product of two matrices.
func (f *Found) InBlocks(find Strategy, opt Options) (*Found, error) {
	if f.Original != nil || !hasLaunch(f.Tree) {
		return nil, nil
	}
	if !slices.ContainsFunc(inSequence(flat(Hosted(f.Tree))), func(part Node) bool {
		band, ok := part.(*Band)
		return ok && (opt.Block > 0 || extentsOf(f.Nest, opt).iterations(band.Loops) >= 4*blockSize)
	}) {
		return nil, nil
	}
	a, err := deps.ByMemory(f.Nest)
	if err != nil {
		return nil, err
	}
	opt.Fusion = None
	all := a.Dependences
	out := *f
	var parts []Node
	for _, part := range inSequence(f.Tree) {
		next, err := out.inBlocks(part, &all, find, opt)
		if err != nil {
			return nil, err
		}
		parts = append(parts, next)
	}
	if out.Nest == f.Nest {
		return nil, nil
	}
	out.Tree, out.analysis = flat(inOrder(parts)), nil
	if err := Verify(out.Tree, all); err != nil {
		return nil, err
	}
	return &out, nil
}

// inBlocks is a part of the tree with its loops of the host in blocks where it costs less so, else the part. The nest becomes that of the new part.
func (f *Found) inBlocks(part Node, all *[]*deps.Dependence, find Strategy, opt Options) (_ Node, err error) {
	defer throw.Catch(&err)
	parts, changed := slices.Clone(inSequence(flat(Hosted(part)))), false
	for i, p := range parts {
		band, ok := p.(*Band)
		if !ok || len(band.Loops) != 1 {
			continue
		}
		was := part
		if group, ok := part.(*Launch); ok && len(parts) > 1 {
			was = &Launch{Body: flat(opened(band)), Host: band, Each: group.Each}
			parts[i] = was
		}
		c := throw.Get(f.blocked(band, was, *all, find, opt))
		if c == nil {
			continue
		}
		n, blocks, by, err := c.best.unfolded(f.Nest, c.tree)
		if err != nil {
			return nil, err
		}
		*all = c.best.dependencesOf(*all, by)
		f.Blocks = append(slices.Clone(f.Blocks), fmt.Sprintf("%s counts blocks of %d steps", c.best.name, c.best.size))
		f.Nest, parts[i], changed = n, blocks, true
	}
	if !changed {
		return part, nil
	}
	return inOrder(parts), nil
}

// blocked are the blocks of steps of a band that cost least; nil where the part that it was costs less.
func (f *Found) blocked(band *Band, was Node, all []*deps.Dependence, find Strategy, opt Options) (_ *blocked, err error) {
	defer throw.Catch(&err)
	e := extentsOf(f.Nest, opt)
	steps := throw.Get(f.spanOf(band.Loops[0], band.statements(), opt))
	single := throw.Get(blockOf(f.Nest, all, band.Loops[0], band.statements(), 1, false))
	c := &blocked{f: f, list: band.statements(), all: all, find: find, opt: opt}
	c.least = min(e.cost(was), steps.steps()*single.cost(Over(band.Body, single.by()), steps, opt)) / blockPays
	if opt.Block > 0 {
		c.least = math.Inf(1)
	}
	for _, l := range throw.Get(f.hostLoops(band, all, opt)) {
		throw.If(c.try(l, cmp.Or(opt.Block, blockSize)))
	}
	if c.best == nil {
		return nil, nil
	}
	if opt.Block == 0 {
		throw.If(c.resize())
	}
	return c, nil
}

// resize takes blocks of another size, as long as one that is next costs less. Sizes are compared by the tree of the first, as far as their blocks have the same parts; the tree of the one that is taken
// is found for it.
func (c *blocked) resize() (err error) {
	defer throw.Catch(&err)
	first, tree := c.best, c.tree
	for _, sizes := range otherSizes {
		for _, size := range sizes {
			if throw.If(c.try(c.best.steps, size)); c.best.size != size {
				break
			}
		}
		if c.best != first {
			break
		}
	}
	if c.best == first {
		return nil
	}
	own, err := c.find(c.best.nest, c.best.dependences, c.best.options(throw.Get(c.f.spanOf(c.best.steps, c.list, c.opt)), c.opt))
	if c.tree = own; err != nil {
		c.best, c.tree = first, tree
	}
	return nil
}

// like is the tree of the best blocks so far as one of others; nil where these have other parts.
func (c *blocked) like(b *block) Node {
	if c.best == nil || len(b.nest.Statements) != len(c.best.nest.Statements) {
		return nil
	}
	by := map[*scop.Statement]*scop.Statement{}
	for i, s := range c.best.nest.Statements {
		if by[s] = b.nest.Statements[i]; by[s].Name != s.Name {
			return nil
		}
	}
	return Over(c.tree, by)
}

// blocked are blocks of a part of the tree as they are tried.
type blocked struct {
	f     *Found
	list  []*scop.Statement
	all   []*deps.Dependence
	find  Strategy
	opt   Options
	least float64 // that they have to cost less than
	best  *block
	tree  Node
}

// try compares blocks of so many steps of a loop with the best so far.
func (c *blocked) try(l Loop, size int64) (err error) {
	defer throw.Catch(&err)
	steps := throw.Get(c.f.spanOf(l, c.list, c.opt))
	if c.opt.Block == 0 && float64(4*size) > steps.steps() {
		return nil
	}
	b, err := blockOf(c.f.Nest, c.all, l, c.list, size, true)
	if err != nil || len(b.parts) == len(c.list) {
		return err
	}
	tree := Node(nil)
	if c.best != nil && c.best.steps.equal(l) {
		tree = c.like(b)
	}
	if tree == nil {
		if tree, err = c.find(b.nest, b.dependences, b.options(steps, c.opt)); err != nil {
			return nil
		}
	}
	if cost := steps.steps() / float64(size) * b.cost(tree, steps, c.opt); cost < c.least {
		c.best, c.tree, c.least = b, tree, cost
	}
	return nil
}

// hostLoops are loops that the host may make in the place of one.
func (f *Found) hostLoops(band *Band, all []*deps.Dependence, opt Options) ([]Loop, error) {
	list := band.statements()
	if err := forwards(list, band.Loops[:1], all); err != nil {
		return nil, err
	}
	loops := slices.Clone(band.Loops)
	edges, err := edgesOf(f.Nest, slices.DeleteFunc(slices.Clone(all), func(d *deps.Dependence) bool { return !d.Among(list) }))
	if err != nil {
		return nil, err
	}
	p := forHost(f.Nest, opt, nil)
	p.work = work / 8
	others, err := p.band(list, edges)
	if err != nil {
		return loops, nil
	}
	for _, l := range others {
		if !l.Parallel && !slices.ContainsFunc(loops, l.equal) {
			loops = append(loops, l)
		}
	}
	return loops, nil
}

// options are those of a block that is half way through the steps, of which the first and the last are known.
func (b *block) options(of span, opt Options) Options {
	sizes := map[string]int64{b.name: intmath.FloorDiv(of.first+of.last, 2*b.size)}
	for name, size := range opt.Sizes {
		sizes[name] = size
	}
	opt.Sizes, opt.inBlock = sizes, true
	return opt
}

// cost is about what a tree of the block takes.
func (b *block) cost(tree Node, of span, opt Options) float64 {
	e := extentsOf(b.nest, b.options(of, opt))
	e.passing = true
	return e.cost(tree)
}

// span are the steps of a loop.
type span struct{ first, last int64 }

func (s span) steps() float64 { return float64(s.last - s.first + 1) }

// spanOf are the steps of a loop at the sizes for which launches are compared.
func (f *Found) spanOf(l Loop, list []*scop.Statement, opt Options) (s span, err error) {
	defer throw.Catch(&err)
	const name = prefix + "step"
	values := throw.Get(throw.Get(Values(list, []Loop{l}, []string{name})).Fix(sizesOf(f.Nest, opt)))
	lower, upper := throw.Get2(kernel.CommonBounds(throw.Get(kernel.Inhabited(values)), name))
	if len(lower) == 0 || len(upper) == 0 || !lower[0].Num.IsConstant() || !upper[0].Num.IsConstant() {
		return span{0, typical - 1}, nil
	}
	return span{lower[0].Num.Constant() / lower[0].Den, upper[0].Num.Constant() / upper[0].Den}, nil
}

// by are the parts of statements that have one.
func (b *block) by() map[*scop.Statement]*scop.Statement {
	out := map[*scop.Statement]*scop.Statement{}
	for _, p := range b.parts {
		out[p.of] = p.statement
	}
	return out
}
