package features

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
	"gpuperf/kernel/script"
	"gpuperf/polycount"
)

// testdata/oracle_cases.json holds kernels of this project's with every count that Loopy (with barvinok) gives for them.
// Its "about" and "meta" describe the form.

type oracleCase struct {
	Name   string
	Kernel struct {
		Name         string
		Domains      []any
		Instructions []any
		Assumptions  any
		DTypes       map[string]any
		Args         []any
	}
	Transforms []map[string]any
	Options    struct {
		SubgroupSize json.RawMessage `json:"subgroup_size"`
		Redundant    bool            `json:"count_redundant_work"`
		IndexOps     bool            `json:"count_within_subscripts"`
		Within       string
	}
	LoopyErrors map[string]string `json:"loopy_errors"`
	FullMaps    []oracleEntry     `json:"full_maps"`
}

type oracleEntry struct {
	Query string
	Key   struct {
		DType       expr.DType
		Name        string
		MType       kernel.Space
		LStrides    map[string]string `json:"lid_strides"`
		GStrides    map[string]string `json:"gid_strides"`
		Direction   Direction
		Variable    string
		Tags        []string    `json:"variable_tags"`
		Granularity Granularity `json:"count_granularity"`
		Kind        string
	}
	Polynomial string
	Valid      string `json:"valid_domain"`
	At         []struct {
		Params   map[string]int64
		Expected json.Number
	}
}

// difference is a key, of a case, that is meant to differ from Loopy's: by itself, or by the count that it has.
type difference struct {
	name, theirs, ours string
	count              string // "" for the same
	why                string
}

var oracleDifferences = []difference{
	{
		"paper_matmul_prefetch_tagged",
		"global float32 load a[] l{0:1;1:n} g{1:16*n} workitem",
		"global float32 load a[aLD] l{0:1;1:n} g{1:16*n} workitem",
		"",
		"the load of a prefetch keeps the tag of the access, by which the paper's models name it",
	},
	{
		"paper_matmul_prefetch_tagged",
		"global float32 load b[] l{0:1;1:n} g{0:16} workitem",
		"global float32 load b[bLD] l{0:1;1:n} g{0:16} workitem",
		"",
		"the load of a prefetch keeps the tag of the access, by which the paper's models name it",
	},
	{
		"stride_index_mod",
		"global float32 load x[] l{0:-15} g{} workitem",
		"global float32 load x[] l{0:?} g{} workitem",
		"",
		"x[i % 16] has no constant stride; Loopy leaves out the division in i - 16*floor(i/16)",
	},
	{
		"sync_local_shift_loop",
		"local float32 load t[] l{0:-255} g{} subgroup",
		"local float32 load t[] l{0:?} g{} subgroup",
		"",
		"t[(l + 1) % 256] has no constant stride, as above",
	},
}

func TestOracle(t *testing.T) {
	runOracle(t, "testdata/oracle_cases.json")
}

func runOracle(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Cases []oracleCase }
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, c := range all.Cases {
		t.Run(c.Name, func(t *testing.T) {
			k, err := c.build()
			if err != nil {
				t.Fatal(err)
			}
			size := 32
			if json.Unmarshal(c.Options.SubgroupSize, &size) != nil {
				size = 32 // Loopy's "guess"
			}
			opt := Options{SubgroupSize: size, NoMadd: true, RedundantWork: c.Options.Redundant, IndexOps: c.Options.IndexOps, Within: c.Options.Within, Footprint: true}
			s, err := Count(k, opt)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range s.Warnings {
				t.Log(w)
			}
			c.compare(t, s)
		})
	}
}

// compare checks that Loopy's entries and the statistics are the same, both ways.
func (c *oracleCase) compare(t *testing.T, s *Statistics) {
	ours := map[string]*polycount.Poly{}
	for _, r := range s.Records {
		ours[keyText(r.Key)] = r.Count
	}
	theirs := map[string]bool{}
	for _, e := range c.FullMaps {
		key := e.text()
		want := ""
		for _, d := range oracleDifferences {
			if d.name == c.Name && d.theirs == key {
				key, want = d.ours, d.count
			}
		}
		theirs[key] = true
		count := ours[key]
		if count == nil {
			count = polycount.Constant(0) // Loopy keeps keys with count 0
		}
		if want != "" {
			if count.String() != want {
				t.Errorf("%s: %s, want %s", key, count, want)
			}
			continue
		}
		for _, at := range e.At {
			v, err := count.Eval(at.Params)
			if err != nil {
				t.Errorf("%s at %v: %v", key, at.Params, err)
			} else if v.RatString() != at.Expected.String() {
				t.Errorf("%s at %v is %s, want %s (%s)", key, at.Params, v.RatString(), at.Expected, count)
			}
		}
		if err := sameCount(count, e.Polynomial, e.Valid); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	failed := func(kind string) bool {
		return c.LoopyErrors[map[string]string{"op": "op_map", "mem": "mem_map", "sync": "sync_map", "footprint": "footprints"}[kind]] != ""
	}
	for _, r := range s.Records {
		key := keyText(r.Key)
		if !theirs[key] && !failed(r.Key.Kind()) {
			t.Errorf("%s: %s is not among Loopy's", key, r.Count)
		}
	}
}

// sameCount compares symbolically where both are defined.
func sameCount(count *polycount.Poly, want, valid string) error {
	p, err := polycount.ParsePoly(strings.ReplaceAll(want, "[] -> ", ""))
	if err != nil {
		return fmt.Errorf("%s: %w", want, err)
	}
	domain, err := polycount.ParseSet(strings.ReplaceAll(valid, "[] :", ":"))
	if err != nil {
		return fmt.Errorf("%s: %w", valid, err)
	}
	indicator, err := domain.Count()
	if err != nil {
		return err
	}
	a, err := count.Mul(indicator)
	if err != nil {
		return err
	}
	b, err := p.Mul(indicator)
	if err != nil {
		return err
	}
	if same, err := a.Equal(b); err != nil || !same {
		return fmt.Errorf("%s is not %s (%v)", count, want, err)
	}
	return nil
}

func (e *oracleEntry) text() string {
	k := e.Key
	switch e.Query {
	case "op":
		return Op{k.Name, k.DType, k.Granularity}.String()
	case "mem":
		return memText(k.MType, k.DType, k.Direction, k.Variable, k.Tags, k.LStrides, k.GStrides, k.Granularity)
	case "sync":
		return k.Kind
	}
	return Footprint{k.Variable, k.Direction}.String()
}

func keyText(k Key) string {
	if m, ok := k.(Mem); ok {
		return memText(m.Space, m.DType, m.Direction, m.Variable, tagsOf(m.Tag), m.LStrides.Axes(), m.GStrides.Axes(), m.Granularity)
	}
	return k.String()
}

func tagsOf(tag string) []string {
	if tag == "" {
		return nil
	}
	return []string{tag}
}

// memText is a key with strides in one canonical form.
func memText(space kernel.Space, t expr.DType, d Direction, variable string, tags []string, l, g map[string]string, gran Granularity) string {
	return fmt.Sprint(space, " ", t, " ", d, " ", variable, tags, " l", canonical(l), " g", canonical(g), " ", gran)
}

func canonical(strides map[string]string) string {
	var items []string
	for _, axis := range slices.Sorted(maps.Keys(strides)) {
		text := strides[axis]
		if p, err := polycount.ParsePoly("[n,m,k,ell,l,nelements] -> { " + text + " }"); err == nil {
			_, text, _ = strings.Cut(p.String(), "{ ")
			text = strings.TrimSuffix(text, " }")
		}
		if text != "0" {
			items = append(items, axis+":"+text)
		}
	}
	return "{" + strings.Join(items, ";") + "}"
}

// build makes the kernel by the script that the case is in Loopy's vocabulary.
func (c *oracleCase) build() (*kernel.Kernel, error) {
	text := c.script()
	variants, err := script.Exec(c.Name+".star", text)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, text)
	}
	return variants[len(variants)-1].Kernel, nil
}

// literal writes a value in Starlark.
func literal(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return map[bool]string{true: "True", false: "False"}[v]
	case []any:
		var items []string
		for _, x := range v {
			items = append(items, literal(x))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case map[string]any:
		var items []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			items = append(items, literal(name)+": "+literal(v[name]))
		}
		return "{" + strings.Join(items, ", ") + "}"
	case string:
		return strconv.Quote(v)
	}
	return fmt.Sprint(v)
}

// constructors are those of the kinds of argument.
var constructors = map[any]string{"global": "lp.GlobalArg", "value": "lp.ValueArg", "temporary": "lp.TemporaryVariable"}

// positional are the arguments of the transformations that Loopy has no keyword for in the cases, or has under another name.
var positional = map[string][]string{
	"split_iname":                       {"iname", "inner_length"},
	"assume":                            {"assumptions"},
	"tag_inames":                        {"tags"},
	"add_prefetch":                      {"var_name", "sweep_inames"},
	"set_temporary_address_space":       {"names", "address_space"},
	"privatize_temporaries_with_inames": {"inames"},
}

// script converts the case.
func (c *oracleCase) script() string {
	keywords := func(m map[string]any, skip ...string) string {
		text := ""
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if !slices.Contains(skip, name) {
				text += ", " + name + "=" + literal(m[name])
			}
		}
		return text
	}
	var args []string
	for _, a := range c.Kernel.Args {
		m, ok := a.(map[string]any)
		if !ok {
			args = append(args, literal(a)) // "..."
			continue
		}
		if m["dtype"] == "auto" {
			m["dtype"] = nil
		}
		args = append(args, constructors[m["kind"]]+"("+literal(m["name"])+keywords(m, "kind", "name")+")")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "knl = lp.make_kernel(%s, %s, [%s], name=%q, assumptions=%s)\n",
		literal(c.Kernel.Domains), literal(c.Kernel.Instructions), strings.Join(args, ", "), c.Kernel.Name, literal(c.Kernel.Assumptions))
	if len(c.Kernel.DTypes) > 0 {
		fmt.Fprintf(&b, "knl = lp.add_and_infer_dtypes(knl, %s)\n", literal(c.Kernel.DTypes))
	}
	for _, tr := range c.Transforms {
		op := tr["op"].(string)
		fmt.Fprintf(&b, "knl = lp.%s(knl", op)
		skip := []string{"op"}
		for _, name := range positional[op] {
			b.WriteString(", " + literal(tr[name]))
			skip = append(skip, name)
		}
		if op == "fix_parameters" {
			b.WriteString(keywords(tr["values"].(map[string]any)))
			skip = append(skip, "values")
		}
		b.WriteString(keywords(tr, skip...) + ")\n")
	}
	return b.String()
}
