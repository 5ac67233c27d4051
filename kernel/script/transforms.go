package script

import (
	"strings"

	"go.starlark.net/starlark"

	"gpuperf/kernel"
	"gpuperf/kernel/transform"
)

// transformations are the functions that take a kernel and return a new one. A row is all that a new one needs.
var transformations = []function{
	transformation("split_iname", "iname|split_iname, n|inner_length, outer_iname=, inner_iname=, outer_tag=, inner_tag=, slabs=", "iname",
		"iname becomes inner + n*outer, with 0 <= inner < n; slabs, the outer iterations to be peeled off, change no result and no count, and are not",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.SplitIname(k, c.text("iname"), c.integer("n"), c.split())
		}),
	transformation("tag_inames", "tags|iname_to_tag", "tags",
		"maps inames to hardware axes (g.0, l.1) or loop treatments (unr, ilp, for)",
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
		`states what holds of the parameters at every launch, as in "n >= 1 and n % 16 = 0"`,
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) { return k.Assume(c.text("assumptions")) }),
	transformation("assume_average", "expr|of, value", "expr",
		`states the average of an expression in the temporaries that bound a loop at run time, or of the iterations of its `+
			`iname, as in "end - start", "nnz/n"`,
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return k.AssumeAverage(c.text("expr"), c.expr("value", c.args["value"]).String())
		}),
	transformation("assume_values", "element, value", "element",
		`states the elements of an integer array, as in "rowptr[i]", "i*nnz // n": the data that measurements and checks start from`,
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return k.AssumeValues(c.text("element"), c.expr("value", c.args["value"]).String())
		}),
	transformation("add_prefetch", "var|var_name, sweep_inames=, dim_arg_names=, default_tag=, temporary_name=, "+
		"temporary_address_space=, fetch_bounding_box=, fetch_outer_inames=, prefetch_insn_id=", "var",
		"reads an array through a tile that is filled before the sweep inames run",
		addPrefetch),
	transformation("add_dtypes", "dtypes", "dtypes",
		"gives arrays their element types",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) { return k.AddDTypes(c.dtypes("dtypes")) }),
	transformation("add_and_infer_dtypes", "dtypes", "dtypes",
		"add_dtypes; the other types are inferred when they are needed",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) { return k.AddDTypes(c.dtypes("dtypes")) }),
	transformation("fix_parameters", "**values", "",
		"replaces parameters by values",
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
		"the nesting order of loops, outermost first",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.PrioritizeLoops(k, c.names("inames"))
		}),
	transformation("add_dependency", "match|insn_match, depends_on", "match",
		"statements that match run after another",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.AddDependency(k, c.text("match"), c.text("depends_on"))
		}),
	transformation("set_temporary_address_space", "names|temp_var_names, space|address_space", "names",
		"moves temporaries to private, local or global memory",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.SetTemporaryAddressSpace(k, c.names("names"), kernel.Space(strings.ToLower(c.text("space"))))
		}),
	transformation("rename_iname", "iname|old_iname, new_iname", "iname",
		"gives an iname a name that is not in use",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.RenameIname(k, c.text("iname"), c.text("new_iname"))
		}),
	transformation("duplicate_inames", "inames, within|match, new_inames=", "inames",
		"gives the statements that match loops of their own over copies of the inames",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.DuplicateInames(k, c.names("inames"), c.text("within"), c.names("new_inames")...)
		}),
	transformation("add_inames_to_insn", "inames, match|insn_match", "match",
		"puts the statements that match within further inames",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.AddInamesToInsn(k, c.names("inames"), c.text("match"))
		}),
	transformation("realize_reduction", "", "",
		"turns reductions into an accumulator, its initialization and its update",
		func(_ *invocation, k *kernel.Kernel) (*kernel.Kernel, error) { return transform.RealizeReduction(k) }),
	transformation("privatize_temporaries_with_inames", "inames|privatizing_inames, only_var_names=", "inames",
		"gives temporaries an element per value of the inames",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.PrivatizeTemporaries(k, c.names("inames"), c.names("only_var_names")...)
		}),
	transformation("join_inames", "inames, new_iname=, tag=", "inames",
		"replaces inames by one that counts their values together, the last one fastest",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.JoinInames(k, c.names("inames"), c.text("new_iname"), c.text("tag"))
		}),
	transformation("chunk_iname", "iname|split_iname, num_chunks, outer_iname=, inner_iname=, outer_tag=, inner_tag=", "iname",
		"splits an iname into a number of chunks of equal size, or sizes that differ by one",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.ChunkIname(k, c.text("iname"), c.integer("num_chunks"), c.split())
		}),
	transformation("map_domain", "map|transform_map", "map",
		`replaces inames by an invertible map, as in "[n] -> {[i, j] -> [t, s]: t = i + j and s = j}"`,
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.MapDomain(k, c.text("map"))
		}),
	transformation("extract_subst", "name|subst_name, template, parameters=", "template",
		"makes a substitution rule of an expression that the kernel computes",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.ExtractSubst(k, c.text("name"), c.text("template"), c.names("parameters"))
		}),
	transformation("precompute", "rule|subst_use, sweep_inames=, storage_axis_names=, default_tag=, temporary_name=, "+
		"temporary_address_space=, fetch_bounding_box=, precompute_outer_inames=, compute_insn_id=", "rule",
		"computes the values of a substitution rule into a tile before the sweep inames run",
		precompute),
	transformation("add_barrier", "before|insn_before, after|insn_after, id|id_based_on=, synchronization_kind=", "before",
		"puts a barrier between statements",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			space := kernel.Global // Loopy's default
			if c.has("synchronization_kind") {
				space = kernel.Space(c.text("synchronization_kind"))
			}
			return transform.AddBarrier(k, c.text("before"), c.text("after"), c.text("id"), space)
		}),
	transformation("add_inames_for_unused_hw_axes", "within|match=", "within",
		"puts statements within the inames of the hardware axes that they lack",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.AddInamesForUnusedAxes(k, c.text("within"))
		}),
	transformation("remove_work", "remove_vars|vars=, accumulators=, keep=", "remove_vars, keep",
		"leaves the accesses to global memory, but for those to remove_vars, or those with the tags keep; their values are added up and stored",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.RemoveWork(k, transform.WorkRemoval{
				Vars: c.names("remove_vars"), Keep: c.names("keep"), Accumulators: int(c.integer("accumulators")),
			})
		}),
	transformation("remove_unused_inames", "inames=", "inames",
		"drops inames that no statement is within",
		func(c *invocation, k *kernel.Kernel) (*kernel.Kernel, error) {
			return transform.RemoveUnusedInames(k, c.names("inames")...)
		}),
	transformation("register_function", "function", "function",
		"adds a user function made by Function, or replaces that of its name; instructions that call one name it in make_kernel(functions=...)",
		func(c *invocation, k *kernel.Kernel) (_ *kernel.Kernel, err error) {
			for _, f := range c.userFunctions("function") {
				if k, err = k.RegisterFunction(f); err != nil {
					return nil, err
				}
			}
			return k, nil
		}),
	transformation("tag_data_axes", dataAxes, "layout",
		`sets the layout of arrays, as in "N0,N1" for Fortran order`, tagDataAxes),
	transformation("tag_array_axes", dataAxes, "layout", "the same as tag_data_axes", tagDataAxes),
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
func transformation(name, params, blame, doc string, apply func(*invocation, *kernel.Kernel) (*kernel.Kernel, error)) function {
	return function{
		name: name, params: strings.TrimSuffix("knl|kernel, "+params, ", "), blame: blame, doc: doc,
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
