package launches

import (
	"maps"
	"slices"
)

// Param is a parameter of a kernel.
type Param struct {
	Name    string
	Integer bool // it takes an integer by value
}

// Bound is a launch in the names of the kernel's parameters.
type Bound struct {
	// Given are values of sizes in the host code; a size may have none.
	Given map[string]int64
	// Args is what integer parameters are that are no sizes of their own, as expressions in sizes.
	Args map[string]string
	// Grid is a size of its own along an axis where it is not known or not linear in sizes.
	Grid   []string
	Block  []int64 // nil where it is not known
	Shared string  // bytes; "" without
	// Bytes are those of the buffers that parameters point to, as expressions in sizes, where the host code shows them.
	Bytes map[string]string
	// Sizes are the names of all sizes: parameters in their order, then others.
	Sizes []string

	launch *Launch
	fixed  map[string]*int64 // what the work-group is made of: it is a number, whatever sizes are
	named  map[string]string // what names of the host are here
	taken  map[string]bool
}

// Bind is the launch for a kernel with as many parameters as it has arguments. A variable of the host that is passed has the name of the parameter.
func (l *Launch) Bind(params []Param) *Bound {
	l.Resolve()
	b := &Bound{Given: map[string]int64{}, Args: map[string]string{}, launch: l, fixed: map[string]*int64{}, named: map[string]string{}, taken: map[string]bool{}}
	for _, e := range l.Block {
		maps.Copy(b.fixed, e.Sizes(nil))
	}
	b.pass(params)
	grid := l.Grid
	if len(grid) == 0 {
		grid = []*Expr{nil}
	}
	for d, e := range grid {
		b.Grid = append(b.Grid, b.extent(d, e))
	}
	for _, e := range l.Block {
		n, known := e.Value()
		if !known {
			b.Block = nil
			break
		}
		b.Block = append(b.Block, n)
	}
	if shared, ok := l.Shared.with(b.fixed).Linear(b.named); ok {
		b.Shared = b.use(shared)
	}
	b.Block, b.Grid = Trimmed(b.Block, 1), Trimmed(b.Grid, "1")
	b.buffers(params)
	maps.DeleteFunc(b.Given, func(name string, _ int64) bool { return b.Args[name] != "" })
	var others []string
	for _, name := range b.named {
		if !slices.Contains(b.Sizes, name) {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	b.Sizes = append(b.Sizes, others...)
	b.Sizes = slices.DeleteFunc(b.Sizes, func(name string) bool { return b.Args[name] != "" })
	return b
}

// buffers finds the bytes of the buffers. They are no reason for further sizes: what is none of those of the launch is its value.
func (b *Bound) buffers(params []Param) {
	b.Bytes = map[string]string{}
	for i, p := range params {
		if p.Integer || i >= b.launch.Arguments() {
			continue
		}
		e := b.launch.bytesOf(i)
		values := e.Sizes(b.named)
		maps.DeleteFunc(values, func(name string, _ *int64) bool { return b.named[name] != "" })
		if e = e.with(values); e != nil && !slices.ContainsFunc(slices.Collect(maps.Values(values)), func(n *int64) bool { return n == nil }) {
			b.Bytes[p.Name] = e.Text(b.named)
		}
	}
}

// Trimmed are extents along axes without those behind the first that are 1.
func Trimmed[T comparable](list []T, one T) []T {
	for len(list) > 1 && list[len(list)-1] == one {
		list = list[:len(list)-1]
	}
	return list
}

// pass gives integer parameters what the launch passes.
func (b *Bound) pass(params []Param) {
	args := map[string]*Expr{}
	for i, p := range params {
		if b.taken[p.Name] = true; !p.Integer || i >= b.launch.Arguments() {
			continue
		}
		e := b.launch.Argument(i).with(b.fixed)
		if e == nil {
			b.Sizes = append(b.Sizes, p.Name)
			continue
		}
		args[p.Name] = e
		if name, is := e.Name(); is && b.named[name] == "" {
			b.named[name] = p.Name
		}
	}
	for _, p := range params {
		e := args[p.Name]
		if e == nil {
			continue
		}
		n, known := e.Value()
		sizes := len(e.Sizes(b.named))
		linear, ok := e.Linear(b.named)
		switch {
		case known && (sizes == 0 || !ok): // the parameter is a size that has this value here
			b.Given[p.Name] = n
		case ok:
			if text := b.use(linear); text != p.Name {
				b.Args[p.Name] = text
				continue
			}
		}
		b.Sizes = append(b.Sizes, p.Name)
	}
}

// extent is an extent of the grid.
func (b *Bound) extent(d int, e *Expr) string {
	if linear, ok := e.with(b.fixed).Linear(b.named); ok {
		return b.use(linear)
	}
	name := "grid_" + string(rune('x'+d))
	for b.taken[name] {
		name += "_"
	}
	b.taken[name] = true
	b.Sizes = append(b.Sizes, name)
	return name
}

// use is an expression with the names that its sizes have.
func (b *Bound) use(e *Expr) string {
	sizes := e.Sizes(b.named)
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		if b.named[name] == "" {
			for b.named[name] = name; b.taken[b.named[name]]; b.named[name] += "_host" {
			}
			b.taken[b.named[name]] = true
		}
		if value := sizes[name]; value != nil {
			b.Given[b.named[name]] = *value
		}
	}
	return e.Text(b.named)
}
