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
	"gpuperf/internal/throw"
	"gpuperf/lift"
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
func (e *explorer) variant(r *recipe, numbers map[string]int64) (_ *Variant, err error) {
	defer throw.Catch(&err)
	from := cmp.Or(r.from, e)
	run := &rules.Run{Options: e.rules, Steps: slices.Clone(from.first)}
	body := throw.Get(run.Do(r.build(numbers), from.fused))
	q := throw.Get(e.start.WithBody(body))
	throw.If(e.legal(q.Body))
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
