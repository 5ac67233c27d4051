package offload

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// decision is what is decided of a kernel, and from which options, the default first; none where there is nothing to decide. Of the decisions before it sees what was made.
type decision struct {
	name    string
	options func(f Form, made map[string]string) []string
}

// Bounds of options beside those of the machine.
const (
	leastItems = 32 // of a work-group: a sub-group
	mostSums   = 72 // of a work-item: with more, registers are spilled (mostOfItem)
)

// decisions are those of a kernel in their order.
var decisions = []decision{
	{"steps", func(f Form, _ map[string]string) []string {
		if f.Updates == 0 {
			return nil
		}
		return f.usually(fmt.Sprint(Default(f).Steps), "0", "1", "2", "4", "8", "16", "32", "64", "128")
	}},
	{"chunk", func(f Form, _ map[string]string) []string {
		if f.Chain.Terms == 0 {
			return nil
		}
		return f.usually(fmt.Sprint(Default(f).Chunk), "0", "32", "64", "128", "256", "512", "1024", "4096", "16384")
	}},
	{"side", func(f Form, _ map[string]string) []string {
		if f.Tiled == 0 {
			return nil
		}
		if f.Window.Reads > 0 {
			var fit []string
			for _, side := range windowSides[f.Tiled] {
				if !math.IsInf(f.wave(Mapping{Side: side}), 1) {
					fit = append(fit, written(side))
				}
			}
			return f.offer(written(Default(f).Side), fit...)
		}
		return f.offer(written(Default(f).Side), sides[f.Tiled]...)
	}},
	{"sums", func(f Form, _ map[string]string) []string {
		switch {
		case f.Each:
			return nil
		case f.Matrix:
			return []string{"mma", "tiles", "each"}
		case f.Tiles:
			return []string{"tiles", "each"}
		case f.Sums != None && Default(f).Share == 1:
			return []string{"each", "shared"}
		case f.Sums != None:
			return []string{"shared", "each"}
		}
		return nil
	}},
	{"share", func(f Form, made map[string]string) []string {
		if made["sums"] != "shared" {
			return nil
		}
		return f.offer(fmt.Sprint(Default(f).Share), "2", "4", "8", "16", "32", "64", "128", "256", "512")
	}},
	{"block", func(f Form, made map[string]string) []string {
		if f.Group {
			return f.grouped(f.offer(written(Default(f).Block), "512", "64", "128", "256", "1024"))
		}
		if f.Each {
			return f.grouped(f.usually(written(Default(f).Block), "32x1", "64x1", "128x1", "256x1", "32x2", "32x4", "32x8", "32x16", "16x4", "16x8", "16x16"))
		}
		if f.Window.Reads > 0 { // as many work-items as a tile has places
			return nil
		}
		if f.Tiled > 0 {
			return f.grouped(f.offer(written(Default(f).Block), "32x16", "16x16", "32x8", "32x32", "64x8"))
		}
		if f.Parallel == 0 || f.Updates > 0 && made["steps"] == "0" {
			return nil
		}
		if f.Sweep.Helped {
			return f.usually(written(Default(f).Block), f.grouped([]string{"32x1", "32x2", "32x4", "32x8", "32x16", "64x4", "64x8", "16x8", "16x16", "8x16", "8x32"})...)
		}
		if made["sums"] == "mma" {
			return f.offer(written(Default(f).Block), productBlocks...)
		}
		blocks := slices.DeleteFunc(slices.Clone(shapes[f.Parallel]), func(b string) bool {
			items := product(numbers(b)) * max(number(made["share"]), 1)
			return items < leastItems || items > f.on().MostItems
		})
		if made["sums"] == "tiles" {
			blocks = f.grouped(slices.DeleteFunc(slices.Clone(shapes[2]), func(b string) bool { return slices.Min(numbers(b)) < 4 }))
		}
		return f.offer(written(Default(f.as(made)).Block), blocks...)
	}},
	{"points", func(f Form, made map[string]string) []string {
		if made["sums"] == "mma" {
			return f.offer(written(Default(f).Points), slices.DeleteFunc(slices.Clone(productPoints), func(p string) bool {
				return !slices.ContainsFunc(productDepths, func(d int64) bool { return f.multiplies(matrixMapping(made, p, d)) })
			})...)
		}
		if number(made["steps"]) > 0 {
			return f.offer(written(Default(f).Points), slices.DeleteFunc(slices.Clone(cells[f.Parallel]), func(p string) bool { return !f.fits(made, p) })...)
		}
		if f.Pointwise && made["sums"] != "tiles" && made["sums"] != "shared" {
			options := spreads[f.Parallel]
			if f.Jam.Count > 0 {
				options = nil
				for _, p := range powers(f.Parallel, mostJammed/f.Bytes) {
					options = append(options, written(p))
				}
			}
			return f.offer(written(Default(f.each()).Points), options...)
		}
		if made["sums"] != "tiles" {
			return nil
		}
		var fit []string
		for _, p := range []string{"1x1", "2x1", "1x2", "2x2", "4x1", "4x2", "2x4", "4x4", "8x2", "4x6", "6x4", "4x8", "8x4", "6x6", "12x4", "4x12", "8x6", "6x8", "8x8", "12x6", "6x12"} {
			if product(numbers(p)) <= mostSums && f.local(made["block"], p, 4) <= f.on().MostLocal {
				fit = append(fit, p)
			}
		}
		return f.offer(written(Default(f.as(made)).Points), fit...)
	}},
	{"depth", func(f Form, made map[string]string) []string {
		if f.Sweep.some() {
			var fit []string
			for _, d := range sweepSteps {
				if f.swept(Mapping{Block: numbers(made["block"]), Depth: d}) {
					fit = append(fit, fmt.Sprint(d))
				}
			}
			return f.offer(fmt.Sprint(Default(f).Depth), fit...)
		}
		if made["sums"] == "mma" {
			var fit []string
			for _, d := range productDepths {
				if f.multiplies(matrixMapping(made, made["points"], d)) {
					fit = append(fit, fmt.Sprint(d))
				}
			}
			return f.offer(fmt.Sprint(Default(f).Depth), fit...)
		}
		if made["sums"] != "tiles" {
			return nil
		}
		var fit []string
		for _, d := range []int64{4, 8, 16, 32} {
			if f.local(made["block"], made["points"], d) <= f.on().MostLocal {
				fit = append(fit, fmt.Sprint(d))
			}
		}
		return f.offer(fmt.Sprint(Default(f.as(made)).Depth), fit...)
	}},
	{"scan", func(f Form, made map[string]string) []string {
		if len(f.scans(Mapping{Block: numbers(made["block"]), Depth: number(made["depth"])})) == 1 {
			return nil
		}
		return f.offer(fmt.Sprint(Default(f).Scan), "false", "true")
	}},
	{"held", func(f Form, made map[string]string) []string {
		if made["sums"] != "mma" {
			return nil
		}
		var fit []string
		for _, n := range productHeld {
			made := maps.Clone(made)
			made["held"] = fmt.Sprint(n)
			if f.multiplies(matrixMapping(made, made["points"], number(made["depth"]))) {
				fit = append(fit, fmt.Sprint(n))
			}
		}
		return f.offer(fmt.Sprint(Default(f).Held), fit...)
	}},
	{"operands", func(f Form, made map[string]string) []string {
		if made["sums"] != "tiles" {
			return nil
		}
		options := []string{inTime, early}
		if places*f.local(made["block"], made["points"], number(made["depth"])) <= f.on().MostLocal {
			options = append(options, byTurns)
		}
		return f.offer(operandsOf(Default(f.as(made))), options...)
	}},
	{"parts", func(f Form, made map[string]string) []string {
		if made["sums"] != "tiles" || !f.Apart {
			return nil
		}
		options := []string{"1"}
		for _, n := range severalParts {
			options = append(options, fmt.Sprint(n))
		}
		return f.offer(fmt.Sprint(Default(f.as(made)).Parts), options...)
	}},
}

// shapes are those of work-groups, by the number of parallel loops, the fastest axis first.
var shapes = [][]string{
	1: {"1", "2", "4", "8", "16", "32", "64", "128", "256", "512", "1024"},
	2: {"32x1", "32x2", "32x4", "32x8", "32x16", "64x1", "64x2", "64x4", "64x8", "128x1", "128x2", "128x4", "256x1", "256x2", "16x2", "16x4", "16x8", "16x16", "8x8", "8x16", "8x32"},
	3: {"32x1x1", "32x2x1", "32x4x1", "32x2x2", "32x4x2", "32x4x4", "32x8x1", "64x1x1", "64x2x1", "64x4x1", "128x1x1", "256x1x1", "32x8x2", "64x4x2", "128x2x1", "16x4x1", "16x4x4", "16x16x1", "8x8x4"},
}

// spreads are the points of a work-item where there are no sums, by the number of parallel loops, the fastest axis first.
var spreads = [][]string{
	1: {"1", "2", "4", "8"},
	2: {"1x1", "1x2", "1x4", "1x8", "2x1", "2x2", "2x4", "4x1"},
	3: {"1x1x1", "1x1x2", "1x1x4", "1x1x8", "1x2x1", "1x2x2", "1x2x4", "1x4x1", "1x4x2", "2x1x2"},
}

// sides are those of tiles of wavefronts, by the number of loops.
var sides = [][]string{
	2: {"32x32", "16x16", "64x64", "16x64", "64x16"},
	3: {"32x32x32", "16x16x16", "8x32x32", "16x32x32", "32x32x16", "32x32x8", "64x64x64", "64x64x16"},
	4: {"16x16x16x16", "8x8x8x32"},
}

// cells are those that a work-item computes in a time tile, by the number of dimensions, the fastest axis first.
var cells = [][]string{
	1: {"1", "2", "3", "4", "8"},
	2: {"1x1", "1x2", "1x4", "2x2", "1x8", "2x4", "2x8", "4x4", "4x8", "2x16", "1x16"},
	3: {"1x1x1", "1x2x1", "1x1x2", "1x2x2", "1x2x4", "1x3x3", "1x2x8", "1x4x4", "2x2x2", "2x4x4", "1x8x8"},
}

// each is the form whose work-items share no sums.
func (f Form) each() Form {
	f.Tiles, f.Matrix, f.Sums = false, false, None
	return f
}

// as is the form with the way of sums that was decided.
func (f Form) as(made map[string]string) Form {
	switch made["sums"] {
	case "each":
		return f.each()
	case "tiles":
		f.Matrix = false
	}
	return f
}

// grouped are the shapes of which a work-group of the machine may be.
func (f Form) grouped(shapes []string) []string {
	return slices.DeleteFunc(shapes, func(b string) bool { return product(numbers(b)) > f.on().MostItems })
}

// fits reports that so many cells of a work-item make a time tile that local memory holds.
func (f Form) fits(made map[string]string, points string) bool {
	m := Mapping{Block: numbers(made["block"]), Points: numbers(points), Steps: number(made["steps"])}
	bytes := int64(f.Arrays) * f.Bytes
	for axis := range f.Parallel {
		bytes *= of(m.Block, axis)*of(m.Points, axis) + f.Reach[axis]
	}
	return f.width(m) > 0 && bytes <= f.on().MostLocal
}

// offer lists options, that of the default first where it is among them.
func (f Form) offer(usual string, options ...string) []string {
	if i := slices.Index(options, usual); i > 0 {
		return append([]string{usual}, slices.Delete(slices.Clone(options), i, i+1)...)
	}
	return options
}

// usually is offer, with the default where it is not among the options.
func (f Form) usually(usual string, options ...string) []string {
	if !slices.Contains(options, usual) {
		options = append([]string{usual}, options...)
	}
	return f.offer(usual, options...)
}

// local is the local memory of a tile in bytes, if each operand has a side of the tile.
func (f Form) local(block, points string, depth int64) int64 {
	b, p := numbers(block), numbers(points)
	side := int64(0)
	for i := range b {
		side = max(side, b[i]*p[i]+vector)
	}
	return int64(f.Operands) * side * depth * f.Bytes
}

// mapping is what was decided.
func (f Form) mapping(made map[string]string) Mapping {
	m := Mapping{Block: numbers(made["block"]), Share: max(number(made["share"]), 1), Steps: number(made["steps"]), Side: numbers(made["side"]), Chunk: number(made["chunk"])}
	if f.Sweep.some() {
		m.Depth, m.Scan = number(made["depth"]), made["scan"] == "true"
	}
	m.Points = numbers(made["points"])
	if made["sums"] == "mma" {
		m.Matrix, m.Depth, m.Held = true, number(made["depth"]), number(made["held"])
	}
	if made["sums"] == "tiles" {
		m.Depth, m.Parts = number(made["depth"]), number(made["parts"])
		m.Ahead, m.Twice = made["operands"] != inTime, made["operands"] == byTurns
	}
	return m
}

// matrixMapping is a mapping of sums by matrix instructions.
func matrixMapping(made map[string]string, points string, depth int64) Mapping {
	return Mapping{Matrix: true, Block: numbers(made["block"]), Points: numbers(points), Depth: depth, Held: cmp.Or(number(made["held"]), usuallyHeld)}
}

// When the operands of a tile are fetched.
const (
	inTime  = "in time"
	early   = "ahead"
	byTurns = "in turn" // ahead, to two places in turn
)

func operandsOf(m Mapping) string {
	switch {
	case m.Twice:
		return byTurns
	case m.Ahead:
		return early
	}
	return inTime
}

func number(s string) int64 {
	v, _ := strconv.ParseInt(s, 10, 64)
	return v
}

// numbers reads a shape such as 32x4.
func numbers(s string) (out []int64) {
	if s == "" {
		return nil
	}
	for part := range strings.SplitSeq(s, "x") {
		out = append(out, number(part))
	}
	return out
}

func written(shape []int64) string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(shape)), "x"), "[]")
}

func product(list []int64) int64 {
	p := int64(1)
	for _, v := range list {
		p *= v
	}
	return p
}
