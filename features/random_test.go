package features

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"
	"gpuperf/polycount"
)

// TestRandomKernels compares counts and footprints of random kernels with an enumeration of their domains: sets of points
// and of elements, kept one by one.
func TestRandomKernels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		small := func(name string, low, high int) int { return rapid.IntRange(low, high).Draw(t, name) }
		size := small("work-items", 1, 5)
		domain := fmt.Sprintf("0 <= w < %d and 0 <= g and %d*g + w < n", size, size)
		domain += fmt.Sprintf(" and 0 <= p < n + %d and 0 <= q", small("p", -1, 2))
		domain += rapid.SampledFrom([]string{" and q <= p", " and q + p < n", " and 2*q < n", " and q < 3"}).Draw(t, "q")
		domain += rapid.SampledFrom([]string{"", " and (p + q) mod 2 = 0", " and p mod 3 = 1", " and w + p >= 1", " and 2*p + q <= n"}).Draw(t, "more")
		all := []string{"g", "p", "q", "w"}
		index := func(name string, inames []string) string {
			text := fmt.Sprint(small(name+" offset", 60, 62))
			for _, i := range rapid.SliceOfNDistinct(rapid.SampledFrom(all), 0, 2, rapid.ID).Draw(t, name+" of") {
				if c := small(name+" of "+i, -2, 3); c != 0 && slices.Contains(inames, i) {
					text += fmt.Sprintf(" + %d*%s", c, i)
				}
			}
			return text
		}
		type statement struct {
			inames   []string
			x, y, z  string // indices
			products int
		}
		var statements []statement
		var text []string
		for s := range small("statements", 1, 2) {
			var inames []string
			for _, i := range all {
				if s == 0 || rapid.Bool().Draw(t, "within "+i) {
					inames = append(inames, i)
				}
			}
			st := statement{inames, index("x", inames), index("y", inames), strings.Join(append([]string{"0"}, inames...), ", "), small("products", 0, 2)}
			statements = append(statements, st)
			value := fmt.Sprintf("x[%s]", st.x)
			for range st.products {
				value += fmt.Sprintf(" * y[%s]", st.y)
			}
			attributes := "inames=" + strings.Join(inames, ":")
			if len(inames) == 0 {
				attributes = "tags=none"
			}
			text = append(text, fmt.Sprintf("z%d[%s] = %s {id=s%d, %s}", s, st.z, value, s, attributes))
		}
		spec := kernel.Spec{
			Domains: []string{"{[g,w,p,q]: " + domain + "}"}, Instructions: strings.Join(text, "\n"), Assumptions: "1 <= n <= 12",
		}
		for _, name := range []string{"x", "y", "z0", "z1"} {
			_, after, used := strings.Cut(spec.Instructions, name+"[")
			if !used {
				continue
			}
			a := &kernel.Array{Name: name, DType: "float32", Space: kernel.Global}
			indices, _, _ := strings.Cut(after, "]")
			for range strings.Split(indices, ",") {
				a.Shape = append(a.Shape, expr.Int{Value: 300})
			}
			spec.Args = append(spec.Args, a)
		}
		k, err := kernel.Make(spec)
		if err != nil {
			t.Fatalf("%s: %v", spec.Instructions, err)
		}
		if k, err = transform.TagInames(k, "g:g.0, w:l.0"); err != nil {
			t.Fatal(err)
		}
		opt := Options{SubgroupSize: small("sub-group", 1, 4), RedundantWork: rapid.Bool().Draw(t, "redundant"), Footprint: true}
		s, err := Count(k, opt)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range s.Warnings {
			if errors.Is(w, polycount.ErrBudget) {
				t.Skip(w)
			}
			t.Fatal(w)
		}
		extent, err := localExtent(k)
		if err != nil {
			t.Skip("no work-group size")
		}

		for n := int64(1); n <= 7; n++ {
			sizes := map[string]int64{"n": n}
			sameAt(t, k, opt, s, sizes)
			set, err := k.DomainOf(all)
			if err != nil {
				t.Fatal(err)
			}
			points, err := set.Points(sizes, 100000)
			if err != nil {
				t.Fatal(err)
			}
			groups := int64(0)
			for _, p := range points {
				groups = max(groups, p[0]+1)
			}
			// distinct counts the values that inames take together.
			distinct := func(points [][]int64, inames []string) int64 {
				seen := map[string]bool{}
				for _, p := range points {
					key := ""
					for _, i := range inames {
						key += fmt.Sprint(p[slices.Index(all, i)], " ")
					}
					seen[key] = true
				}
				return int64(len(seen))
			}
			want := map[string]int64{}
			elements := map[string]map[string]bool{}
			for i, st := range statements {
				within := points
				if len(st.inames) == 0 {
					within = [][]int64{make([]int64, len(all))} // runs once, whatever the domain
				}
				times := func(granularity Granularity) int64 {
					inames := st.inames
					factor := int64(1)
					if granularity == SubGroup {
						inames = slices.DeleteFunc(slices.Clone(inames), func(i string) bool { return i == "w" })
						factor = (extent + int64(opt.SubgroupSize) - 1) / int64(opt.SubgroupSize)
					} else if opt.RedundantWork && !slices.Contains(inames, "w") {
						factor = extent
					}
					if opt.RedundantWork && !slices.Contains(inames, "g") {
						factor *= groups
					}
					return distinct(within, inames) * factor
				}
				access := func(direction, variable, index string, n int64) {
					granularity := SubGroup
					if strings.Contains(index, "w") {
						granularity = WorkItem
					}
					want[direction+" "+variable] += n * times(granularity)
					footprint := map[string]string{"load": "read ", "store": "write "}[direction] + variable
					if elements[footprint] == nil {
						elements[footprint] = map[string]bool{}
					}
					if n == 0 {
						return
					}
					for _, p := range within {
						elements[footprint][evalIndex(t, index, all, p)] = true
					}
				}
				want["mul"] += int64(st.products) * times(SubGroup)
				access("load", "x", st.x, 1)
				access("load", "y", st.y, int64(st.products))
				access("store", fmt.Sprintf("z%d", i), st.z, 1)
			}
			for footprint, set := range elements {
				want[footprint] = int64(len(set))
			}
			got := map[string]int64{}
			for _, r := range s.Records {
				v, err := r.Count.Eval(sizes)
				if err != nil || !v.IsInt() {
					t.Fatalf("%s at n=%d: %v %v", r.Key, n, v, err)
				}
				name := r.Key.String()
				switch key := r.Key.(type) {
				case Op:
					name = key.Op
				case Mem:
					name = string(key.Direction) + " " + key.Variable
				case Sync:
					continue
				}
				got[name] += v.Num().Int64()
			}
			for name, v := range want {
				if got[name] != v {
					t.Fatalf("%s\n%s\nat n=%d %s is %d, enumeration gives %d\n%s", domain, spec.Instructions, n, name, got[name], v, strings.Join(lines(s), "\n"))
				}
			}
			for name, v := range got {
				if want[name] != v {
					t.Fatalf("%s\n%s\nat n=%d %s is %d, enumeration gives %d", domain, spec.Instructions, n, name, v, want[name])
				}
			}
			v, err := s.Groups.Eval(sizes)
			if err != nil || v.Num().Int64() != max(groups, 0) {
				t.Fatalf("%s: at n=%d there are %v groups, enumeration gives %d", domain, n, v, groups)
			}
		}
	})
}

// localExtent is the number of work-items of a group.
func localExtent(k *kernel.Kernel) (int64, error) {
	p, err := transform.Prepare(k)
	if err != nil {
		return 0, err
	}
	size, err := p.LocalSize()
	return size[0], err
}

// evalIndex is the element that indices, separated by commas, point to.
func evalIndex(t *rapid.T, text string, names []string, point []int64) string {
	at := map[string]int64{}
	for i, name := range names {
		at[name] = point[i]
	}
	var element []string
	for _, index := range strings.Split(text, ",") {
		e, err := expr.Parse(index)
		if err != nil {
			t.Fatal(err)
		}
		v, err := expr.EvalInt(e, at)
		if err != nil {
			t.Fatal(err)
		}
		element = append(element, v.String())
	}
	return strings.Join(element, ",")
}
