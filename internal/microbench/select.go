package microbench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.starlark.net/starlark"

	"gpuperf/internal/lists"
	"gpuperf/internal/throw"
	"gpuperf/kernel"
	"gpuperf/kernel/script"
	"gpuperf/models"
)

// maxVariants bounds what a filter may select.
const maxVariants = 100_000

// Variant is a measurement kernel at given sizes.
type Variant struct {
	Generator string
	Args      []NamedValue // in the generator's order
	Tags      []string     // the generator's, then one "argument:value" per argument
	Sizes     map[string]int64

	generator *Generator
}

// NamedValue is an argument and its value.
type NamedValue struct {
	Name  string
	Value Value
}

func (v NamedValue) String() string { return v.Name + ":" + v.Value.String() }

// String is the variant's identity: the generator's name and all arguments, "matmul_sq dtype:float32 ... n:2048".
func (v Variant) String() string { return v.identity(v.Args) }

// KernelID is the part of the identity that the kernel depends on: without the sizes.
func (v Variant) KernelID() string { return v.identity(v.kernelArgs()) }

func (v Variant) identity(args []NamedValue) string {
	out := []string{v.Generator}
	for _, a := range args {
		out = append(out, a.String())
	}
	return strings.Join(out, " ")
}

// kernelArgs are the arguments other than sizes.
func (v Variant) kernelArgs() []NamedValue {
	return slices.DeleteFunc(slices.Clone(v.Args), func(a NamedValue) bool {
		_, size := v.Sizes[a.Name]
		return size
	})
}

// call calls a function of the generator's file.
func (g *Generator) call(function string, args []NamedValue) (starlark.Value, error) {
	kwargs := lists.Map(args, func(a NamedValue) starlark.Tuple { return starlark.Tuple{starlark.String(a.Name), a.Value.starlark()} })
	return g.module.Call(context.Background(), function, kwargs)
}

// Kernel builds the variant's kernel, symbolic in the sizes. Variants that differ in sizes only share it.
func (v Variant) Kernel() (*kernel.Kernel, error) {
	once, _ := v.generator.kernels.LoadOrStore(v.KernelID(), sync.OnceValues(func() (*kernel.Kernel, error) {
		result, err := v.generator.call("kernel", v.kernelArgs())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.KernelID(), err)
		}
		k := script.Kernel(result)
		if k == nil {
			return nil, fmt.Errorf("%s: %s: function kernel returns a %s, not a kernel", v.KernelID(), v.generator.File, result.Type())
		}
		for _, p := range k.Params() {
			if _, ok := v.Sizes[p]; !ok {
				return nil, fmt.Errorf("%s: %s: the kernel has a parameter %s, which is not among the sizes", v.KernelID(), v.generator.File, p)
			}
		}
		return k, nil
	}))
	return once.(func() (*kernel.Kernel, error))()
}

// Select returns the variants that the filter selects: for each generator, one for every combination of argument values
// that it can make, with the last argument varying fastest. A filter with an unknown tag or argument, or with a value
// that occurs in no variant, is an error, so that nothing is left out silently.
func (c *Collection) Select(f Filter) (_ []Variant, err error) {
	defer throw.Catch(&err)
	matched := throw.Get(c.Match(f))
	knownArguments(matched, f)
	var out []Variant
	occurs := map[string]bool{} // "argument:value" of the variants
	var reasons []string
	for _, g := range matched {
		variants, rejected := throw.Get2(g.variants(f, maxVariants-len(out)))
		if len(variants) == 0 {
			return nil, fmt.Errorf("generator %s has no variant for this filter: %s", g.Name, rejected[0])
		}
		for _, v := range variants {
			for _, a := range v.Args {
				occurs[a.String()] = true
			}
		}
		for _, r := range rejected {
			if !slices.Contains(reasons, r) {
				reasons = append(reasons, r)
			}
		}
		out = append(out, variants...)
	}
	for _, a := range f.Args {
		for _, value := range a.Values {
			if !occurs[a.Name+":"+value] {
				why := "no generator allows it"
				if len(reasons) > 0 {
					why = strings.Join(reasons[:min(3, len(reasons))], "; ")
				}
				return nil, fmt.Errorf("%s:%s is in no variant: %s", a.Name, value, why)
			}
		}
	}
	return out, nil
}

// Match returns the generators whose tags match those of the filter, by name. Unknown tags are an error.
func (c *Collection) Match(f Filter) ([]*Generator, error) {
	var known, names []string
	for _, g := range c.generators {
		known = append(known, g.Tags...)
		names = append(names, g.Name)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, t := range f.Tags {
		if !slices.Contains(known, t) {
			return nil, fmt.Errorf("no generator has the tag %s%s\n    tags are %s", t, didYouMean(t, known), strings.Join(known, ", "))
		}
	}
	match := cmp.Or(f.Match, models.Superset)
	out := lists.Where(c.generators, func(g *Generator) bool { return matches[match](g.Tags, f.Tags) })
	if len(out) == 0 {
		hint := "generators are " + strings.Join(names, ", ")
		if match != models.Intersect && len(f.Tags) > 1 {
			hint = "match condition intersect selects generators that have any of them"
		}
		return nil, fmt.Errorf("no generator matches the tags %s under the condition %s\n    %s", strings.Join(f.Tags, ", "), match, hint)
	}
	return out, nil
}

// knownArguments checks that every argument of the filter belongs to a matched generator, and that one allows each value.
func knownArguments(matched []*Generator, f Filter) {
	for _, a := range f.Args {
		var names, sets []string
		found := false
		allowed := map[string]bool{}
		for _, g := range matched {
			for _, arg := range g.Args {
				names = append(names, arg.Name)
				if arg.Name != a.Name {
					continue
				}
				found = true
				any := false
				for _, v := range a.Values {
					if _, ok := arg.Allowed.Parse(v); ok {
						allowed[v], any = true, true
					}
				}
				set := fmt.Sprintf("%s of %s may be %s", a.Name, g.Name, arg.Allowed)
				sets = append(sets, set)
				if !any {
					panic(throw.Errorf("%s:%s is not allowed\n    %s", a.Name, strings.Join(a.Values, ","), set))
				}
			}
		}
		if !found {
			slices.Sort(names)
			names = slices.Compact(names)
			panic(throw.Errorf("no selected generator has an argument %s%s\n    arguments are %s", a.Name, didYouMean(a.Name, names), strings.Join(names, ", ")))
		}
		for _, v := range a.Values {
			if !allowed[v] {
				panic(throw.Errorf("%s:%s is not allowed\n    %s", a.Name, v, strings.Join(sets, "\n    ")))
			}
		}
	}
}

// variants is the Cartesian product of the generator's allowed values, as the filter narrows them, and the reasons why it
// cannot make some of them.
func (g *Generator) variants(f Filter, limit int) (made []Variant, rejected []string, err error) {
	sets := make([][]Value, len(g.Args))
	total := 1
	for i, arg := range g.Args {
		sets[i] = arg.Allowed.Default
		if at := slices.IndexFunc(f.Args, func(a ArgFilter) bool { return a.Name == arg.Name }); at >= 0 {
			sets[i] = nil
			for _, text := range f.Args[at].Values {
				if v, ok := arg.Allowed.Parse(text); ok && !slices.Contains(sets[i], v) {
					sets[i] = append(sets[i], v)
				}
			}
		}
		if total *= len(sets[i]); total > limit {
			return nil, nil, fmt.Errorf("the filter selects more than %d variants of %s: give fewer values", limit, g.Name)
		}
	}
	for n := range total {
		v := g.variant(sets, n)
		reason, err := g.check(v)
		if err != nil {
			return nil, nil, err
		}
		if reason != "" {
			rejected = append(rejected, reason)
		} else {
			made = append(made, v)
		}
	}
	return made, rejected, nil
}

// variant is the n-th combination, the last argument varying fastest.
func (g *Generator) variant(sets [][]Value, n int) Variant {
	v := Variant{Generator: g.Name, Args: make([]NamedValue, len(sets)), Tags: slices.Clone(g.Tags), Sizes: map[string]int64{}, generator: g}
	for i := len(sets) - 1; i >= 0; i-- {
		value := sets[i][n%len(sets[i])]
		n /= len(sets[i])
		v.Args[i] = NamedValue{g.Args[i].Name, value}
		if g.Args[i].Size {
			v.Sizes[g.Args[i].Name] = value.Int
		}
	}
	for _, a := range v.Args {
		v.Tags = append(v.Tags, a.String())
	}
	return v
}

// check returns the reason why the generator cannot make a combination, "" if it can.
func (g *Generator) check(v Variant) (reason string, err error) {
	if !g.checked {
		return "", nil
	}
	result, err := g.call("check", v.Args)
	if err != nil {
		return "", fmt.Errorf("generator %s: %w", g.Name, err)
	}
	if result == starlark.None {
		return "", nil
	}
	reason, ok := starlark.AsString(result)
	if !ok {
		return "", fmt.Errorf("generator %s: %s: check returns neither None nor a reason", g.Name, g.File)
	}
	return reason, nil
}
