package transform_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"gpuperf/kernel"
	"gpuperf/kernel/linear"
	"gpuperf/kernel/transform"
)

// randomSpecs are small kernels to transform at random.
var randomSpecs = []kernel.Spec{
	{Domains: []string{"{[i,j,k]: 0<=i,j,k<n}"}, Instructions: "c[i,j] = sum(k, a[i,k]*b[k,j])", DTypes: f32},
	{Domains: []string{"{[i,j]: 0<=i,j<n}"}, Instructions: "c[i,j] = a[i,j+1] - 2*a[i+1,j] + a[i+2,j+1]", DTypes: onlyA},
	{Domains: []string{"{[i,j]: 0<=j<=i<n}"}, Instructions: "<> t = a[i,j]*2 {id=t}\nc[i,j] = t + b[j] {id=c}", DTypes: f32},
	{Domains: []string{"{[i,m,k]: 0<=i<n and 0<=m<3 and 0<=k<n}"}, Instructions: "c[m,i] = sum(k, a[m,k]*b[i,k])", DTypes: f32},
	{Domains: []string{"{[i,k]: 0<=i<n and 0<=k<n}"}, Instructions: "<> s = 0.0f {id=init, inames=i}\ns = s + a[i]*b[k] {id=up}\nc[i] = s {id=out}\nd[i] = c[i] + s {id=more}", DTypes: f32},
	ragged,
}

// TestRandomTransformations applies random transformations to small kernels. What is not refused must leave the result
// as it was, without races and accesses out of bounds.
func TestRandomTransformations(t *testing.T) {
	ran, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		plain, err := kernel.Make(rapid.SampledFrom(randomSpecs).Draw(t, "kernel"))
		if err != nil {
			t.Fatal(err)
		}
		k := plain
		var done []string
		for range rapid.IntRange(1, 7).Draw(t, "steps") {
			name, next, err := randomStep(t, k)
			if err != nil {
				refused++
				continue
			}
			if next.Check() != nil {
				refused++ // a tag that only makes sense with a later step
				continue
			}
			k, done = next, append(done, name)
		}
		if nest, err := linear.New(k); err != nil || nest.Kernel.Launchable() != nil || redundant(nest.Kernel) {
			refused++
			return
		}
		params := map[string]int64{"n": rapid.Int64Range(1, 6).Draw(t, "n")}
		want, err := run(plain, params)
		if err != nil {
			t.Fatal(err)
		}
		got, err := run(k, params)
		if err == nil {
			err = same(want, got)
		}
		if err != nil {
			t.Fatalf("%v at %v: %v\n%s", done, params, err, k)
		}
		ran++
	})
	if ran == 0 {
		t.Error("no transformed kernel ran")
	}
	t.Logf("%d kernels ran, %d steps or kernels were refused", ran, refused)
}

func randomStep(t *rapid.T, k *kernel.Kernel) (name string, out *kernel.Kernel, err error) {
	iname := rapid.SampledFrom(k.Inames()).Draw(t, "iname")
	other := rapid.SampledFrom(k.Inames()).Draw(t, "other")
	array := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "array")
	stmt := rapid.SampledFrom(k.Statements).Draw(t, "statement").ID
	both := []string{iname}
	if other != iname {
		both = append(both, other)
	}
	switch rapid.SampledFrom([]string{"split", "split", "tag", "tag", "tag", "prefetch", "prefetch", "realize", "privatize", "duplicate", "layout", "rename", "prioritize", "within", "join", "chunk", "map", "extract", "precompute", "unused", "axes"}).Draw(t, "step") {
	case "split":
		n := rapid.Int64Range(1, 4).Draw(t, "length")
		out, err = transform.SplitIname(k, iname, n, transform.Split{})
		return fmt.Sprintf("split %s %d", iname, n), out, err
	case "tag":
		tag := rapid.SampledFrom([]string{"g.0", "g.1", "l.0", "l.1", "unr", "ilp", "for"}).Draw(t, "tag")
		out, err = transform.TagInames(k, iname+":"+tag)
		return fmt.Sprintf("tag %s %s", iname, tag), out, err
	case "prefetch":
		opt := transform.Prefetch{BoundingBox: rapid.Bool().Draw(t, "box"), Tag: rapid.SampledFrom([]string{"", "for"}).Draw(t, "tag")}
		out, err = transform.AddPrefetch(k, array, both, opt)
		return fmt.Sprintf("prefetch %s %v %+v", array, both, opt), out, err
	case "realize":
		out, err = transform.RealizeReduction(k)
		return "realize", out, err
	case "privatize":
		out, err = transform.PrivatizeTemporaries(k, []string{iname})
		return "privatize " + iname, out, err
	case "duplicate":
		out, err = transform.DuplicateInames(k, both, "id:"+stmt)
		return fmt.Sprintf("duplicate %v %s", both, stmt), out, err
	case "layout":
		layout := rapid.SampledFrom([]string{"f", "N0,N1", "N1,N0"}).Draw(t, "layout")
		out, err = transform.TagDataAxes(k, array, layout)
		return fmt.Sprintf("layout %s %s", array, layout), out, err
	case "rename":
		out, err = transform.RenameIname(k, iname, iname+"_x")
		return "rename " + iname, out, err
	case "join":
		out, err = transform.JoinInames(k, both, "", "")
		return fmt.Sprintf("join %v", both), out, err
	case "chunk":
		out, err = transform.ChunkIname(k, iname, rapid.Int64Range(1, 4).Draw(t, "chunks"), transform.Split{})
		return "chunk " + iname, out, err
	case "map":
		to := rapid.SampledFrom([]string{"-%s", "2%s + 1", "%s - n"}).Draw(t, "map")
		out, err = transform.MapDomain(k, fmt.Sprintf("[n] -> {[%s] -> [%s_m] : %s_m = "+to+"}", iname, iname, iname, iname))
		return "map " + iname + " " + to, out, err
	case "extract":
		out, err = transform.ExtractSubst(k, "f", rapid.SampledFrom([]string{"a[p,q]", "b[q,p]", "a[p]*b[q]", "2*p"}).Draw(t, "template"), []string{"p", "q"})
		return "extract", out, err
	case "precompute":
		out, err = transform.Precompute(k, "f", both, transform.Prefetch{Tag: rapid.SampledFrom([]string{"", "for"}).Draw(t, "tag")})
		return fmt.Sprintf("precompute %v", both), out, err
	case "unused":
		out, err = transform.RemoveUnusedInames(k)
		return "unused", out, err
	case "axes":
		out, err = transform.AddInamesForUnusedAxes(k, "id:"+stmt)
		return "axes " + stmt, out, err
	case "prioritize":
		out, err = transform.PrioritizeLoops(k, both)
		return fmt.Sprintf("prioritize %v", both), out, err
	}
	out, err = transform.AddInamesToInsn(k, []string{iname}, "id:"+stmt)
	return fmt.Sprintf("add %s to %s", iname, stmt), out, err
}

// redundant reports whether some statement is not within all the hardware axes in use, so that several work-items run it
// alike: all of them write the same value, which the interpreter takes for a race.
func redundant(k *kernel.Kernel) bool {
	all := map[kernel.Tag]bool{}
	axes := func(s *kernel.Stmt) map[kernel.Tag]bool {
		out := map[kernel.Tag]bool{}
		for _, n := range s.Inames {
			if tag := k.Tags[n]; tag.Parallel() {
				out[tag], all[tag] = true, true
			}
		}
		return out
	}
	var each []map[kernel.Tag]bool
	for _, s := range k.Statements {
		if a := axes(s); k.SpaceOf(k.Writes(s)[0].Array) == kernel.Global {
			each = append(each, a)
		}
	}
	for _, a := range each {
		if len(a) < len(all) {
			return true
		}
	}
	return false
}
