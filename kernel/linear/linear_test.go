package linear_test

import (
	"slices"
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/transform"
)

type step func(*kernel.Kernel) (*kernel.Kernel, error)

func tag(text string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.TagInames(k, text) }
}

func split(iname string, n int64, tags ...string) step {
	opt := transform.Split{}
	if len(tags) == 2 {
		opt.OuterTag, opt.InnerTag = tags[0], tags[1]
	}
	return func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.SplitIname(k, iname, n, opt) }
}

func prioritize(inames ...string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.PrioritizeLoops(k, inames) }
}

func assume(text string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) { return k.Assume(text) }
}

func fetch(array string, sweep ...string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) {
		return transform.AddPrefetch(k, array, sweep, transform.Prefetch{})
	}
}

func local(name string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) {
		return transform.SetTemporaryAddressSpace(k, []string{name}, kernel.Local)
	}
}

func layout(name, text string) step {
	return func(k *kernel.Kernel) (*kernel.Kernel, error) { return transform.TagDataAxes(k, name, text) }
}

func linearize(t testing.TB, domains, instructions string, steps ...step) (*linear.Nest, error) {
	t.Helper()
	spec := kernel.Spec{Domains: strings.Split(domains, ";"), Instructions: instructions, DTypes: map[string]expr.DType{}}
	ins, err := kernel.ParseInstructions(instructions)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range ins.Statements {
		if s.RHS == nil {
			continue
		}
		for _, a := range expr.Accesses(s.RHS) {
			if len(a.Array) == 1 {
				spec.DTypes[a.Array] = expr.Float32
			}
		}
	}
	k, err := kernel.Make(spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range steps {
		if k, err = s(k); err != nil {
			t.Fatal(err)
		}
	}
	return linear.New(k)
}

func TestPrograms(t *testing.T) {
	for _, c := range []struct {
		name, domains, instructions string
		steps                       []step
		want                        string
	}{
		{
			"the loop that more statements are in is outside", "{[i,j]: 0<=i<n and 0<=j<m}", `
				<> t = x[i]  {id=a}
				y[i,j] = t   {dep=a}`, nil, `
			groups (1, 1, 1), work-items (1, 1, 1)
			for i = 0 .. n - 1
			    if m > 0
			        a: t = x[i]
			    for j = 0 .. m - 1
			        insn: y[i, j] = t`,
		},
		{
			"priorities choose among equals", "{[i,j]: 0<=i<n and 0<=j<m}", "y[i,j] = x[i]", []step{prioritize("j", "i")}, `
			groups (1, 1, 1), work-items (1, 1, 1)
			for j = 0 .. m - 1
			    for i = 0 .. n - 1
			        insn: y[i, j] = x[i]`,
		},
		{
			"unrolled loops go inside", "{[u,i]: 0<=i<n and 0<=u<4}", "y[i,u] = x[i]", []step{tag("u:unr")}, `
			groups (1, 1, 1), work-items (1, 1, 1)
			for i = 0 .. n - 1
			    unroll u = 0 .. 3
			        insn: y[i, u] = x[i]`,
		},
		{
			"interleaved iterations are inside all loops", "{[i,k]: 0<=i<4 and 0<=k<n}", "y[i] = sum(k, x[k]*a[i])", []step{tag("i:ilp"), assume("n >= 1")}, `
			groups (1, 1, 1), work-items (1, 1, 1)
			unroll i = 0 .. 3
			    insn_k_init: acc_k[i] = 0.0f
			for k = 0 .. n - 1
			    unroll i_0 = 0 .. 3
			        insn_k_update: acc_k[i_0] = acc_k[i_0] + x[k]*a[i_0]
			unroll i_1 = 0 .. 3
			    insn: y[i_1] = acc_k[i_1]`,
		},
		{
			"parts by how many iterations a loop further inside has are one",
			"{[i,ki,ko]: 0<=i<n and 0<=ki<=2 and 3*floor((ki - n)/3) + 3 <= ki <= n + 3*floor((ki - n)/3) + 2 and 0 <= ki + 3*ko < n}", "y[i] = x[i] {inames=i}", nil, `
			groups (1, 1, 1), work-items (1, 1, 1)
			for i = 0 .. n - 1
			    insn: y[i] = x[i]`,
		},
		{
			"strides are steps", "{[i]: 0<=i<n and i % 3 = 1}", "y[i] = x[i]", nil, `
			groups (1, 1, 1), work-items (1, 1, 1)
			for i = 1 .. n - 1 step 3
			    insn: y[i] = x[i]`,
		},
		{
			"what differs between statements of a loop is guarded", "{[i,j]: 0<=i<n and 0<=j<=i}", `
				y[i] = 0 {id=z}
				y[i] = y[i] + x[j] {dep=z}`, []step{split("i", 4, "g.0", "l.0")}, `
			groups (floor((n + 3)/4), 1, 1), work-items (4, 1, 1)
			if 4*gid(0) + lid(0) < n
			    z: y[4*gid(0) + lid(0)] = 0
			    for j = 0 .. 4*gid(0) + lid(0)
			        insn: y[4*gid(0) + lid(0)] = y[4*gid(0) + lid(0)] + x[j]`,
		},
		{
			"a tile in a loop needs two barriers", "{[g,l,m,k]: 0<=g<n and 0<=l,m<16 and 0<=k<n}", `
				<> s[l] = x[k, l]        {id=fill}
				y[g, k, m] = s[15 - m]   {id=use, dep=fill}`, []step{tag("g:g.0, l:l.0, m:l.0"), local("s")}, `
			groups (n, 1, 1), work-items (16, 1, 1)
			for k = 0 .. n - 1
			    barrier local (s: read by use, written by fill)
			    fill: s[lid(0)] = x[k, lid(0)]
			    barrier local (s: written by fill, read by use)
			    use: y[gid(0), k, lid(0)] = s[15 - lid(0)]`,
		},
		{
			"rows of a tile with padding are different elements", "{[q,r,l,m]: 0<=q,r<4 and 0<=l,m<16}", `
				<> s[r, l] = x[r, l]     {id=fill}
				y[q, m] = s[q, 15 - m]   {id=use, dep=fill}`, []step{tag("l:l.0, m:l.0"), local("s"), layout("s", "stride:17, stride:1")}, `
			groups (1, 1, 1), work-items (16, 1, 1)
			for r = 0 .. 3
			    fill: s[r, lid(0)] = x[r, lid(0)]
			barrier local (s: written by fill, read by use)
			for q = 0 .. 3
			    use: y[q, lid(0)] = s[q, 15 - lid(0)]`,
		},
		{
			"rows of a tile that overlap are not", "{[q,r,l,m]: 0<=q,r<4 and 0<=l,m<16}", `
				<> s[r, l] = x[r, l]     {id=fill}
				y[q, m] = s[q, 15 - m]   {id=use, dep=fill}`, []step{tag("l:l.0, m:l.0"), local("s"), layout("s", "stride:15, stride:1")}, `
			groups (1, 1, 1), work-items (16, 1, 1)
			for r = 0 .. 3
			    barrier local (s: written by fill, written by fill)
			    fill: s[r, lid(0)] = x[r, lid(0)]
			barrier local (s: written by fill, read by use)
			for q = 0 .. 3
			    use: y[q, lid(0)] = s[q, 15 - lid(0)]`,
		},
		{
			"work-items that keep to themselves need none", "{[g,l,m,k]: 0<=g<n and 0<=l,m<16 and 0<=k<n}", `
				<> s[l] = x[k, l]       {id=fill}
				y[g, k, m] = s[m]       {id=use, dep=fill}`, []step{tag("g:g.0, l:l.0, m:l.0"), local("s")}, `
			groups (n, 1, 1), work-items (16, 1, 1)
			for k = 0 .. n - 1
			    fill: s[lid(0)] = x[k, lid(0)]
			    use: y[gid(0), k, lid(0)] = s[lid(0)]`,
		},
		{
			"one work-item writes what has no iname on the axis", "{[g,l,r]: 0<=g<n and 0<=l<16 and 0<=r<16}", `
				<> s = 0                 {id=init}
				s = s + x[r]             {id=add, dep=init}
				y[g, l] = s*x[l]         {id=use, dep=add}`, []step{tag("g:g.0, l:l.0"), local("s")}, `
			groups (n, 1, 1), work-items (16, 1, 1)
			if lid(0) = 0
			    init: s = 0
			    for r = 0 .. 15
			        add: s = s + x[r]
			barrier local (s: written by add, read by use)
			use: y[gid(0), lid(0)] = s*x[lid(0)]`,
		},
		{
			"a barrier of the user's", "{[i,k]: 0<=i<16 and 0<=k<n}", `
				y[i,k] = x[i]   {id=a}
				... lbarrier    {id=b, inames=k, dep=a}
				z[i,k] = x[i]   {id=c, dep=b}`, []step{tag("i:l.0")}, `
			groups (1, 1, 1), work-items (16, 1, 1)
			for k = 0 .. n - 1
			    a: y[lid(0), k] = x[lid(0)]
			    barrier local (statement b)
			    c: z[lid(0), k] = x[lid(0)]`,
		},
		{
			"the user's word against a barrier", "{[i,j]: 0<=i,j<16}", `
				y[i] = x[i]       {id=a}
				z[j] = y[j*j]   {id=b, dep=a, nosync@global=a}`, []step{tag("i:l.0, j:l.0")}, `
			groups (1, 1, 1), work-items (16, 1, 1)
			a: y[lid(0)] = x[lid(0)]
			b: z[lid(0)] = y[lid(0)*lid(0)]`,
		},
		{
			"of another address space it is no use", "{[i,j]: 0<=i,j<16}", `
				y[i] = x[i]       {id=a}
				z[j] = y[j*j]   {id=b, dep=a, nosync@local=a}`, []step{tag("i:l.0, j:l.0")}, `
			groups (1, 1, 1), work-items (16, 1, 1)
			a: y[lid(0)] = x[lid(0)]
			barrier global (y: written by a, read by b)
			b: z[lid(0)] = y[lid(0)*lid(0)]`,
		},
		{
			"priority before the order of the text", "{[i,j]: 0<=i,j<n}", `
				y[i] = x[i]       {id=a}
				z[j] = x[j]       {id=b, priority=1}
				... nop           {id=c}
				w = 1.0f          {id=d, dep=b}`, nil, `
			groups (1, 1, 1), work-items (1, 1, 1)
			for j = 0 .. n - 1
			    b: z[j] = x[j]
			for i = 0 .. n - 1
			    a: y[i] = x[i]
			d: w = 1.0f`,
		},
		{
			"global memory within a group", "{[i,j]: 0<=i,j<16}", `
				y[i] = x[i]       {id=a}
				z[j] = y[15 - j]  {id=b, dep=a}`, []step{tag("i:l.0, j:l.0")}, `
			groups (1, 1, 1), work-items (16, 1, 1)
			a: y[lid(0)] = x[lid(0)]
			barrier global (y: written by a, read by b)
			b: z[lid(0)] = y[15 - lid(0)]`,
		},
		{
			"a barrier on global memory is one on local memory too", "{[i,j]: 0<=i,j<16}", `
				<> s[i] = x[i]    {id=fill}
				y[i] = x[i]       {id=a}
				z[j] = y[15 - j]  {id=b, dep=a}
				w[j] = s[15 - j]  {id=c, dep=b:fill}`, []step{tag("i:l.0, j:l.0"), local("s")}, `
			groups (1, 1, 1), work-items (16, 1, 1)
			fill: s[lid(0)] = x[lid(0)]
			a: y[lid(0)] = x[lid(0)]
			barrier global (y: written by a, read by b)
			b: z[lid(0)] = y[15 - lid(0)]
			c: w[lid(0)] = s[15 - lid(0)]`,
		},
		{
			"and not the other way round", "{[i,j]: 0<=i,j<16}", `
				<> s[i] = x[i]    {id=fill}
				y[i] = x[i]       {id=a}
				w[j] = s[15 - j]  {id=c, dep=a:fill}
				z[j] = y[15 - j]  {id=b, dep=c}`, []step{tag("i:l.0, j:l.0"), local("s")}, `
			groups (1, 1, 1), work-items (16, 1, 1)
			fill: s[lid(0)] = x[lid(0)]
			a: y[lid(0)] = x[lid(0)]
			barrier local (s: written by fill, read by c)
			c: w[lid(0)] = s[15 - lid(0)]
			barrier global (y: written by a, read by b)
			b: z[lid(0)] = y[15 - lid(0)]`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := linearize(t, c.domains, c.instructions, c.steps...)
			if err != nil {
				t.Fatal(err)
			}
			want := strings.TrimPrefix(strings.ReplaceAll(c.want, "\n\t\t\t", "\n"), "\n") + "\n"
			if got := n.String(); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name, domains, instructions string
		steps                       []step
		want                        []string
	}{
		{
			"loop entered twice", "{[i]: 0<=i<n}", `
				<> t[i] = x[i]             {id=a, inames=i}
				<> s = t[n - 1]            {id=b, dep=a, inames=}
				y[i] = s*t[i]              {id=c, dep=b, inames=i}`,
			[]step{func(k *kernel.Kernel) (*kernel.Kernel, error) {
				return transform.SetTemporaryAddressSpace(k, []string{"t"}, kernel.Global)
			}},
			[]string{"loop i would have to be entered twice", "a before b", "b before c", "duplicate_inames"},
		},
		{
			"loops that cross", "{[i,j]: 0<=i,j<n}", `
				y[i] = 0        {id=a}
				z[j] = 0        {id=b}
				w[i,j] = x[i]   {id=c}`, nil,
			[]string{"loops i and j cannot be nested", "statement c runs in both", "a in i only", "b in j only"},
		},
		{
			"priority against a statement", "{[i,k]: 0<=i,k<n}", "y[i] = sum(k, x[k])",
			[]step{prioritize("k", "i")},
			[]string{"prioritize_loops wants k outside i", "insn_k_init runs in i and not in k"},
		},
		{
			"another group's value", "{[i,j]: 0<=i,j<n}", `
				y[i] = x[i]        {id=a}
				z[j] = y[n-1-j]    {id=b, dep=a}`,
			[]step{tag("i:g.0, j:g.0")},
			[]string{"y: written by a, read by b", "another work-group", "two kernels"},
		},
		{
			"a statement that reads its neighbours", "{[i]: 0<=i<16}", "y[i] = y[15 - i]*x[i]",
			[]step{tag("i:l.0")},
			[]string{"statement insn reads elements of y that other work-items write"},
		},
		{
			"unrolled without constant bounds", "{[i]: 0<=i<n}", "y[i] = x[i]",
			[]step{tag("i:unr")},
			[]string{"loop i is to be unrolled", "not constant"},
		},
		{
			"two inames on an axis", "{[i,j]: 0<=i,j<16}", "y[i,j] = x[i]", []step{func(k *kernel.Kernel) (*kernel.Kernel, error) {
				c := *k
				c.Tags = map[string]kernel.Tag{"i": {Kind: kernel.LocalAxis}, "j": {Kind: kernel.LocalAxis}}
				return &c, nil
			}}, []string{"i", "j"},
		},
		{
			"a barrier between launches", "{[i]: 0<=i<n}", `
				y[i] = x[i]     {id=a}
				... gbarrier    {id=b, dep=a}`, nil,
			[]string{"statement b", "split the kernel"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := linearize(t, c.domains, c.instructions, c.steps...)
			if err == nil {
				t.Fatalf("no error\n%s", n)
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not say %q", err, w)
				}
			}
		})
	}
}

// TestBarriersAreCounted: 2·n/16 for the kernel of Stevens and Klöckner, section 2.1.
func TestBarriersAreCounted(t *testing.T) {
	n, err := linearize(t, "{[i,j,k]: 0<=i,j,k<n}", "c[i,j] = sum(k, a[i,k]*b[k,j])", split("i", 16, "g.1", "l.1"), split("j", 16, "g.0", "l.0"),
		split("k", 16), fetch("a", "i_inner", "k_inner"), fetch("b", "k_inner", "j_inner"), assume("n >= 1"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := n.Barriers()
	if err != nil || len(list) != 2 {
		t.Fatalf("%d barriers, %v", len(list), err)
	}
	for _, b := range list {
		if b.Space != kernel.Local || !slices.Equal(b.Domain.Dims(), []string{"k_outer"}) {
			t.Errorf("barrier %s in %v", b.Space, b.Domain.Dims())
		}
		points, err := b.Domain.Points(map[string]int64{"n": 33}, 100)
		if err != nil || len(points) != 3 {
			t.Errorf("%s: %v %v", b.Domain, points, err)
		}
	}
}

// TestGroupsOfASkewedDomain: projections of the domain on a group axis leave disjuncts without points.
func TestGroupsOfASkewedDomain(t *testing.T) {
	n, err := linearize(t, "{[i,j]: 0<=i<n and i<=j<2*i+3 and (i+j) mod 3 = 1}", "y[i,j] = 1.0f",
		split("i", 3), split("j", 8, "g.0", "l.0"))
	if err != nil {
		t.Fatal(err)
	}
	// Row i ends before 2*i + 3, and its last point is 2*i + 1.
	for size, want := range map[int64]int64{1: 1, 4: 1, 5: 2, 9: 3, 40: 10} {
		got := int64(1 << 62)
		for _, b := range n.Groups[0] {
			num, err := b.Num.Eval(map[string]int64{"n": size})
			if err != nil {
				t.Fatal(err)
			}
			got = min(got, num/b.Den+1)
		}
		if got < want {
			t.Errorf("%d groups for n=%d, and %d are needed", got, size, want)
		}
	}
}

// BenchmarkNew linearizes a tiled matrix multiplication over a grid that its domain does not fill: loops, guards and
// barriers that a few constraints across boxes decide.
func BenchmarkNew(b *testing.B) {
	k, err := kernel.Make(kernel.Spec{
		Domains: []string{
			"{[g0,s0,l0]: 0<=g0<=3 and 0<=s0<=1 and 0<=l0<=7 and 8*g0+l0+32*s0<=50}",
			"{[g1,l1]: 0<=g1<=5 and 0<=l1<=3 and 4*g1+l1<=20}", "{[t,k]: 0<=t<=3 and 0<=k<=7}",
		},
		Instructions: "<float32> s = 0 {id=init, inames=g0:s0:l0:g1:l1}\n" +
			"tile[l1, l0] = x[4*g1 + l1, 8*t + l0] {id=fetch, dep=init, inames=g0:s0:l0:g1:l1:t}\n" +
			"s = s + tile[l1, k]*y[8*t + k, 8*g0 + l0 + 32*s0] {id=add, dep=fetch, inames=g0:s0:l0:g1:l1:t:k}\n" +
			"z[4*g1 + l1, 8*g0 + l0 + 32*s0] = s {id=store, dep=add, inames=g0:s0:l0:g1:l1}",
		DTypes: map[string]expr.DType{"x": "float32", "y": "float32"},
		Temps:  []*kernel.Array{{Name: "tile", DType: "float32", Space: kernel.Local, Shape: []expr.Expr{expr.Int{Value: 4}, expr.Int{Value: 8}}}},
	})
	if err == nil {
		k, err = transform.TagInames(k, "g0:g.0, l0:l.0, g1:g.1, l1:l.1")
	}
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, err := linear.Analyze(k); err != nil {
			b.Fatal(err)
		}
	}
}
