package offload

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"gpuperf/device/machine"
	"gpuperf/internal/nameset"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/transform"
	"gpuperf/polycount"
	"gpuperf/scop"
)

// Form is how the loops of a launch can be put on work-items.
type Form struct {
	Kernel string
	// On is the machine that it is for; nil is the usual one.
	On *machine.Machine `json:"-"`
	// Group: one work-group runs the launch.
	Group bool
	// Tiled is of how many loops the tiles are that work-groups make in wavefronts; 0 for other launches.
	Tiled int
	// Window tells of tiles that have their elements in local memory.
	Window Window
	// Each tells that work-groups each make an iteration of the loops around, with barriers inside.
	Each   bool
	Groups int64 // about how many
	// Parallel loops of others, 3 at most.
	Parallel int
	// Serial: there are loops in these that are no sums.
	Serial bool
	// Tiles: sums of tiles may be computed with operands in local memory.
	Tiles bool
	// Pointwise: there are no loops but those of sums; work-items may have several points each. Parts: their statements store parts of the same lines. Jam is about their sums.
	Pointwise, Parts bool
	// Crossing are the bytes of an element of a matrix that is stored in another line by each work-item along the first axis; 0 where none is.
	Crossing int64
	Jam      Jam
	// Sweep tells of loops in the parallel ones whose iterations follow each other.
	Sweep Sweep
	// Folded: the tiles are those of a triangle, of which a folded grid has no others.
	Folded bool
	// Matrix: matrix instructions may make the sums of tiles.
	Matrix bool
	// Apart: the sums of tiles may be made in parts, by other work-groups each.
	Apart bool
	// Operands are how many elements a term of such a sum reads.
	Operands int
	// Extent are about the values of each parallel loop of a launch without loops, the fastest axis first, Terms those of a sum of a tile, and Bytes the size of an operand.
	Extent       [3]int64
	Terms, Bytes int64
	// Stages are about the sizes of shared sums in launches early to late in the host's loops.
	Stages [stages]Stage
	// Sums tells of a launch with at most one parallel loop and reductions how most of their terms are contiguous.
	Sums Direction
	// Updates of the loop over time of a stencil, whose steps may be made several at a time in tiles: the statements of a step; 0 for other forms. Arrays are those that they write,
	// and Reach is how far a step reaches along each axis, to both sides together, and First how far the first statement does: a tile of some
	// steps is as wide as what is computed, and First, less what the steps reach.
	Updates, Arrays int
	Reach, First    [3]int64
	// Chain is not empty where a loop may be made in chunks, by several launches.
	Chain Chain
}

// unnamed is the machine of forms that name none.
var unnamed = sync.OnceValue(func() *machine.Machine { return machine.Of(nil) })

func (f Form) on() *machine.Machine { return cmp.Or(f.On, unnamed()) }

func (c *compiler) on() *machine.Machine { return cmp.Or(c.opt.On, unnamed()) }

// Sweep is what the longest of the loops that follow each other in a launch does in an iteration.
type Sweep struct {
	Loads, Stores  int   // ahead of their iteration; behind it
	Across, Turned int   // of these, in lines that work-items do not share; of the stores
	Terms          int64 // iterations
	Helped         bool  // all work-items of a group make the same, so that others may load and store for them
	// Waits is how long an iteration waits for the one before, in additions. Linear: those who help can make parts of the iterations.
	Waits  float64
	Linear bool
}

// some reports that there are any.
func (s Sweep) some() bool { return s.Loads+s.Across > 0 }

// Stage is how many sums a launch has, and how many terms each.
type Stage struct{ Items, Terms int64 }

// stages of the host's loops that are looked at: launches have other sizes each, and what is fast for the large ones may be slow for the many small ones.
const stages = 4

// Direction is the loop along which most accesses of a reduction are contiguous.
type Direction string

// The directions.
const (
	None  Direction = ""      // there is no reduction
	Terms Direction = "terms" // from term to term, as in the sum of a row
	Items Direction = "items" // from one work-item's sum to the next, as in the sums of columns
)

// Mapping is how the loops of a launch are put on work-items.
type Mapping struct {
	// Block is how many work-items a work-group has along each parallel loop, the fastest axis first.
	Block []int64
	// Points is how many points of a work-item there are along each parallel loop, where there are no sums or where sums of tiles are computed, and Depth how many terms of these have
	// their operands in local memory at a time; Depth 0 is for a sum after the other, with operands in global memory.
	Points []int64
	Depth  int64
	// Ahead: the operands of the next terms are on their way to registers while those in local memory are used.
	Ahead bool
	// Twice: tiles have two places in local memory, which they take in turn: a step may fill one while others read the other, so that it needs one barrier.
	Twice bool
	// Parts is how many work-groups make a part each of the sums of a tile, which another launch adds up; 0 or 1: one makes all.
	Parts int64
	// Matrix: the sums of tiles are made by matrix instructions. Block is how many sub-groups a work-group has along each axis then, and Points what one of these computes.
	Matrix bool
	// Held is of how many steps of terms the operands of these are in local memory.
	Held int64
	// Scan: the work-items that help with sweeps make parts of their iterations, too.
	Scan bool
	// Share is how many work-items compute a reduction together.
	Share int64
	// Side is how many values of each loop are in a tile of wavefronts.
	Side []int64
	// Chunk is how many iterations of a chain a work-item makes, or a work-group of sums, while others make others; 0: one makes all.
	Chunk int64
	// Steps of a stencil that a launch makes; 0 for a launch for each update. In local memory are Points times Block elements along each axis.
	Steps int64
}

// Default is the mapping that a launch gets without a search.
func Default(f Form) Mapping {
	m := chosen(f)
	most := f.on().MostItems
	m.Share = min(m.Share, most)
	for product(m.Block)*max(m.Share, 1) > most && m.Steps == 0 && !m.Matrix { // along the longest axis, the slowest of equal ones
		axis := 0
		for i, n := range m.Block {
			if n >= m.Block[axis] {
				axis = i
			}
		}
		if m.Block[axis] == 1 {
			break
		}
		m.Block = slices.Clone(m.Block)
		m.Block[axis] /= 2
	}
	return m
}

// chosen is the default where work-groups may have as many work-items as usual.
func chosen(f Form) Mapping {
	switch {
	case f.Chain.Terms > 0:
		return chunks(f)
	case f.Group:
		return Mapping{Block: []int64{512}, Share: 1}
	case f.Each:
		return eachOf(f)
	case f.Window.Reads > 0:
		return windows(f)
	case f.Tiled > 0:
		return Mapping{Block: []int64{32, 16}, Side: []int64{32, 32, 32, 32}[:f.Tiled]}
	case f.Updates > 0:
		return steps(f)
	case f.Matrix:
		return multiplied(f)
	case f.Tiles:
		return tiles(f)
	case f.Sums != None && f.Pointwise && f.Jam.Count > 0:
		shared, own := shares(f), jammed(f)
		if f.jamming(own) < f.sharing(shared) {
			return own
		}
		return shared
	case f.Sweep.some():
		return sweepsOf(f)
	case f.Sums == None && f.Serial && f.Parallel == 1: // few work-items with much to do: as many multiprocessors as there are
		return Mapping{Block: []int64{32}, Share: 1}
	case f.Pointwise && f.Jam.Count > 0:
		return jammed(f)
	case f.Pointwise:
		return points(f)
	case f.Sums == None:
		return Mapping{Block: [][]int64{nil, {128}, {32, 16}, {32, 4, 4}}[f.Parallel], Share: 1}
	}
	return shares(f)
}

// mapped puts parallel loops on the axes of work-items, the one along which most accesses are contiguous on the fastest.
// Where the sums of tiles may be apart, there may be a second kernel, which adds up their parts.
func (c *compiler) mapped(plain *kernel.Kernel, n *scop.Nest, parallel []string, apart bool) (_ []*kernel.Kernel, err error) {
	defer throw.Catch(&err)
	parallel = slices.DeleteFunc(slices.Clone(parallel), func(p string) bool { return !plain.IsIname(p) })
	order := axes(n, parallel)
	form := Form{Kernel: plain.Name, Parallel: len(order)}
	k := carriedOn(reduced(plain, parallel), parallel, order)
	form.Serial = slices.ContainsFunc(k.Statements, func(s *kernel.Stmt) bool { return len(nameset.Remove(s.Inames, order...)) > 0 })
	over := sharedLoops(k, n)
	var b *blocks
	if len(over) > 0 && len(order) <= 1 {
		form.Sums = direction(n, order, over)
		c.terms(&form, k, order, over)
	} else if len(over) > 0 {
		b = findBlocks(k, order)
		if form.Tiles = b != nil; form.Tiles {
			throw.If(c.sizes(&form, b))
			form.Apart = apart && b.partial(c.nest.Params) != nil
			form.Matrix = apart && byMatrices(b, c.nest, c.on())
		}
	}
	one := findPointwise(k, order)
	c.sweeps(&form, k, order)
	if form.Pointwise = one != nil; form.Pointwise {
		throw.If(c.points(&form, one))
	}
	m := c.ask(form, n.Statements)
	if form.Tiles && m.Depth > 0 {
		if tiled, err := c.tiled(b, m, form); tiled != nil || err != nil {
			return tiled, err
		} // other statements may store what is not known to be of the same work-group
		form.Tiles = false
		m = c.ask(form, n.Statements)
	}
	if form.Sums != None && m.Share > 1 {
		shared := share(k, order, over, m, form.Sums)
		if runs(shared, c.on()) == nil {
			return []*kernel.Kernel{shared}, nil
		} // domains of some reductions are unions, for which there is no tree
		form.Sums = None
		m = c.ask(form, n.Statements)
	}
	if form.Pointwise && product(m.Points) > 1 {
		if k := several(one, m, c.on()); k != nil {
			return []*kernel.Kernel{k}, nil
		} // a work-item for each point needs no grid
		form.Pointwise = false
		m = c.ask(form, n.Statements)
	}
	k.ExplicitBarriers = true // no work-item needs what another one does in the same launch
	if form.Sweep.some() && m.Depth > 1 {
		steps, err := c.inSteps(k, order, m, form.Sweep.Helped)
		if steps != nil || err != nil {
			return []*kernel.Kernel{steps}, err
		}
		form.Sweep = Sweep{}
		m = c.ask(form, n.Statements)
	}
	k, err = onAxes(k, order, m.Block, 0)
	return []*kernel.Kernel{k}, err
}

// reduced is a kernel with sums in place of loops, as far as its statements have an order then.
func reduced(plain *kernel.Kernel, parallel []string) *kernel.Kernel {
	k := reductions(plain, parallel)
	if f := folded(k); ordered(f) {
		return f
	}
	if !ordered(k) { // the loops around what is left have none
		return plain
	}
	return k
}

// several is a kernel whose work-items compute several points each; nil where there is none.
func several(one *pointwise, m Mapping, on *machine.Machine) *kernel.Kernel {
	k, err := one.make(m)
	if err == nil {
		err = runs(k, on)
	} else if !errors.Is(err, errTiles) {
		panic(throw.Of(err))
	}
	if err != nil {
		return nil
	}
	return k
}

// sharedLoops are loops of reductions that work-items share, one of each.
func sharedLoops(k *kernel.Kernel, n *scop.Nest) (over []string) {
	for _, s := range k.Statements {
		if list := s.ReductionInames(); len(list) > 0 { // work-items share one loop of each
			over = nameset.Add(over, fastest(n, list))
		}
	}
	return slices.DeleteFunc(over, func(r string) bool { // a loop around other statements stays one
		return slices.ContainsFunc(k.Statements, func(s *kernel.Stmt) bool { return slices.Contains(s.Inames, r) })
	})
}

// sizes enters the sizes of a form of tiles, half way through the loops of the host.
func (c *compiler) sizes(f *Form, b *blocks) (err error) {
	for axis, p := range b.order {
		f.Extent[axis] = extent(c.during(b.domain, stages), p)
	}
	f.Terms, f.Bytes = extent(c.during(b.whole, stages), b.over), 4
	f.Operands = len(b.operands)
	for _, o := range b.operands {
		f.Bytes = max(f.Bytes, b.from.Array(o.Array).DType.Size())
	}
	f.Folded, err = c.folds(b)
	return err
}

// terms enters the sizes of a form of shared sums.
func (c *compiler) terms(f *Form, k *kernel.Kernel, order, over []string) {
	for _, r := range over {
		whole := throw.Get(k.DomainOf(append(slices.Clone(order), r)))
		for i := range f.Stages {
			s, at := &f.Stages[i], c.during(whole, int64(2*i+1))
			for _, p := range order {
				s.Items = max(s.Items, extent(at, p))
			}
			s.Terms = max(s.Terms, extent(through(at, order, 1, 2), r))
		}
	}
	for _, s := range k.Statements {
		for _, a := range k.Reads(s) {
			f.Bytes = max(f.Bytes, k.Array(a.Array).DType.Size())
		}
	}
}

// points enters the extents of a form without loops but those of sums.
func (c *compiler) points(f *Form, s *pointwise) (err error) {
	f.Parts, f.Crossing = storesParts(s.from, s.order[0]), storesAcross(s.from, s.order)
	for axis, p := range s.order {
		f.Extent[axis] = c.extent(s.domain, p)
		if extent(c.during(s.domain, stages), p) == 1 { // a launch has a line
			f.Crossing = 0
		}
	}
	if f.Jam, err = c.jam(s); f.Jam.Count > 0 {
		for _, a := range s.from.Arrays() {
			f.Bytes = max(f.Bytes, a.DType.Size())
		}
	}
	return err
}

// storesParts reports that several statements store elements of an array that are some apart for neighbouring work-items.
func storesParts(k *kernel.Kernel, fastest string) bool {
	seen := map[string]bool{}
	for _, s := range k.Statements {
		for _, a := range k.Writes(s) {
			if len(a.Index) == 0 {
				continue
			}
			if x, err := k.AffineOf(a.Index[len(a.Index)-1]); err == nil && magnitude(x.Coeff(fastest)) > 1 {
				if seen[a.Array] {
					return true
				}
				seen[a.Array] = true
			}
		}
	}
	return false
}

// runs is an error where a kernel has no order of statements and loops, or a work-group of more work-items or local memory than the machine allows.
func runs(k *kernel.Kernel, on *machine.Machine) (err error) {
	defer throw.Catch(&err)
	n := throw.Get(linear.New(k))
	if product(n.Local[:]) > on.MostItems {
		return k.Errorf("a work-group of %d x %d x %d work-items is more than %d", n.Local[0], n.Local[1], n.Local[2], on.MostItems)
	}
	bytes := int64(0)
	for _, a := range n.Kernel.Temps {
		if a.Space != kernel.Local {
			continue
		}
		elements := throw.Get(a.Elements(nil))
		bytes += elements * a.DType.Size()
	}
	if bytes > on.MostLocal {
		return k.Errorf("a work-group needs %d bytes of local memory, which is more than %d", bytes, on.MostLocal)
	}
	return nil
}

// ordered reports that there is an order of statements and loops.
func ordered(k *kernel.Kernel) bool {
	k = k.Clone()
	k.ExplicitBarriers = true
	_, err := linear.New(k)
	return err == nil
}

// share puts parallel loops and loops of reductions on axes.
func share(k *kernel.Kernel, order, over []string, m Mapping, sums Direction) *kernel.Kernel {
	own, others := 0, len(order) // the axis of the reductions, and that of the first parallel loop
	if sums == Items {
		own, others = len(order), 0
	}
	k, err := onAxes(k, order, m.Block, others)
	for _, r := range over {
		throw.If(err)
		k, err = transform.SplitIname(k, r, m.Share, transform.Split{Outer: r + "_part", Inner: r + "_item", InnerTag: fmt.Sprintf("l.%d", own)})
	}
	throw.If(err)
	return k
}

// onAxes puts parallel loops on axes of work-groups, and on those of work-items from the given one on.
func onAxes(k *kernel.Kernel, loops []string, block []int64, first int) (*kernel.Kernel, error) {
	var err error
	for i, p := range loops {
		split := transform.Split{Outer: p + "_group", Inner: p + "_item", OuterTag: fmt.Sprintf("g.%d", i), InnerTag: fmt.Sprintf("l.%d", first+i)}
		if k, err = transform.SplitIname(k, p, block[i], split); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// axes are at most three parallel loops, the fastest first.
func axes(n *scop.Nest, parallel []string) []string {
	if len(parallel) == 0 {
		return nil
	}
	order := []string{fastest(n, parallel)}
	for _, p := range slices.Backward(parallel) {
		if p != order[0] && len(order) < 3 {
			order = append(order, p)
		}
	}
	return order
}

// direction compares the accesses of terms that are contiguous along a parallel loop with those along loops of reductions. Those that more loops are in are to more elements.
func direction(n *scop.Nest, parallel, over []string) Direction {
	weight := func(along []string) (sum int) {
		for _, s := range n.Statements {
			for _, a := range s.Accesses {
				loops := 0
				for _, l := range slices.Concat(parallel, over) {
					if slices.ContainsFunc(a.Index, func(i polycount.Affine) bool { return i.Has(l) }) {
						loops++
					}
				}
				term := slices.ContainsFunc(over, func(r string) bool {
					return slices.ContainsFunc(a.Index, func(i polycount.Affine) bool { return i.Has(r) })
				})
				if term && slices.ContainsFunc(along, func(l string) bool { return contiguous(a.Index, l) }) {
					sum += 1 << (3 * loops)
				}
			}
		}
		return sum
	}
	if items := weight(parallel); items > 0 && items >= weight(over) {
		return Items
	}
	return Terms
}

// fastest is the parallel loop along which most accesses move by one element of the last dimension, or by few.
func fastest(n *scop.Nest, parallel []string) string {
	best, most := parallel[len(parallel)-1], -1
	for _, p := range slices.Backward(parallel) {
		if count := contiguities(n, p, len(parallel)); count > most {
			best, most = p, count
		}
	}
	return best
}

// contiguities is in how many accesses a loop moves by one element of the last dimension, in eighths; by a few elements counts less, and in further loops more.
func contiguities(n *scop.Nest, loop string, parallel int) (count int) {
	for _, s := range n.Statements {
		for _, a := range s.Accesses {
			if step := stride(a.Index, loop); step > 0 {
				count += int(8/step) * (1 + len(s.Loops) - parallel)
			}
		}
	}
	return count
}

// stride is by how many elements of the last dimension a loop moves an access, 0 where it moves none or other dimensions.
func stride(index []polycount.Affine, loop string) int64 {
	last := len(index) - 1
	if last < 0 || slices.ContainsFunc(index[:last], func(a polycount.Affine) bool { return a.Has(loop) }) {
		return 0
	}
	return magnitude(index[last].Coeff(loop))
}

func contiguous(index []polycount.Affine, loop string) bool { return stride(index, loop) == 1 }
