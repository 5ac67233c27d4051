package rules

import (
	"slices"

	"gpuperf/internal/lists"
	"gpuperf/lift"
)

// Rules that walk through a stencil: the slide of the outermost dimension goes to the inside of the nest, where a work-item
// can keep the window in registers (mapSeqSlide of the Lift project, its "2.5-D" tiling); and tiles in three dimensions.

// The windows of stencils, by the number of dimensions: along the outermost one, and along all.
var (
	streamTemplate = [...]*lift.Template{2: template("map(transpose) o slide(n, s) $ xs"), 3: template("map(map(transpose) o transpose) o slide(n, s) $ xs")}
	windowTemplate = [...]*lift.Template{
		1: template("slide(n, s) $ xs"),
		2: template("map(transpose) o slide(n, s) o map(slide(m, u)) $ xs"),
		3: template("map(map(transpose) o transpose) o slide(n, s) o map(map(transpose) o slide(m, u) o map(slide(v, t))) $ xs"),
	}
)

// untiled2D and untiled3D put tiles together.
var (
	untiled2D = formOf("map(join) o join o map(transpose) $ xs")
	untiled3D = formOf("join o map(map(join) o transpose o map(map(map(join) o transpose) o transpose)) $ xs")
)

// windowsOf are the windows of a grid along as many dimensions as there are widths.
func windowsOf(grid *lift.Term, width, step []lift.Size) *lift.Term {
	n := len(width)
	return form{windowTemplate[n]}.of(grid, "nmv"[:n]+"sut"[:n], slices.Concat(width, step)...)
}

func template(text string) *lift.Template {
	t, err := lift.NewTemplate(text, true)
	if err != nil {
		panic(err)
	}
	return t
}

// form is a term with holes for an array xs and for sizes.
type form struct{ *lift.Template }

func formOf(text string) form {
	t, err := lift.NewTemplate(text, false)
	if err != nil {
		panic(err)
	}
	return form{t}
}

// of is the term of an array; sizes are named by the letters of a text, w by a number.
func (f form) of(xs *lift.Term, names string, sizes ...lift.Size) *lift.Term {
	if xs.Err() != nil {
		return xs
	}
	b := &lift.Bindings{Terms: map[string]*lift.Term{"xs": xs}, Sizes: map[string]lift.Size{}, Ints: map[string]int{}}
	for i, s := range sizes {
		if n, ok := s.Const(); names[i] == 'w' && ok {
			b.Ints["w"] = int(n)
		} else {
			b.Sizes[names[i:i+1]] = s
		}
	}
	return f.Build(b)
}

// elementOf is the function of the elements of a nest of maps over zips: map(fun(r => map(f) $ zip(get(i, r), get(j, r), …))).
// It takes them in the order of the outermost zip; nil for another nest.
func elementOf(f *lift.Term, dims int) func(parts []*lift.Term) *lift.Term {
	if dims == 1 {
		return func(parts []*lift.Term) *lift.Term { return f.Apply(lift.Of(lift.Tuple, parts...)) }
	}
	if f.Op != lift.Lambda || len(f.Params) != 1 {
		return nil
	}
	body := f.Body()
	if body.Op != lift.Map || body.Arg().Op != lift.Zip || lift.Uses(body.Kids[0], 0) {
		return nil
	}
	var order []int
	for _, k := range body.Arg().Kids {
		if k.Op != lift.Get || k.Kids[0].Op != lift.Var || k.Kids[0].Ints[0] != 0 {
			return nil
		}
		order = append(order, k.Ints[0])
	}
	in := elementOf(lift.Shift(body.Kids[0], -1), dims-1)
	if in == nil {
		return nil
	}
	return func(parts []*lift.Term) *lift.Term {
		list := lists.Map(order, func(i int) *lift.Term { return parts[i] })
		return in(list)
	}
}

// elementwise reports whether f is a nest of maps, map(map(g)) of three dimensions, with a g that sees nothing but the element.
func elementwise(f *lift.Term, dims int) bool {
	if dims == 1 {
		return true
	}
	if f.Op != lift.Lambda || len(f.Params) != 1 {
		return false
	}
	body := f.Body()
	return body.Op == lift.Map && body.Arg().Op == lift.Var && body.Arg().Ints[0] == 0 &&
		!lift.Uses(body.Kids[0], 0) && elementwise(body.Kids[0], dims-1)
}

// zipDeep zips arrays of dims dimensions element by element.
func zipDeep(dims int, xs ...*lift.Term) *lift.Term {
	zip := lift.Of(lift.Zip, xs...)
	if dims == 1 || zip.Err() != nil {
		return zip
	}
	return mapEach(zip, func(r *lift.Term) *lift.Term { return zipDeep(dims-1, gets(r, len(xs))...) })
}

// gets are the components of a tuple.
func gets(r *lift.Term, n int) []*lift.Term {
	list := make([]*lift.Term, n)
	for i := range list {
		list[i] = lift.GetOf(i, r)
	}
	return list
}

// deep maps a function over dims dimensions.
func deep(dims int, xs *lift.Term, f func(x *lift.Term) *lift.Term) *lift.Term {
	if dims == 0 {
		return f(xs)
	}
	return mapEach(xs, func(x *lift.Term) *lift.Term { return deep(dims-1, x, f) })
}

// streamZip takes the windows along the outermost dimension of what is slid over the zip of all arrays. Those that are not
// slid get elements in front, so that theirs is the last of a window.
func streamZip(t *lift.Term, dims int) *lift.Term {
	element := elementOf(t.Kids[0], dims)
	if element == nil {
		return nil
	}
	kids := t.Arg().Kids
	parts, slid := make([]*lift.Term, len(kids)), make([]bool, len(kids))
	var width lift.Size
	n := int64(0)
	for i, k := range kids {
		b, ok := streamTemplate[dims].Match(k)
		if !ok {
			continue
		}
		wide, constant := b.Sizes["n"].Const()
		if !constant || b.Sizes["s"] != lift.Nat(1) || n > 0 && n != wide {
			return nil
		}
		parts[i], slid[i], n, width = b.Terms["xs"], true, wide, b.Sizes["n"]
	}
	if n == 0 {
		return nil
	}
	for i, k := range kids {
		if lengths, _ := k.Type.Shape(); len(lengths) < dims {
			return nil
		}
		if !slid[i] {
			parts[i] = lift.PadOf(lift.Nat(n-1), lift.Nat(0), lift.PadClamp, k)
		}
	}
	all := zipDeep(dims, parts...)
	if all.Err() != nil {
		return all
	}
	columns := lift.TransposeOf(all)
	if dims == 3 {
		columns = mapEach(columns, lift.TransposeOf)
	}
	out := deep(dims-1, columns, func(column *lift.Term) *lift.Term {
		return mapEach(lift.SlideOf(width, lift.Nat(1), column), func(w *lift.Term) *lift.Term {
			list := make([]*lift.Term, len(kids))
			for i := range kids {
				if slid[i] {
					list[i] = mapEach(w, func(x *lift.Term) *lift.Term { return lift.GetOf(i, x) })
				} else {
					list[i] = lift.GetOf(i, lift.AtOf(n-1, w))
				}
			}
			return element(list)
		})
	})
	if dims == 3 {
		out = mapEach(out, lift.TransposeOf)
	}
	return lift.TransposeOf(out)
}

// tileStencils computes a stencil of two or three dimensions over one grid, or over a zip of several, in tiles of so many results
// along each.
func tileStencils(t *lift.Term, size ...lift.Size) *lift.Term {
	dims, zipped := len(size), t.Arg().Op == lift.Zip
	kids := []*lift.Term{t.Arg()}
	if zipped {
		kids = t.Arg().Kids
	}
	// In a tile a row or a plane is a part of one: the function may see elements alone.
	if zipped && elementOf(t.Kids[0], dims) == nil || !zipped && !elementwise(t.Kids[0], dims) {
		return nil
	}
	type window struct{ width, step []lift.Size }
	windows := make([]*window, len(kids))
	tiles := make([]*lift.Term, len(kids))
	for i, k := range kids {
		if lengths, _ := k.Type.Shape(); len(lengths) < dims {
			return nil
		}
		b, ok := windowTemplate[dims].Match(k)
		if !ok {
			tiles[i] = windowsOf(k, size, size)
			continue
		}
		w := &window{[]lift.Size{b.Sizes["n"], b.Sizes["m"], b.Sizes["v"]}[:dims], []lift.Size{b.Sizes["s"], b.Sizes["u"], b.Sizes["t"]}[:dims]}
		windows[i] = w
		width, step := make([]lift.Size, dims), make([]lift.Size, dims)
		for d := range dims {
			step[d] = size[d].Mul(w.step[d])
			width[d] = step[d].Add(w.width[d]).Sub(w.step[d])
		}
		tiles[i] = windowsOf(b.Terms["xs"], width, step)
	}
	if slid := slices.ContainsFunc(windows, func(w *window) bool { return w != nil }); !slid && dims == 3 {
		return nil // of two dimensions what is not slid is tiled as well
	}
	inTile := func(parts []*lift.Term) *lift.Term {
		for i, w := range windows {
			if w != nil {
				parts[i] = windowsOf(parts[i], w.width, w.step)
			}
		}
		arg := parts[0]
		if zipped {
			arg = lift.Of(lift.Zip, parts...)
		}
		return lift.Of(lift.Map, t.Kids[0], arg)
	}
	untiled := untiled3D
	if dims == 2 {
		untiled = untiled2D
	}
	if !zipped {
		return untiled.of(deep(dims, tiles[0], func(q *lift.Term) *lift.Term { return inTile([]*lift.Term{q}) }), "")
	}
	return untiled.of(deep(dims, zipDeep(dims, tiles...), func(q *lift.Term) *lift.Term { return inTile(gets(q, len(kids))) }), "")
}
