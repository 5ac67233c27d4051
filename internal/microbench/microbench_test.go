package microbench

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpuperf/internal/source"
	"gpuperf/models"
)

func load(t testing.TB, folders ...string) *Collection {
	t.Helper()
	c, err := Load(folders...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// choose selects by a filter in one text.
func (c *Collection) choose(filter string, match models.Match) ([]Variant, error) {
	f, err := ParseFilter([]string{filter}, match)
	if err != nil {
		return nil, err
	}
	return c.Select(f)
}

// TestSelectionsOfThePaper are those of Stevens and Klöckner, sections 2.2 and 7.1.
func TestSelectionsOfThePaper(t *testing.T) {
	c := load(t)
	matmul := "matmul_sq dtype:float32 lsize_0:16 lsize_1:16 groups_fit:True n:2048,2560,3072,3584"
	for _, s := range []struct {
		filter      string
		want        int
		first, last string
	}{
		{
			matmul + " prefetch:True", 4,
			"matmul_sq dtype:float32 prefetch:True lsize_0:16 lsize_1:16 groups_fit:True n:2048",
			"matmul_sq dtype:float32 prefetch:True lsize_0:16 lsize_1:16 groups_fit:True n:3584",
		},
		{
			matmul, 8,
			"matmul_sq dtype:float32 prefetch:True lsize_0:16 lsize_1:16 groups_fit:True n:2048",
			"matmul_sq dtype:float32 prefetch:False lsize_0:16 lsize_1:16 groups_fit:True n:3584",
		},
		{
			"flops_madd_pattern dtype:float32 lsize_0:16 lsize_1:16 groups_fit:True lid_stride_0:1 lid_stride_1:2048" +
				" nelements:524288,786432,1048576,1310720 m:1024,1152,1280,1408", 16,
			"flops_madd_pattern dtype:float32 lsize_0:16 lsize_1:16 groups_fit:True lid_stride_0:1 lid_stride_1:2048 nelements:524288 m:1024",
			"flops_madd_pattern dtype:float32 lsize_0:16 lsize_1:16 groups_fit:True lid_stride_0:1 lid_stride_1:2048 nelements:1310720 m:1408",
		},
	} {
		got, err := c.choose(s.filter, "")
		if err != nil {
			t.Errorf("%s: %v", s.filter, err)
			continue
		}
		if len(got) != s.want || got[0].String() != s.first || got[len(got)-1].String() != s.last {
			t.Errorf("%s: %d variants from %s to %s", s.filter, len(got), got[0], got[len(got)-1])
		}
	}
}

func TestMatchConditions(t *testing.T) {
	dir := t.TempDir()
	for name, tags := range map[string]string{"ab": `["ab", "x", "y"]`, "cd": `["cd", "x"]`, "ef": `["ef"]`} {
		write(t, dir, name+".star", strings.Replace(tiny, "TAGS", tags, 1))
	}
	c := load(t, dir)
	for _, s := range []struct {
		tags  string
		match models.Match
		want  string // generators of ours; "" none
	}{
		{"x", models.Superset, "ab cd"},
		{"x", "", "ab cd"},
		{"x y", models.Superset, "ab"},
		{"x ef", models.Superset, ""},
		{"x ef", models.Intersect, "ab cd ef"},
		{"y", models.Intersect, "ab"},
		{"cd x ef", models.Subset, "cd ef"},
		{"x y", models.Subset, ""},
		{"ab y x", models.Subset, "ab"},
		{"x cd", models.Identical, "cd"},
		{"x", models.Identical, ""},
		{"ef", models.Identical, "ef"},
		{"ef cd x", models.Identical, ""},
		{"", models.Intersect, ""},
		{"", models.Subset, ""},
	} {
		got, err := c.choose(s.tags, s.match)
		var names []string
		for _, v := range got {
			if !slices.Contains(names, v.Generator) {
				names = append(names, v.Generator)
			}
		}
		if strings.Join(names, " ") != s.want || (err == nil) != (s.want != "") {
			t.Errorf("%q under %q: generators %v, error %v, want %q", s.tags, s.match, names, err, s.want)
		}
	}
	all, err := c.choose("", models.Superset)
	if err != nil || all[0].Generator != "ab" {
		t.Errorf("no tag selects all generators: %v, %v", all[0], err)
	}
}

// tiny is a generator of the tests.
const tiny = `"""Adds one."""
tags = TAGS
args = {"dtype": ["float32", "float64"], "n": integers([4, 8], multiple_of = 4, max = 1000), "lsize": choices([2], also = [4])}
sizes = ["n"]
def check(n, lsize, **_):
    return "n:%d is odd" % n if n == 12 and lsize == 4 else None
def kernel(dtype, lsize):
    knl = lp.make_kernel("{[i]: 0<=i<n}", "y[i] = x[i] + 1", assumptions = "n >= 4")
    knl = lp.split_iname(knl, "i", lsize, outer_tag = "g.0", inner_tag = "l.0")
    return lp.add_dtypes(knl, {"x": dtype, "y": dtype})
`

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestNarrowing(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "tiny.star", strings.Replace(tiny, "TAGS", `["tiny"]`, 1))
	c := load(t, dir)
	for _, s := range []struct {
		filter string
		want   string // "n/lsize" of the variants
	}{
		{"tiny dtype:float32", "4/2 8/2"},
		{"tiny dtype:float32 n:8,4,8", "8/2 4/2"},
		{"tiny dtype:float32 n:12 lsize:4,2", "12/2"}, // the combination 12/4 is not possible, both values occur
		{"tiny dtype:float32 n:8,12 lsize:4,2", "8/4 8/2 12/2"},
		{"tiny dtype:float64 n:100", "100/2"},
	} {
		got, err := c.choose(s.filter, "")
		if err != nil && s.filter != "tiny dtype:float32 n:12 lsize:4,2" {
			t.Errorf("%s: %v", s.filter, err)
			continue
		}
		if s.filter == "tiny dtype:float32 n:12 lsize:4,2" {
			// lsize:4 was asked for and occurs in no variant
			if err == nil || !strings.Contains(err.Error(), "lsize:4 is in no variant: n:12 is odd") {
				t.Errorf("%s: %v", s.filter, err)
			}
			continue
		}
		var list []string
		for _, v := range got {
			list = append(list, v.Args[1].Value.String()+"/"+v.Args[2].Value.String())
		}
		if strings.Join(list, " ") != s.want {
			t.Errorf("%s: %v, want %s", s.filter, list, s.want)
		}
	}
}

func TestErrors(t *testing.T) {
	c := load(t)
	for _, s := range []struct {
		filter string
		match  models.Match
		want   []string
	}{
		{"matmul", "", []string{"no generator has the tag matmul", "tags are axpy, barrier_local, ", "matmul_sq"}},
		{"matmul_qs", "", []string{"did you mean matmul_sq?"}},
		{"matmul_sq gmem_pattern", "", []string{"no generator matches the tags matmul_sq, gmem_pattern under the condition superset", "intersect"}},
		{"matmul_sq dtyp:float32", "", []string{"no selected generator has an argument dtyp; did you mean dtype?", "arguments are dtype, groups_fit, "}},
		{"matmul_sq m:3", "", []string{"no selected generator has an argument m"}},
		{"matmul_sq dtype:float16", "", []string{"dtype:float16 is not allowed", "dtype of matmul_sq may be float32, float64"}},
		{"matmul_sq dtype:float32,float16", "", []string{"dtype:float16 is not allowed"}},
		{"matmul_sq prefetch:true", "", []string{"prefetch:true is not allowed", "True, False"}},
		{"matmul_sq lsize_0:12", "", []string{"lsize_0 of matmul_sq may be 16 (also 4, 8, 32)"}},
		{"matmul_sq n:0", "", []string{"any integer from 1"}},
		{"matmul_sq n:1000", "", []string{"generator matmul_sq has no variant for this filter: n:1000 is no multiple of lsize_0:16"}},
		{"matmul_sq n:1000,2048", "", []string{"n:1000 is in no variant: n:1000 is no multiple of lsize_0:16"}},
		{"matmul_sq prefetch:True lsize_0:8", "", []string{"prefetch:True needs square work-groups"}},
		{"flops_add_pattern m:100", "", []string{"m:100 is not allowed", "any multiple of 64 from 1"}},
		{"flops_add_pattern m:0128", "", []string{"m:0128 is not allowed"}},
		{"flops_add_pattern nelements:524289", "", []string{"no multiple of 32768"}},
		{"flops_add_pattern lid_stride_1:2047", "", []string{"stride 16 of g0 does not go into 2047 of l1"}},
		{"flops_add_pattern lid_stride_1:8", "", []string{"16 work-items at stride 1 overlap the next stride, 8"}},
		{"gmem_pattern lid_stride_1:0", "", []string{"lid_stride_1 must be at least 1"}},
		{"gmem_pattern gid_stride_0:1", "", []string{"stride 1 of g0 does not go into 1 of l0"}},
		{"gmem_pattern lsize_1:1", "", []string{"lsize_1 is 1, so lid_stride_1 must be 0"}},
		{"gmem_pattern gid_stride_1:2", "", []string{"the largest stride, 2048, is a local one"}},
		{"gmem_pattern lid_stride_0:9223372036854775808", "", []string{"is not allowed"}},
		{"lmem_pattern lid_stride_0:8", "", []string{"16 work-items along lid(1) have no room within lid_stride_0:8"}},
		{"lmem_pattern dtype:float64 lid_stride_0:32", "", []string{"69632 bytes of local memory, more than 49152"}},
		{"finite_diff lsize_0:16 lsize_1:18", "", []string{"tiles are square"}},
		{"finite_diff n:8192 lsize_0:16", "", []string{"n:8192 is no multiple of 14, what a work-group of 16 work-items in a row computes"}},
		{"dg_diff nelements:1000", "", []string{"nelements of dg_diff may be 65536, ", "any multiple of 16 from 1"}},
		{"dg_diff variant:prefetch", "", []string{"variant of dg_diff may be basic, prefetch_u, prefetch_diff_mat, prefetch_diff_mat_T"}},
		{"axpy n:1000", "", []string{"n:1000 is no multiple of lsize_0:256 (groups_fit:True)"}},
		{"vary_flops n_flops:129", "", []string{"any integer from 1 to 128"}},
		{"n:", "", []string{`1:3: "" is no value of n`, "n:\n      ^"}},
		{"matmul_sq n:1,,2", "", []string{"1:15: ", "\n                  ^"}},
		{"matmul_sq n:1:2", "", []string{`"1:2" is no value`}},
		{"matmul_sq 2x", "", []string{`1:11: "2x" is no tag`}},
		{"n:1 n:2", "", []string{"1:5: ", "argument n is given twice", "n:a,b"}},
		{"matmul_sq", "supreset", []string{`unknown match condition "supreset"`, "did you mean superset?"}},
	} {
		_, err := c.choose(s.filter, s.match)
		if err == nil {
			t.Errorf("%s: no error", s.filter)
			continue
		}
		for _, w := range s.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: error\n%v\nlacks %q", s.filter, err, w)
			}
		}
	}
	many := make([]string, 400)
	for i := range many {
		many[i] = Value{Kind: IntValue, Int: int64(i+1) * 64}.String()
	}
	list := strings.Join(many, ",")
	if _, err := c.choose("flops_add_pattern nelements:"+list+" m:"+list, ""); err == nil || !strings.Contains(err.Error(), "more than 100000 variants") {
		t.Errorf("an enormous product: %v", err)
	}
}

// TestIdentity: a variant's identity, read as a filter, selects that variant.
func TestIdentity(t *testing.T) {
	c := load(t)
	all, err := c.choose("", "")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, v := range all {
		if seen[v.String()] {
			t.Errorf("two variants are %s", v)
		}
		seen[v.String()] = true
		again, err := c.choose(v.String(), "")
		if err != nil || len(again) != 1 || again[0].String() != v.String() {
			t.Errorf("%s selects %v, %v", v, again, err)
		}
		if len(v.Tags) != len(v.Args)+len(v.generator.Tags) || len(v.Sizes) == 0 {
			t.Errorf("%s has tags %v and sizes %v", v, v.Tags, v.Sizes)
		}
	}
}

func TestVariantsShareKernels(t *testing.T) {
	c := load(t)
	list, err := c.choose("matmul_sq dtype:float32 prefetch:True", "")
	if err != nil {
		t.Fatal(err)
	}
	first, err := list[0].Kernel()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range list[1:] {
		if k, err := v.Kernel(); k != first || err != nil {
			t.Errorf("%s has a kernel of its own (%v)", v, err)
		}
	}
	if id := list[0].KernelID(); id != "matmul_sq dtype:float32 prefetch:True lsize_0:16 lsize_1:16 groups_fit:True" {
		t.Errorf("the kernel is %s", id)
	}
}

func TestUserGenerators(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "prelude.star", "one = 1\n")
	write(t, dir, "tiny.star", strings.Replace(tiny, "TAGS", `["tiny"]`, 1)+"unused = one + FLOPS_UNROLL\n")
	write(t, dir, "matmul_sq.star", strings.Replace(tiny, "TAGS", `["matmul_sq"]`, 1))
	c := load(t, dir)
	for _, name := range []string{"tiny", "matmul_sq", "empty_kernel"} {
		if _, err := c.choose(name, ""); err != nil {
			t.Error(err)
		}
	}
	for _, g := range c.Generators() {
		if (g.Name == "matmul_sq") != (g.Name != "tiny" && g.Doc == "Adds one.") {
			t.Errorf("%s comes from %s", g.Name, g.File)
		}
	}
	if _, err := Load(filepath.Join(dir, "absent")); err == nil {
		t.Error("a missing folder was read")
	}
	if _, err := Load(filepath.Join(dir, "tiny.star")); err == nil {
		t.Error("a file was read as a folder")
	}
}

// TestFaultyGenerators: a generator that is wrong is an error that names its file.
func TestFaultyGenerators(t *testing.T) {
	good := strings.Replace(tiny, "TAGS", `["g"]`, 1)
	for _, s := range []struct{ old, new, want string }{
		{`"""Adds one."""`, ``, "no doc string"},
		{`tags = ["g"]`, `tags = "g"`, "tags must be a list of strings"},
		{`tags = ["g"]`, `tags = []`, "tags must be a list of strings"},
		{`tags = ["g"]`, `tags = ["g", "a b"]`, `tag "a b"`},
		{`tags = ["g"]`, `tags = ["h"]`, `its own name is not among its tags`},
		{`args = {`, `argz = {`, "args must be a dict"},
		{`"dtype": [`, `"d-type": [`, "names no argument"},
		{`"dtype": ["float32", "float64"]`, `"dtype": []`, "argument dtype: no value is allowed"},
		{`"dtype": ["float32", "float64"]`, `"dtype": 3`, "argument dtype: 3 is no set of values"},
		{`"dtype": ["float32", "float64"]`, `"dtype": ["a b"]`, "argument dtype:"},
		{`integers([4, 8],`, `integers([3, 8],`, "default 3 is not in the set"},
		{`integers([4, 8],`, `integers([],`, "no default value"},
		{`max = 1000`, `max = -1`, "no multiple of 4 from 1 to -1"},
		{`max = 1000`, `maximum = 1000`, "unexpected keyword argument"},
		{`sizes = ["n"]`, `sizes = ["dtype"]`, "size dtype may be float32"},
		{`sizes = ["n"]`, `sizes = ["q"]`, "size q is no argument"},
		{`def kernel(`, `def kernal(`, "no function kernel"},
		{`def kernel(`, `def kernel(x, `, "missing 1 argument (x)"},
		{`    return lp.add_dtypes`, `    lp.add_dtypes`, "returns a NoneType, not a kernel"},
		{`0<=i<n`, `0<=i<n+q`, "the kernel has a parameter q"},
		{`0<=i<n`, `0<=i<>n`, "make_kernel: "},
		{`else None`, `else 3`, "check returns neither None nor a reason"},
		{`check(n,`, `check(n, nn,`, "missing 1 argument (nn)"},
	} {
		dir := t.TempDir()
		text := strings.Replace(good, s.old, s.new, 1)
		if text == good {
			t.Fatalf("%q is not in the generator", s.old)
		}
		write(t, dir, "g.star", text)
		c, err := Load(dir)
		if err == nil {
			var list []Variant
			if list, err = c.choose("g", ""); err == nil {
				_, err = list[0].Kernel()
			}
		}
		if err == nil || !strings.Contains(err.Error(), s.want) || !strings.Contains(err.Error(), "g.star") {
			t.Errorf("%s: error is %v, want %q and the file", s.new, err, s.want)
		}
	}
}

func TestFilterLimit(t *testing.T) {
	_, err := ParseFilter([]string{"a:" + strings.Repeat("1,", 200_000) + "1"}, models.Superset)
	if err != nil {
		t.Errorf("equal values count once: %v", err)
	}
	var values []string
	for n := range 200_000 {
		values = append(values, strconv.Itoa(n))
	}
	_, err = ParseFilter([]string{"a:" + strings.Join(values, ",")}, models.Superset)
	if err == nil || !strings.Contains(err.Error(), "argument a has more than 4096 values, the limit") || len(err.Error()) > 1000 {
		t.Errorf("got %.300v", err)
	}
}

func TestFilterText(t *testing.T) {
	f, err := ParseFilter([]string{"a  b:1,2", "c", "a\td:x"}, models.Intersect)
	if err != nil {
		t.Fatal(err)
	}
	if s := f.String(); s != "a c b:1,2 d:x" {
		t.Errorf("filter is %q", s)
	}
}

// FuzzParseFilter: a filter that is read prints as text that reads the same; a fault is a *source.Error.
func FuzzParseFilter(f *testing.F) {
	for _, s := range []string{"matmul_sq dtype:float32 n:2048,2560", "a:", "a:b,,c", ":x", "a:b:c", "\t a\n", "é:1", "a:é"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		filter, err := ParseFilter([]string{text}, models.Superset)
		if err != nil {
			if _, ok := err.(*source.Error); !ok {
				t.Errorf("%q: %T %v", text, err, err)
			}
			return
		}
		again, err := ParseFilter([]string{filter.String()}, models.Superset)
		if err != nil || again.String() != filter.String() {
			t.Errorf("%q prints as %q, which reads as %q, %v", text, filter, again, err)
		}
	})
}
