package schedule

import (
	"fmt"
	"math"
	"slices"

	"gpuperf/internal/throw"
	"gpuperf/polycount"
	"gpuperf/scop"
	"gpuperf/scop/deps"
)

// blockSize is how many steps of the host a block has, unless one of other sizes costs less; blocks have to cost so much less than single steps.
const (
	blockSize = 32
	blockPays = 1.25
)

var otherSizes = []int64{16, 64, 128}

// InBlocks makes blocks of the steps of loops of the host, where launches cost less so; nil where none do. In a block the points that others of it wait for are made step by step, by few work-items or by
// those of one work-group; all other points have all steps of the block in one launch, as the sums of a block of an elimination are the product of two matrices.
func (f *Found) InBlocks(find Strategy, opt Options) (*Found, error) {
	if f.Original != nil || !hasLaunch(f.Tree) {
		return nil, nil
	}
	if !slices.ContainsFunc(inSequence(Hosted(f.Tree)), func(part Node) bool {
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
	parts, at := slices.Clone(inSequence(Hosted(part))), -1
	for i, p := range parts {
		if band, ok := p.(*Band); ok && len(band.Loops) == 1 {
			if at >= 0 {
				return part, nil
			}
			at = i
		}
	}
	if at < 0 {
		return part, nil
	}
	band := parts[at].(*Band)
	steps := extentsOf(f.Nest, opt).extent(band.Loops[0])
	single, err := blockOf(f.Nest, *all, band.Loops[0], band.statements(), 1, false)
	if err != nil {
		return nil, err
	}
	least := min(extentsOf(f.Nest, opt).cost(part), steps*single.cost(Over(band.Body, single.by()), steps, opt)) / blockPays
	loops, err := f.hostLoops(band, *all, opt)
	if err != nil {
		return nil, err
	}
	c := &blocked{f: f, list: band.statements(), all: *all, find: find, opt: opt, steps: steps, least: least}
	if opt.Block > 0 {
		c.least = math.Inf(1)
		for _, l := range loops {
			throw.If(c.try(l, opt.Block))
		}
	} else {
		for _, l := range loops {
			throw.If(c.try(l, blockSize))
		}
		for _, size := range otherSizes {
			if c.best != nil {
				throw.If(c.try(c.best.steps, size))
			}
		}
	}
	best := c.best
	if best == nil {
		return part, nil
	}
	n, blocks, by, err := best.unfolded(f.Nest, c.tree)
	if err != nil {
		return nil, err
	}
	*all = best.dependencesOf(*all, by)
	parts[at] = blocks
	f.Blocks = append(slices.Clone(f.Blocks), fmt.Sprintf("%s counts blocks of %d steps", best.name, best.size))
	f.Nest = n
	return inOrder(parts), nil
}

// blocked is a part of the tree for which blocks are tried.
type blocked struct {
	f     *Found
	list  []*scop.Statement
	all   []*deps.Dependence
	find  Strategy
	opt   Options
	steps float64 // of the host
	least float64 // that they have to cost less than
	best  *block
	tree  Node
}

// try compares blocks of so many steps of a loop with the best so far.
func (c *blocked) try(l Loop, size int64) error {
	if c.opt.Block == 0 && float64(4*size) > c.steps {
		return nil
	}
	b, err := blockOf(c.f.Nest, c.all, l, c.list, size, true)
	if err != nil || len(b.parts) == len(c.list) {
		return err
	}
	tree, err := c.find(b.nest, b.dependences, b.options(c.steps, c.opt))
	if err != nil {
		return nil
	}
	if cost := c.steps / float64(size) * b.cost(tree, c.steps, c.opt); cost < c.least {
		c.best, c.tree, c.least = b, tree, cost
	}
	return nil
}

// hostLoops are loops that the host may make in the place of one.
func (f *Found) hostLoops(band *Band, all []*deps.Dependence, opt Options) ([]Loop, error) {
	list := band.statements()
	if err := forwards(band, all); err != nil {
		return nil, err
	}
	loops := slices.Clone(band.Loops)
	edges, err := edgesOf(f.Nest, slices.DeleteFunc(slices.Clone(all), func(d *deps.Dependence) bool {
		return !slices.Contains(list, d.From) || !slices.Contains(list, d.To)
	}))
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

// forwards returns an error that names a dependence that leads to an earlier step of a loop.
func forwards(band *Band, all []*deps.Dependence) error {
	list := band.statements()
	for _, d := range all {
		if !slices.Contains(list, d.From) || !slices.Contains(list, d.To) {
			continue
		}
		pairs, primed := pairsOf(d)
		back, err := pairs.Constrain(polycount.GE(band.Loops[0].Of[d.From], band.Loops[0].Of[d.To].Subst(primed).AddInt(1)))
		if err != nil {
			return err
		}
		if empty, err := back.IsEmpty(); err != nil || !empty {
			return violated(d, err)
		}
	}
	return nil
}

// options are those of a block that is half way through the steps.
func (b *block) options(steps float64, opt Options) Options {
	sizes := map[string]int64{b.name: int64(math.Round(steps / 2 / float64(b.size)))}
	for name, size := range opt.Sizes {
		sizes[name] = size
	}
	opt.Sizes, opt.inBlock = sizes, true
	return opt
}

// cost is about what a tree of the block takes.
func (b *block) cost(tree Node, steps float64, opt Options) float64 {
	return extentsOf(b.nest, b.options(steps, opt)).cost(tree)
}

// by are the parts of statements that have one.
func (b *block) by() map[*scop.Statement]*scop.Statement {
	out := map[*scop.Statement]*scop.Statement{}
	for _, p := range b.parts {
		out[p.of] = p.statement
	}
	return out
}
