package features

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/transform"
)

// Accesses of a 16x16 work-group g of ng, with a loop over k < 8 around them: lines and sectors per group and iteration.
func TestLines(t *testing.T) {
	for _, test := range []struct {
		index          string
		dtype          expr.DType
		lines, sectors float64
	}{
		{"16*lid1 + lid0", "float32", 8, 32},          // all of 1 KiB
		{"16*lid1 + lid0 + 1", "float32", 16, 40},     // each sub-group reaches into one more
		{"16*lid1 + lid0 - 1", "float32", 16, 40},     // also to the left
		{"64*lid1 + lid0", "float32", 16, 32},         // rows of 64 bytes
		{"64*lid1 + lid0 + 24", "float32", 32, 32},    // that cross lines
		{"64*lid0 + lid1", "float32", 8 * 16, 8 * 16}, // columns
		{"16*lid1 + lid0", "float64", 16, 64},         //
		{"16*lid1 + lid0", "uint8", 8, 8},             // a sector for each sub-group, four of them in a line
		{"3*(16*lid1 + lid0)", "float32", 3 * 8, 96},  //
		{"5", "float32", 8, 8},                        // one element, for each sub-group
		{"lid1", "float32", 8, 8},                     // two
		{"16*lid1 + lid0 + 32*k", "float32", 8, 32},   //
		{"16*lid1 + lid0 + 16*k", "float32", 12, 32},  // every other iteration half a line off
		{"16*lid1 + (lid0 + 8)//8", "float32", 8, 16}, // a quotient of a lid
	} {
		ok := made(t)
		index := strings.NewReplacer("lid", "l").Replace(test.index)
		k := ok(kernel.Make(kernel.Spec{
			Domains:      []string{"{[g,k,l0,l1]: 0<=g<ng and 0<=k<8 and 0<=l0,l1<16}"},
			Instructions: fmt.Sprintf("z[g,k,l1,l0] = x[1024 + %s]", index), Assumptions: "ng >= 1",
			Args: []*kernel.Array{{Name: "x", DType: test.dtype, Space: kernel.Global, Shape: []expr.Expr{expr.Int{Value: 4096}}}},
		}))
		k = ok(transform.TagInames(k, "g:g.0, l0:l.0, l1:l.1"))
		s, err := Count(k, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for feature, want := range map[string]float64{"f_mem_lines_load": test.lines, "f_mem_sectors_load": test.sectors} {
			id, err := ParseID(feature)
			if err != nil {
				t.Fatal(err)
			}
			v, err := s.Value(id, map[string]int64{"ng": 5})
			if err != nil || v != 5*8*want {
				t.Errorf("%s %s: %s is %v (%v) per group and iteration, want %v", test.dtype, test.index, feature, v/5/8, err, want)
			}
		}
	}
}

// What depends on data, or cannot be told from the sizes of the kernel, is an error that says so.
func TestLinesErrors(t *testing.T) {
	for _, test := range []struct{ domain, instructions, feature, want string }{
		{"0<=g<n and 0<=l<64", "z[g,l] = x[k[l]]", "f_mem_lines_load", "k[l] is not affine: it is read from memory"},
		{"0<=g<8 and 0<=l<n", "z[g,l] = x[l]", "f_mem_lines_store", "the extent of work-groups along axis 0 is not constant"},
		{"0<=g<n and 0<=l<64", "z[g,l] = x[l]", "f_mem_lines_global_load_lstrides:{0:<q}", "no value is given for q"},
	} {
		ok := made(t)
		assume, args := "1 <= n <= 100", []*kernel.Array{{Name: "x", Space: kernel.Global, Shape: []expr.Expr{expr.Int{Value: 1000}}}}
		if strings.Contains(test.domain, "l<n") {
			assume, args = "n >= 1", nil
		}
		k := ok(kernel.Make(kernel.Spec{
			Domains: []string{"{[g,l]: " + test.domain + "}"}, Instructions: test.instructions, Assumptions: assume,
			Args: args, DTypes: typesOf(test.instructions, map[string]expr.DType{"x": "float32", "k": "int32"}),
		}))
		s, err := Count(ok(transform.TagInames(k, "g:g.0, l:l.0")), Options{})
		if err != nil {
			t.Fatal(err)
		}
		id, err := ParseID(test.feature)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := s.Value(id, map[string]int64{"n": 100}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %s is %v (%v), want an error with %q", test.instructions, test.feature, v, err, test.want)
		}
	}
}

// TestRandomLines compares with an enumeration of the work-items of random kernels.
func TestRandomLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		small := func(name string, low, high int) int { return rapid.IntRange(low, high).Draw(t, name) }
		size := [2]int{small("lid(0)", 1, 9), small("lid(1)", 1, 5)}
		domain := fmt.Sprintf("0<=u<%d and 0<=v<%d and 0<=g and 0<=h<2 and 0<=k<3 and n+m>=0", size[0], size[1])
		domain += rapid.SampledFrom([]string{
			fmt.Sprintf(" and %d*g+u<n", size[0]), " and g<n", " and g<n and u+g<n", fmt.Sprintf(" and %d*g+u<n and %d*h+v<m", size[0], size[1]),
			" and g<n and 2*v<=u+k", fmt.Sprintf(" and 1 <= %d*g+u <= n", size[0]), " and g<n and (g+u) mod 2 = 0", " and u<n and g<m",
		}).Draw(t, "domain")
		all := []string{"g", "h", "k", "u", "v"}
		index := "1000"
		for _, name := range all {
			switch c := small(name, -3, 20); {
			case c > 15:
				index += fmt.Sprintf(" + %s*%s", rapid.SampledFrom([]string{"n", "m*n", "(n+m)", "32", "8*m"}).Draw(t, "factor"), name)
			case c > 8:
			default:
				index += fmt.Sprintf(" + %d*%s", c, name)
			}
		}
		index += rapid.SampledFrom([]string{"", "", " + u//2", " + 16*(u//3)", " - (g+k)//2", " + k%2", " + 5*m"}).Draw(t, "floor")
		dtype := rapid.SampledFrom([]expr.DType{"float32", "float32", "float64", "int8", "complex128"}).Draw(t, "dtype")
		k, err := kernel.Make(kernel.Spec{
			Domains: []string{"{[g,h,k,u,v]: " + domain + "}"}, Instructions: "z[g,h,k,u,v] = x[" + index + "]",
			Assumptions: "1<=n<=30 and 1<=m<=30",
			Args: []*kernel.Array{
				{Name: "x", DType: dtype, Space: kernel.Global, Shape: []expr.Expr{expr.Int{Value: 100000}}},
				{Name: "z", DType: dtype, Space: kernel.Global, Shape: []expr.Expr{
					expr.Int{Value: 90}, expr.Int{Value: 2}, expr.Int{Value: 3}, expr.Int{Value: 9}, expr.Int{Value: 5},
				}},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if k, err = transform.TagInames(k, "g:g.0, h:g.1, u:l.0, v:l.1"); err != nil {
			t.Fatal(err)
		}
		opt := Options{SubgroupSize: rapid.SampledFrom([]int{1, 4, 8, 32}).Draw(t, "sub-group")}
		s, err := Count(k, opt)
		if err != nil {
			t.Fatal(err)
		}
		p, err := transform.Prepare(k)
		if err != nil {
			t.Fatal(err)
		}
		extent, err := p.LocalSize()
		if err != nil {
			t.Fatal(err)
		}
		set, err := k.DomainOf(all)
		if err != nil {
			t.Fatal(err)
		}
		parse := func(text string) expr.Expr {
			e, err := expr.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		load, store := parse(index), parse("(((g*2 + h)*3 + k)*9 + u)*5 + v")
		for range 2 {
			sizes := map[string]int64{"n": int64(small("n", 1, 30)), "m": int64(small("m", 1, 30)), "k": 1, "u": 0} // no inames
			points, err := set.Points(sizes, 100000)
			if err != nil {
				t.Fatal(err)
			}
			for class, bytes := range map[Class]int64{LinesClass: 128, SectorsClass: 32} {
				type unit struct{ g, h, k, subgroup, index int64 }
				loads, stores := map[unit]bool{}, map[unit]bool{}
				first := map[[4]int64]int64{} // value of k of a work-item, at which those of a sub-group begin together
				for _, p := range points {
					item := [4]int64{p[0], p[1], p[3], p[4]}
					if from, seen := first[item]; !seen || p[2] < from {
						first[item] = p[2]
					}
				}
				for _, p := range points {
					at := map[string]int64{"n": sizes["n"], "m": sizes["m"]}
					for i, name := range all {
						at[name] = p[i]
					}
					subgroup := (at["u"] + extent[0]*at["v"]) / int64(opt.SubgroupSize)
					add := func(to map[unit]bool, e expr.Expr) {
						v, err := expr.EvalInt(e, at)
						if err != nil {
							t.Fatal(err)
						}
						to[unit{at["g"], at["h"], at["k"] - first[[4]int64{p[0], p[1], p[3], p[4]}], subgroup, v.Int64() * dtype.Size() / bytes}] = true
					}
					add(loads, load)
					add(stores, store)
				}
				for direction, want := range map[string]int{"load": len(loads), "store": len(stores)} {
					id, err := ParseID(fmt.Sprintf("f_%s_%s", class, direction))
					if err != nil {
						t.Fatal(err)
					}
					v, err := s.Value(id, sizes)
					if err != nil || v != float64(want) {
						t.Fatalf("%s: x[%s] at %v: %s is %v (%v), enumeration gives %d", domain, index, sizes, id, v, err, want)
					}
				}
			}
		}
	})
}
