package features

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/polycount"
)

// testdata/oracle_cases.json holds kernels of this project's with every count that Loopy (with barvinok) gives for them.
// Its "about" and "meta" describe the form.

type oracleCase struct {
	Name   string
	Kernel struct {
		Name         string
		Domains      []string
		Instructions []string
		Assumptions  string
		DTypes       map[string]kernel.DType
		Args         []json.RawMessage
	}
	Transforms []oracleTransform
	Options    struct {
		SubgroupSize json.RawMessage `json:"subgroup_size"`
		Redundant    bool            `json:"count_redundant_work"`
		IndexOps     bool            `json:"count_within_subscripts"`
		Within       string
	}
	LoopyErrors map[string]string `json:"loopy_errors"`
	FullMaps    []oracleEntry     `json:"full_maps"`
}

type oracleTransform struct {
	Op          string
	Iname       string
	InnerLength int64  `json:"inner_length"`
	OuterIname  string `json:"outer_iname"`
	InnerIname  string `json:"inner_iname"`
	OuterTag    string `json:"outer_tag"`
	InnerTag    string `json:"inner_tag"`
	Assumptions string
	Tags        map[string]string
	VarName     string   `json:"var_name"`
	Sweep       []string `json:"sweep_inames"`
	DefaultTag  string   `json:"default_tag"`
	BoundingBox bool     `json:"fetch_bounding_box"`
	Values      map[string]int64
	Names       names
	Space       kernel.Space `json:"address_space"`
	Inames      names
	Only        names `json:"only_var_names"`
}

// names is a list, or a text with commas.
type names []string

func (n *names) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*n = strings.Split(text, ",")
		return nil
	}
	return json.Unmarshal(data, (*[]string)(n))
}

type oracleEntry struct {
	Query string
	Key   struct {
		DType       kernel.DType
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
func memText(space kernel.Space, t kernel.DType, d Direction, variable string, tags []string, l, g map[string]string, gran Granularity) string {
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

// build makes the kernel by the methods of package kernel.
func (c *oracleCase) build() (*kernel.Kernel, error) {
	spec := kernel.Spec{
		Name: c.Kernel.Name, Domains: c.Kernel.Domains, Instructions: strings.Join(c.Kernel.Instructions, "\n"),
		Assumptions: strings.ReplaceAll(c.Kernel.Assumptions, "n,m>=", "n>=1 and m>="), DTypes: c.Kernel.DTypes,
	}
	layouts := map[string]string{}
	for _, raw := range c.Kernel.Args {
		var arg struct {
			Kind    string
			Name    string
			Shape   []any
			DType   kernel.DType
			Space   kernel.Space `json:"address_space"`
			Order   string
			DimTags string `json:"dim_tags"`
		}
		if json.Unmarshal(raw, &arg) != nil {
			continue // "..."
		}
		a := &kernel.Array{Name: arg.Name, Space: kernel.Global}
		if arg.DType != "auto" {
			a.DType = arg.DType
		}
		switch arg.Kind {
		case "value":
			a.Space, a.IsValue = kernel.Private, true
		case "temporary":
			if a.Space = arg.Space; a.Space == "auto" {
				a.Space = kernel.Auto
			}
		}
		for _, size := range arg.Shape {
			e, err := kernel.ParseExpr(fmt.Sprint(size))
			if err != nil {
				return nil, err
			}
			a.Shape = append(a.Shape, e)
		}
		if arg.Kind == "temporary" {
			spec.Temps = append(spec.Temps, a)
		} else {
			spec.Args = append(spec.Args, a)
		}
		if layout := arg.Order + arg.DimTags; layout != "" {
			layouts[arg.Name] = layout
		}
	}
	k, err := kernel.Make(spec)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(layouts)) {
		if k, err = k.TagDataAxes(name, layouts[name]); err != nil {
			return nil, err
		}
	}
	for _, tr := range c.Transforms {
		if k, err = tr.apply(k); err != nil {
			return nil, fmt.Errorf("%s: %w", tr.Op, err)
		}
	}
	return k, nil
}

func (tr oracleTransform) apply(k *kernel.Kernel) (*kernel.Kernel, error) {
	switch tr.Op {
	case "split_iname": // slabs change the code that is generated, not what it does
		return k.SplitIname(tr.Iname, tr.InnerLength, kernel.Split{Outer: tr.OuterIname, Inner: tr.InnerIname, OuterTag: tr.OuterTag, InnerTag: tr.InnerTag})
	case "assume":
		return k.Assume(tr.Assumptions)
	case "tag_inames":
		var items []string
		for _, iname := range slices.Sorted(maps.Keys(tr.Tags)) {
			items = append(items, iname+":"+tr.Tags[iname])
		}
		return k.TagInames(strings.Join(items, ", "))
	case "add_prefetch":
		return k.AddPrefetch(tr.VarName, tr.Sweep, kernel.Prefetch{BoundingBox: tr.BoundingBox, Tag: tr.DefaultTag})
	case "fix_parameters":
		return k.FixParameters(tr.Values)
	case "set_temporary_address_space":
		return k.SetTemporaryAddressSpace(tr.Names, tr.Space)
	case "privatize_temporaries_with_inames":
		return k.PrivatizeTemporaries(tr.Inames, tr.Only...)
	}
	return nil, fmt.Errorf("no transformation of that name")
}
