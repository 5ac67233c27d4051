package launch

import (
	"math"
	"testing"
)

// siteOf is the site of an array in the script below.
func siteOf(s *Survey, array string) Site {
	for _, u := range s.Uses {
		if u.Array == array {
			return u.Site
		}
	}
	return Site{}
}

// A launch with an edit has the totals of a kernel that is so by itself.
func TestEdits(t *testing.T) {
	const types = `
knl = lp.add_dtypes(knl, {"x": "float32", "y": "float32"})
`
	rows := func(x string) string {
		return `knl = lp.make_kernel("{[g,l,k]: 0<=g<512 and 0<=l<64 and 0<=k<32}", "y[64*g+l] = sum(k, x[` + x + `])", [lp.GlobalArg("x", shape="1048576"), lp.GlobalArg("y", shape="32768")])
knl = lp.tag_inames(knl, "g:g.0, l:l.0")` + types
	}
	copied := func(items string) string {
		return `knl = lp.make_kernel("{[i]: 0<=i<32768}", "y[i] = 2*x[i]")
knl = lp.split_iname(knl, "i", ` + items + `, outer_tag="g.0", inner_tag="l.0")` + types
	}
	triangle := func(items string) string {
		return `knl = lp.make_kernel("{[i,j]: 0<=i<16384 and 0<=j<=i}", "y[i] = sum(j, x[16384*j+i])", [lp.GlobalArg("x", shape="268435456"), lp.GlobalArg("y", shape="16384")])
knl = lp.split_iname(knl, "i", ` + items + `, outer_tag="g.0", inner_tag="l.0")` + types
	}
	branches := func(condition string) string {
		return `knl = lp.make_kernel("{[g,l,k]: 0<=g<512 and 0<=l<64 and 0<=k<32}", """
    <float32> v = x[64*g+l] {id=v}
    v = v*0.5 + 1 {id=step, dep=v, if=` + condition + `, inames=g:l:k}
    y[64*g+l] = v {dep=step}
    """)
knl = lp.tag_inames(knl, "g:g.0, l:l.0")` + types
	}
	fed := func(more, types string) string {
		return `knl = lp.make_kernel("{[g,l]: 0<=g<512 and 0<=l<64}", "y[64*g+l] = x[64*g+l]` + more + `")
knl = lp.tag_inames(knl, "g:g.0, l:l.0")` + types
	}
	for _, c := range []struct {
		name          string
		before, after string
		edit          func(*Survey) Edit
		totals        []string
		within        float64 // of the totals, where some work-groups stand for others
	}{
		{
			"beside", rows("32*(64*g+l)+k"), rows("64*g+l+32768*k"),
			func(s *Survey) Edit { return Edit{Access: map[Site]Effect{siteOf(s, "x"): {Beside: true}}} },
			[]string{"l1_load_bytes", "l2_load_bytes", "dram_read_unit_bytes", "wavefronts", "lines", "global_accesses"},
			0,
		},
		{
			"joined", copied("8"), copied("64"), func(*Survey) Edit { return Edit{Joined: 8} },
			[]string{"l1_load_bytes", "l2_load_bytes", "l2_store_bytes", "dram_read_unit_bytes", "wavefronts", "lines", "groups", "global_accesses", "single_ops", "turnover", "sub_group_share"},
			0,
		},
		{
			"joined, of unequal length", triangle("64"), triangle("256"), func(*Survey) Edit { return Edit{Joined: 4} },
			[]string{"dram_read_unit_bytes", "l2_load_bytes", "dram_rounds", "chain_cycles"},
			0.02,
		},
		{
			"divided", copied("512"), copied("64"), func(*Survey) Edit { return Edit{Divided: 8} },
			[]string{"l2_load_bytes", "wavefronts", "groups", "global_accesses", "turnover", "sub_group_share", "axes"},
			0,
		},
		{
			"together", branches("l % 2 == 0"), branches("l < 32"), func(*Survey) Edit { return Edit{Together: true} }, []string{"single_ops", "divergences", "turns"}, 0,
		},
		{
			"without", fed(" + z[1025*l]", `
knl = lp.add_dtypes(knl, {"x": "float32", "y": "float32", "z": "float32"})`), fed(" + 1.5", types), func(s *Survey) Edit { return Edit{Access: map[Site]Effect{siteOf(s, "z"): {Without: true}}} },
			[]string{"l1_load_bytes", "wavefronts", "global_accesses", "single_ops"},
			0,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, after := compiled(t, c.before), compiled(t, c.after)
			survey, err := before.Survey(nil)
			if err != nil {
				t.Fatal(err)
			}
			changed, err := before.With(nil, c.edit(survey))
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, name := range c.totals {
				ids = append(ids, "f_static_"+name)
			}
			was, is, want := totalsAt(t, before, ids), totalsAt(t, changed, ids), totalsAt(t, after, ids)
			differs := false
			for i, id := range ids {
				differs = differs || was[i] != is[i]
				if math.Abs(is[i]-want[i]) > max(c.within, 1e-9)*want[i] {
					t.Errorf("%s is %g with the edit, %g of the kernel that is so, and was %g", id, is[i], want[i], was[i])
				}
			}
			if !differs {
				t.Error("the edit changes nothing")
			}
		})
	}
}

func totalsAt(t *testing.T, p *Program, ids []string) []float64 {
	t.Helper()
	list, err := p.Totals(nil, ids)
	if err != nil {
		t.Fatal(err)
	}
	return list
}
