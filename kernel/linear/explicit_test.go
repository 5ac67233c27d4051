package linear_test

import (
	"fmt"
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/transform"
)

// written is a kernel whose program is that of its text: each statement depends on the one before, and barriers are explicit.
func written(t testing.TB, domains []string, text, tags string, priorities ...[]string) *linear.Nest {
	t.Helper()
	shape := func(n int64) []expr.Expr { return []expr.Expr{expr.Int{Value: n}} }
	k, err := kernel.Make(kernel.Spec{
		Domains: domains, Instructions: text,
		Args:  []*kernel.Array{{Name: "x", DType: "float32", Shape: shape(1 << 20)}, {Name: "y", DType: "float32", Shape: shape(1 << 20)}},
		Temps: []*kernel.Array{{Name: "s", DType: "float32", Space: kernel.Local, Shape: shape(64)}, {Name: "v", DType: "float32", Space: kernel.Private, PerItem: true, Shape: []expr.Expr{}}},
	})
	if err == nil {
		k, err = transform.TagInames(k, tags)
	}
	if err != nil {
		t.Fatal(err)
	}
	k.ExplicitBarriers = true
	for i, s := range k.Statements {
		if s.Deps = nil; i > 0 {
			s.Deps = []string{k.Statements[i-1].ID}
		}
	}
	k.Priorities = priorities
	n, err := linear.New(k)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestExplicitBarriers: loops are neither joined nor moved, barriers stay where they are, in loops and under conditions too, and none is added.
func TestExplicitBarriers(t *testing.T) {
	for _, c := range []struct {
		name, domain, text, tags, want string
		barriers                       int
	}{
		{
			"two loops over the same values", "{[g,l,j,k]: 0<=g<n and 0<=l<64 and 0<=j,k<4}", `
			v = 0                   {id=a, inames=g:l}
			v = v + x[64*g + l + j] {id=b}
			v = v*2                 {id=c, inames=g:l}
			v = v + y[64*g + l + k] {id=d}
			y[64*g + l] = v         {id=e}`, "g:g.0, l:l.0", `
			a: v = 0
			for j = 0 .. 3
			    b: v = v + x[64*gid(0) + lid(0) + j]
			c: v = v*2
			for k = 0 .. 3
			    d: v = v + y[64*gid(0) + lid(0) + k]
			e: y[64*gid(0) + lid(0)] = v`, 0,
		},
		{
			"barriers in a loop, of which one is not needed", "{[g,l,k]: 0<=g<n and 0<=l<64 and 0<=k<4}", `
			v = 0               {id=z, inames=g:l}
			s[l] = x[64*k + l]  {id=a, inames=g:l:k}
			... lbarrier        {id=b, inames=g:k}
			v = v + s[63 - l]   {id=c, inames=g:l:k}
			... lbarrier        {id=d, inames=g:k, mem_kind=global}
			... lbarrier        {id=e, inames=g}
			y[64*g + l] = v     {id=f}`, "g:g.0, l:l.0", `
			z: v = 0
			for k = 0 .. 3
			    a: s[lid(0)] = x[64*k + lid(0)]
			    barrier local (statement b)
			    c: v = v + s[63 - lid(0)]
			    barrier global (statement d)
			barrier local (statement e)
			f: y[64*gid(0) + lid(0)] = v`, 3,
		},
		{
			"a barrier under a condition, and a race", "{[g,l]: 0<=g<n and 0<=l<64}; {[h,m]: 2<=h<n and 0<=m<64}", `
			s[0] = x[64*g + l]  {id=a}
			s[m] = x[64*h + m]  {id=b}
			... lbarrier        {id=c, inames=h:m}
			y[64*h + m] = s[0]  {id=d, if=n > 9}
			... lbarrier        {id=e, inames=g:l, if=n > 9}
			y[64*g + l] = s[1]  {id=f}`, "g:g.0, l:l.0, h:g.0, m:l.0", `
			a: s[0] = x[64*gid(0) + lid(0)]
			if gid(0) >= 2
			    b: s[lid(0)] = x[64*gid(0) + lid(0)]
			    barrier local (statement c)
			    if n > 9
			        d: y[64*gid(0) + lid(0)] = s[0]
			if n > 9
			    barrier local (statement e)
			f: y[64*gid(0) + lid(0)] = s[1]`, 2,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := written(t, strings.Split(c.domain, ";"), c.text, c.tags)
			_, got, _ := strings.Cut(n.String(), "\n")
			if want := strings.ReplaceAll(strings.TrimPrefix(c.want, "\n"), "\t", ""); strings.TrimSpace(got) != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			list, err := n.Barriers()
			if err != nil || len(list) != c.barriers {
				t.Errorf("%d barriers (%v)", len(list), err)
			}
		})
	}
}

// TestPrioritiesKeepUnrolledLoopsOutside: unrolled loops are inside others unless priorities say what the text has.
func TestPrioritiesKeepUnrolledLoopsOutside(t *testing.T) {
	n := written(t, []string{"{[l,u,k]: 0<=l<64 and 0<=u,k<4}"}, "v = v + x[u + k] {id=a, inames=l:u:k}", "l:l.0, u:unr", []string{"u", "k"})
	if want := "unroll u = 0 .. 3\n    for k = 0 .. 3\n"; !strings.Contains(n.String(), want) {
		t.Errorf("%s\nwant\n%s", n, want)
	}
}

// BenchmarkWritten linearizes a text of 300 statements in 30 loops, with 30 barriers.
func BenchmarkWritten(b *testing.B) {
	domains := []string{"{[g,l]: 0<=g<n and 0<=l<64}"}
	var text strings.Builder
	for i := range 30 {
		domains = append(domains, fmt.Sprintf("{[k%d]: 0<=k%[1]d<n}", i))
		for range 9 {
			fmt.Fprintf(&text, "s[l] = s[l] + x[64*g + l + k%d] {inames=g:l:k%[1]d}\n", i)
		}
		fmt.Fprintf(&text, "... lbarrier {inames=g:l:k%d}\n", i)
	}
	k := written(b, domains, text.String(), "g:g.0, l:l.0").Kernel
	for b.Loop() {
		if _, err := linear.New(k); err != nil {
			b.Fatal(err)
		}
	}
}
