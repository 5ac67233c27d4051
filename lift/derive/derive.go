// Package derive enumerates low-level variants of a program of package lift.
//
// A recipe (recipe.go) is a strategy with some numbers left open: tile sizes, chunk lengths, vector widths. The form of a program
// determines its recipes: those of nested maps are in grid.go, walk.go and product.go, those of reductions in
// reduction.go. Each recipe is a stratum; Derive draws from the strata in turn, with random values for the numbers, until it has
// as many distinct variants as requested. Every variant is derived by the rules of package rules and carries its derivation.
//
// Maps become loops under the constraints of the Lift project's later work: in a nest of maps, mapWrg and mapLcl use the same
// dimensions, mapGlb is not mixed with them, and no dimension is used twice.
package derive

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand"
	"regexp"
	"slices"

	"gpuperf/device/machine"
	"gpuperf/internal/intmath"
	"gpuperf/lift"
	"gpuperf/lift/lower"
	"gpuperf/lift/rules"
)

// Options say how many variants to derive, and for what. The zero value of a limit is that of common devices.
type Options struct {
	// Count is the number of variants; 0 means 100. Fewer are returned where there are not so many.
	Count int
	Seed  int64
	// Sizes are the values of all size symbols: variants must be valid there, and their numbers divide what they have to.
	Sizes map[string]int64
	// Recipes are those that are followed; nil for all.
	Recipes []string
	// MaxGroup is the largest work-group, MaxLocal the local memory of one in bytes (0: those of the usual machine), MaxPrivate the
	// private arrays of a work-item in bytes (0: 1 KiB).
	MaxGroup, MaxLocal, MaxPrivate int64
}

func (o Options) withDefaults() Options {
	o.Count = cmp.Or(o.Count, 100)
	on := machine.Of(nil)
	o.MaxGroup = cmp.Or(o.MaxGroup, on.MostItems)
	o.MaxLocal = cmp.Or(o.MaxLocal, on.MostLocal)
	o.MaxPrivate = cmp.Or(o.MaxPrivate, 1<<10)
	return o
}

// Variant is a low-level program, and how it was derived.
type Variant struct {
	ID       string // of the normal form of its text: stable between processes
	Recipe   string // the stratum
	Numbers  map[string]int64
	Program  *lift.Program // with the size symbols of the start
	Steps    []rules.Step
	Skeleton string // the text with numbers left out
}

// Derivation returns the variant's derivation from the program.
func (v *Variant) Derivation(p *lift.Program) *rules.Derivation {
	return &rules.Derivation{Start: p, Steps: v.Steps, Result: v.Program}
}

// Result is the variants, and the number of attempts that gave none.
type Result struct {
	Variants []*Variant
	// Recipes is the number of strata; Tried counts points of their spaces, Same those that gave a known variant. Refused counts
	// points that gave none, and strata that were rejected as a whole, by reason.
	Recipes, Tried, Same int
	Refused              map[string]int
}

// Derive returns distinct low-level variants of the program, in a fixed order for a seed.
func Derive(p *lift.Program, opt Options) (*Result, error) {
	opt = opt.withDefaults()
	at, err := p.AtSizes(opt.Sizes)
	if err != nil {
		return nil, err
	}
	if len(at.Sizes) > 0 {
		return nil, fmt.Errorf("program %s: size %s has no value", p.Name, at.Sizes[0])
	}
	e := newExplorer(p, at, opt)
	list := e.recipes()
	if len(list) == 0 {
		return nil, fmt.Errorf("program %s: %s", p.Name, e.missing())
	}
	r := rand.New(rand.NewSource(opt.Seed))
	result := &Result{Refused: map[string]int{}}
	e.draw(list, r, result)
	if len(result.Variants) == 0 {
		e.draw(e.inOrder(), r, result)
	}
	return result, nil
}

// draw adds variants of recipes to the result.
func (e *explorer) draw(list []*recipe, r *rand.Rand, result *Result) {
	var streams []*stream
	for _, rec := range list {
		seed := r.Int63() // drawn for all, so that the others do not depend on which are refused
		if e.opt.Recipes != nil && !slices.Contains(e.opt.Recipes, rec.name) {
			continue
		}
		if rec.refused != nil {
			result.Refused[reason(rec.refused)]++
			continue
		}
		streams = append(streams, newStream(rec, seed))
	}
	result.Recipes += len(streams)
	seen := map[*lift.Term]bool{}
	for len(streams) > 0 && len(result.Variants) < e.opt.Count {
		streams = slices.DeleteFunc(streams, func(s *stream) bool {
			if len(result.Variants) >= e.opt.Count {
				return false
			}
			// A stratum gives one variant in turn, if it has one left.
			for {
				numbers, ok := s.next()
				if !ok {
					return true
				}
				result.Tried++
				v, err := e.variant(s.recipe, numbers)
				switch {
				case err != nil:
					result.Refused[reason(err)]++
				case seen[v.Program.Body]:
					result.Same++
				default:
					seen[v.Program.Body] = true
					result.Variants = append(result.Variants, v)
					return false
				}
			}
		})
	}
}

// reason is an error without its numbers, for counting.
func reason(err error) string {
	text := digits.ReplaceAllString(err.Error(), "#")
	if len(text) > 120 {
		text = text[:120]
	}
	return text
}

var digits = regexp.MustCompile(`\b[0-9]+(\.[0-9]*)?\b`)

// explorer derives the variants of one program.
type explorer struct {
	start *lift.Program
	opt   Options
	rules rules.Options
	// The constant sizes, and the inputs there.
	sizes  map[string]lift.Size
	inputs []lift.Param
	// fused is the body with maps fused and views simplified; every recipe starts from it. first are the steps that lead to it.
	fused *lift.Term
	first []rules.Step
}

// newExplorer begins with a program and the same program at the sizes of the options.
func newExplorer(p, at *lift.Program, opt Options) *explorer {
	e := &explorer{
		start: p, opt: opt, rules: rules.Options{Given: p.Assumptions(), At: []map[string]int64{opt.Sizes}},
		sizes: map[string]lift.Size{}, inputs: at.Inputs,
	}
	for name, n := range opt.Sizes {
		e.sizes[name] = lift.Nat(n)
	}
	run := &rules.Run{Options: e.rules}
	body, err := run.Do(rules.Seq(dynamic, unrolled, rules.Try(fuse), simplify, whole), p.Body)
	if err != nil {
		body = p.Body
	}
	e.fused, e.first = body, run.Steps
	return e
}

// variant runs a recipe with numbers.
func (e *explorer) variant(r *recipe, numbers map[string]int64) (*Variant, error) {
	from := cmp.Or(r.from, e)
	run := &rules.Run{Options: e.rules, Steps: slices.Clone(from.first)}
	body, err := run.Do(r.build(numbers), from.fused)
	if err != nil {
		return nil, err
	}
	q, err := e.start.WithBody(body)
	if err != nil {
		return nil, err
	}
	if err := e.legal(q.Body); err != nil {
		return nil, err
	}
	return newVariant(r.name, numbers, q, run.Steps), nil
}

// identity is a name for a text.
func identity(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}

// stream yields the points of a recipe's space in random order, without repetition.
type stream struct {
	recipe *recipe
	total  int64
	index  int64
	step   int64
	left   int64
}

func newStream(r *recipe, seed int64) *stream {
	s := &stream{recipe: r, total: 1}
	for _, n := range r.numbers {
		s.total *= int64(len(n.values))
	}
	rng := rand.New(rand.NewSource(seed))
	s.left = s.total
	if s.total > 0 {
		s.index = rng.Int63n(s.total)
		// A step without a common divisor visits every point once.
		for s.step = 1 + rng.Int63n(s.total); intmath.GCD(s.step, s.total) != 1; s.step++ {
			continue
		}
	}
	return s
}

// next is the next point that the recipe's constraint admits.
func (s *stream) next() (map[string]int64, bool) {
	for s.left > 0 {
		s.left--
		s.index = (s.index + s.step) % s.total
		numbers, rest := map[string]int64{}, s.index
		for _, n := range s.recipe.numbers {
			k := int64(len(n.values))
			numbers[n.name] = n.values[rest%k]
			rest /= k
		}
		if s.recipe.admits == nil || s.recipe.admits(numbers) {
			return numbers, true
		}
	}
	return nil, false
}

// mostIterations bounds the iterations of an iterate that are unrolled.
const mostIterations = 16

// unrolled unrolls an iterate below the views of a body: each iteration becomes an application to an array of its own length, whose
// maps become loops of their own or are fused with those of the next.
func unrolled(run *rules.Run, t *lift.Term, site *rules.Site) (*lift.Term, error) {
	switch {
	case t.Op == lift.Iterate && t.Ints[0] <= mostIterations:
		s := rules.Use("iterateOne")
		switch n := t.Ints[0]; {
		case n == 0:
			s = rules.Use("iterateZero")
		case n > 1: // the first iteration, which is the innermost, alone
			s = rules.Seq(rules.Use("iterateSplit", "k", 1), rules.AtArg(s), unrolled)
		}
		return s(run, t, site)
	case t.Op != lift.Iterate && !computes(t) && views.Has(t.Op):
		return rules.AtArg(unrolled)(run, t, site)
	}
	return t, nil
}

// whole makes maps of what else stands around or in place of those of a program: it copies what nothing computes, and moves views that cannot be
// written through before the maps, or after a let.
func whole(run *rules.Run, t *lift.Term, site *rules.Site) (*lift.Term, error) {
	s := rules.Strategy(rules.ID)
	switch {
	case t.Op == lift.Let:
		s = rules.Seq(rules.AtKid(1, whole), inner(whole))
	case t.Op == lift.Tuple:
		for i := range t.Kids {
			s = rules.Seq(s, rules.AtKid(i, whole))
		}
	case computes(t) && combines.Has(t.Arg().Op):
		s = rules.Seq(rules.Use("letArg"), whole) // so that what combines elements is computed in parts
	case t.Type.Kind != lift.ArrayType && t.Op != lift.Unzip || computes(t) || begins.Has(t.Op):
	case views.Has(t.Op):
		s = rules.AtArg(whole)
	case !t.Ops().Has(lift.Fun):
		s = rules.Use("copy")
	case t.Op == lift.Generate && t.Fn().Ops()&(lift.Set(lift.Map)|combines) != 0: // maps are what work-items share
		s = rules.Use("generateMap")
	case t.Op == lift.Zip || t.Op == lift.Generate:
		s = rules.Seq(rules.Use("copy"), rules.Try(fuse))
	case rearranged.Has(t.Op):
		s = rules.Else(
			rules.Seq(moved, rules.Try(fuse)),
			rules.Seq(rules.Use("letArg"), whole),
		)
	}
	return s(run, t, site)
}

// begins are the patterns that recipes begin with, beside maps that compute.
var begins = lift.Set(lift.Reduce, lift.Iterate, lift.Scan, lift.ScanBefore, lift.ReduceSegments)

// combines are patterns whose results depend on many elements.
var combines = lift.Set(lift.Reduce, lift.Scan, lift.ScanBefore, lift.ReduceSegments)

// rearranged are patterns that show an element at several places, or others.
var rearranged = lift.Set(lift.Pad, lift.PadConst, lift.Slide)

// moved makes views of maps maps of views.
func moved(run *rules.Run, t *lift.Term, site *rules.Site) (*lift.Term, error) {
	if computes(t) {
		return t, nil
	}
	if !rearranged.Has(t.Op) {
		return nil, fmt.Errorf("%s is no view of a map", t.Op)
	}
	return rules.Seq(rules.AtArg(moved), rules.Else(rules.Use("mapPad"), rules.Use("slideMap")))(run, t, site)
}

// missing explains why there is no recipe for the program.
func (e *explorer) missing() string {
	t := e.fused
	for views.Has(t.Op) && !computes(t) {
		t = t.Arg()
	}
	switch t.Op {
	case lift.Iterate:
		return fmt.Sprintf("variants of iterate(%d, …) are not derived: at most %d iterations are written out", t.Ints[0], mostIterations)
	}
	return fmt.Sprintf("neither maps nor a reduction stand where variants begin, but %s", t.Op)
}

// legal checks what the rules cannot see locally: nothing is left to lower, the elements of vectors lie next to each other,
// the dimensions of work-groups and work-items agree, and the memories are large enough.
func (e *explorer) legal(body *lift.Term) error {
	if high := body.Ops() & lift.Set(lift.Reduce, lift.PartRed, lift.Reorder, lift.Filter, lift.ReduceSegments); high != 0 {
		return fmt.Errorf("a pattern is left to lower")
	}
	var err error
	lift.Walk(body, lift.Set(lift.Map), func(t *lift.Term) {
		if err == nil && computes(t) {
			err = fmt.Errorf("a map is left to lower")
		}
	})
	if err != nil {
		return err
	}
	if err := e.checkVectors(body); err != nil {
		return err
	}
	u := usage{sizes: e.opt.Sizes}
	if err := u.walk(body, 0); err != nil {
		return err
	}
	if body.Ops()&lift.ParallelMaps == 0 {
		return fmt.Errorf("nothing is parallel")
	}
	if u.local > e.opt.MaxLocal {
		return fmt.Errorf("%d bytes of local memory", u.local)
	}
	if u.private > e.opt.MaxPrivate {
		return fmt.Errorf("%d bytes of private memory", u.private)
	}
	return nil
}

// checkVectors returns an error if the elements of some vector are not adjacent in an input or in the result.
func (e *explorer) checkVectors(body *lift.Term) error {
	if body.Ops()&lift.Set(lift.AsVector, lift.AsScalar) == 0 {
		return nil
	}
	return lower.CheckVectors(e.inputs, lift.SubstSizes(body, e.sizes))
}

// vectorizes reports whether a strategy that makes vectors applies to the fused body, under so many views, and whether the vectors
// that it makes must be rejected whatever is done next.
func (e *explorer) vectorizes(under int, s rules.Strategy) (applies bool, refused error) {
	body, err := (&rules.Run{Options: e.rules}).Do(rules.Below(under, s), e.fused)
	if err != nil {
		return false, nil
	}
	return true, e.checkVectors(body)
}

// usage collects the memory of a variant.
type usage struct {
	sizes          map[string]int64
	local, private int64
}

// walk follows the nest inside mapWrgs of a set of dimensions, as bits.
func (u *usage) walk(t *lift.Term, outer int) error {
	inner := outer
	switch t.Op {
	case lift.MapWrg:
		inner |= 1 << t.Ints[0]
		if t.Fn().Ops()&lift.Set(lift.MapWrg, lift.MapLcl) == 0 {
			return fmt.Errorf("a mapWrg without work-items")
		}
		// Along dimension 2 a work-group may have one work-item alone.
		if !t.Fn().Ops().Has(lift.MapWrg) && dims(t.Fn(), lift.MapLcl)|1<<2 != inner|1<<2 {
			return fmt.Errorf("work-groups and work-items of different dimensions")
		}
	case lift.ToLocal, lift.ToPrivate:
		n, err := bytes(t.Type, u.sizes)
		if err != nil {
			return err
		}
		if t.Op == lift.ToLocal {
			u.local += n
		} else {
			u.private += n
		}
	}
	for i, k := range t.Kids {
		around := outer
		if i == 0 && t.Op.HasFun() {
			around = inner
		}
		if err := u.walk(k, around); err != nil {
			return err
		}
	}
	return nil
}

// dims is the set of dimensions of an operator in a term, as bits.
func dims(t *lift.Term, op lift.Op) (set int) {
	lift.Walk(t, lift.Set(op), func(t *lift.Term) { set |= 1 << t.Ints[0] })
	return set
}

// bytes is the memory of a value of a type.
func bytes(t *lift.Type, at map[string]int64) (int64, error) {
	n := int64(1)
	lengths, elem := t.Shape()
	for _, l := range lengths {
		k, err := l.Eval(at)
		if err != nil {
			return 0, err
		}
		n *= k
	}
	size := int64(0)
	for _, c := range lift.Components(elem) {
		size += c.DType.Size() * max(1, int64(c.Width))
	}
	return n * size, nil
}
