package script

import (
	"strings"

	"go.starlark.net/starlark"

	"gpuperf/kernel"
	"gpuperf/kernel/transform"
)

// transformations are the functions that take a kernel and return a new one. A row is all that a new one needs.
var transformations = []function{
	transformation("split_iname", `iname|split_iname, n|inner_length, outer_iname=, inner_iname=, outer_tag="for", inner_tag="for", slabs=`, "iname",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.SplitIname(k, c.text("iname"), c.integer("n"), c.split())
		}),
	transformation("tag_inames", "tags|iname_to_tag", "tags",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			var list []string
			for _, p := range c.pairs("tags") {
				if p.value == "" {
					p.value = "for"
				}
				list = append(list, p.key+":"+p.value)
			}
			return transform.TagInames(k, strings.Join(list, ", "))
		}),
	transformation("assume", "assumptions", "assumptions",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) { return k.Assume(c.text("assumptions")) }),
	transformation("assume_average", "expr|of, value", "expr",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return k.AssumeAverage(c.text("expr"), c.expr("value", c.args["value"]).String())
		}),
	transformation("assume_values", "element, value", "element",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return k.AssumeValues(c.text("element"), c.expr("value", c.args["value"]).String())
		}),
	transformation("add_prefetch", `var|var_name, sweep_inames=[], dim_arg_names=, default_tag="l.auto", temporary_name=, `+
		"temporary_address_space=lp.auto, fetch_bounding_box=False, fetch_outer_inames=, prefetch_insn_id=", "var",
		addPrefetch),
	transformation("add_dtypes", "dtypes", "dtypes",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) { return k.AddDTypes(c.dtypes("dtypes")) }),
	transformation("add_and_infer_dtypes", "dtypes", "dtypes",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) { return k.AddDTypes(c.dtypes("dtypes")) }),
	transformation("fix_parameters", "**values", "",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			values := map[string]int64{}
			for _, kv := range c.rest {
				name := string(kv[0].(starlark.String))
				n, ok := kv[1].(starlark.Int)
				v, fits := n.Int64()
				if !ok || !fits {
					c.fail(name, "", "%s must be an integer, found %s", name, describe(kv[1]))
				}
				values[name] = v
			}
			return transform.FixParameters(k, values)
		}),
	transformation("prioritize_loops", "inames|loop_priority", "inames",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.PrioritizeLoops(k, c.names("inames"))
		}),
	transformation("add_dependency", "match|insn_match, depends_on", "match",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.AddDependency(k, c.text("match"), c.text("depends_on"))
		}),
	transformation("set_temporary_address_space", "names|temp_var_names, space|address_space", "names",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.SetTemporaryAddressSpace(k, c.names("names"), kernel.Space(strings.ToLower(c.text("space"))))
		}),
	transformation("rename_iname", "iname|old_iname, new_iname", "iname",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.RenameIname(k, c.text("iname"), c.text("new_iname"))
		}),
	transformation("duplicate_inames", "inames, within|match, new_inames=", "inames",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.DuplicateInames(k, c.names("inames"), c.text("within"), c.names("new_inames")...)
		}),
	transformation("add_inames_to_insn", "inames, match|insn_match", "match",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.AddInamesToInsn(k, c.names("inames"), c.text("match"))
		}),
	transformation("realize_reduction", "", "",
		func(_ *invocation, k *kernel.Kernel) (*kernel.Kernel, error) { return transform.RealizeReduction(k) }),
	transformation("privatize_temporaries_with_inames", "inames|privatizing_inames, only_var_names=", "inames",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.PrivatizeTemporaries(k, c.names("inames"), c.names("only_var_names")...)
		}),
	transformation("join_inames", `inames, new_iname=, tag="for"`, "inames",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.JoinInames(k, c.names("inames"), c.text("new_iname"), c.text("tag"))
		}),
	transformation("chunk_iname", `iname|split_iname, num_chunks, outer_iname=, inner_iname=, outer_tag="for", inner_tag="for"`, "iname",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.ChunkIname(k, c.text("iname"), c.integer("num_chunks"), c.split())
		}),
	transformation("map_domain", "map|transform_map", "map",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.MapDomain(k, c.text("map"))
		}),
	transformation("extract_subst", "name|subst_name, template, parameters=[]", "template",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.ExtractSubst(k, c.text("name"), c.text("template"), c.names("parameters"))
		}),
	transformation("precompute", `rule|subst_use, sweep_inames=[], storage_axis_names=, default_tag="l.auto", temporary_name=, `+
		"temporary_address_space=lp.auto, fetch_bounding_box=False, precompute_outer_inames=, compute_insn_id=", "rule",
		precompute),
	transformation("add_barrier", `before|insn_before, after|insn_after, id|id_based_on=, synchronization_kind="global"`, "before",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			space := kernel.Global // Loopy's default
			if c.has("synchronization_kind") {
				space = kernel.Space(c.text("synchronization_kind"))
			}
			return transform.AddBarrier(k, c.text("before"), c.text("after"), c.text("id"), space)
		}),
	transformation("add_inames_for_unused_hw_axes", "within|match=", "within",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.AddInamesForUnusedAxes(k, c.text("within"))
		}),
	transformation("remove_work", "remove_vars|vars=[], accumulators=1, keep=", "remove_vars, keep",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.RemoveWork(k, transform.WorkRemoval{
				Vars: c.names("remove_vars"), Keep: c.names("keep"), Accumulators: int(c.integer("accumulators")),
			})
		}),
	transformation("remove_unused_inames", "inames=", "inames",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.RemoveUnusedInames(k, c.names("inames")...)
		}),
	transformation("register_function", "function", "function",
		func(c *invocation, k *kernel.Kernel) (_ *kernel.Kernel, err error) {
			for _, f := range c.userFunctions("function") {
				if k, err = k.RegisterFunction(f); err != nil {
					return nil, err
				}
			}
			return k, nil
		}),
	transformation("tag_data_axes", dataAxes, "layout", tagDataAxes),
	transformation("tag_array_axes", dataAxes, "layout", tagDataAxes),
}

const dataAxes = "arrays|ary_names, layout|dim_tags"

func tagDataAxes(c *invocation, k *kernel.Kernel) (_ *kernel.Kernel, err error) {
	for _, name := range c.names("arrays") {
		if k, err = transform.TagDataAxes(k, name, strings.Join(c.names("layout"), ",")); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// transformation is a row whose first parameter is the kernel and whose result is one.
func transformation(name, params, blame string, apply func(*invocation, *kernel.Kernel) (*kernel.Kernel, error)) function {
	return function{
		name: name, params: strings.TrimSuffix("knl|kernel, "+params, ", "), blame: blame,
		do: func(c *invocation) (starlark.Value, error) {
			k, err := apply(c, c.kernel())
			if err != nil {
				return nil, err
			}
			return &kernelValue{k}, nil
		},
	}
}

func (c *invocation) split() transform.Split {
	return transform.Split{
		Outer: c.text("outer_iname"), Inner: c.text("inner_iname"), OuterTag: c.text("outer_tag"), InnerTag: c.text("inner_tag"),
	}
}

// tile reads the options of add_prefetch and precompute, some of which have other names in each.
func (c *invocation) tile(outer, dims, id string) transform.Prefetch {
	opt := transform.Prefetch{
		BoundingBox: c.flag("fetch_bounding_box"),
		OuterInames: c.names(outer),
		DimNames:    c.names(dims),
		Name:        c.text("temporary_name"),
		ID:          c.text(id),
		Tag:         c.text("default_tag"),
		Space:       kernel.Space(strings.ToLower(c.text("temporary_address_space"))),
	}
	if c.args["default_tag"] == starlark.None {
		opt.Tag = "for" // None means sequential loops, as in Loopy
	}
	return opt
}

func precompute(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
	opt := c.tile("precompute_outer_inames", "storage_axis_names", "compute_insn_id")
	// a use may be given as a call, rule(i, j): the rule is meant
	rule, _, _ := strings.Cut(c.text("rule"), "(")
	return transform.Precompute(k, strings.TrimSpace(rule), c.names("sweep_inames"), opt)
}

func addPrefetch(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
	return transform.AddPrefetch(k, c.text("var"), c.names("sweep_inames"), c.tile("fetch_outer_inames", "dim_arg_names", "prefetch_insn_id"))
}
