package triton

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/format"
	"gpuperf/internal/lists"
	"gpuperf/internal/source"
	"gpuperf/internal/yamlfile"
	"gpuperf/kernel/expr"
)

func (d *Description) readConfigurations(n *yamlfile.Node) error {
	if n == nil {
		return nil
	}
	d.own = true
	items, err := n.List()
	if err != nil {
		return err
	}
	if len(items) == 0 {
		return n.Errorf("there are no configurations")
	}
	for _, item := range items {
		c, err := d.configuration(item)
		if err != nil {
			return err
		}
		d.configurations = append(d.configurations, c)
	}
	return nil
}

func (d *Description) configuration(n *yamlfile.Node) (c configuration, err error) {
	entries, err := n.Pairs()
	if err != nil {
		return c, err
	}
	c.node = n
	for _, e := range entries {
		switch name := e.Key.Text; {
		case name == "grid":
			c.grid = e.Value
		case name == "hash":
			if c.hash, err = e.Value.String(); err != nil {
				return c, err
			}
		case !expr.IsName(name):
			return c, e.Key.Errorf("%q is no name of a constexpr", name)
		case d.args.Get(name) != nil:
			return c, e.Key.Errorf("%s stands among args", name).WithHint("a parameter is either an argument or a constexpr")
		case e.Value.Kind != yamlfile.Scalar:
			return c, e.Value.Errorf("expected the value of the constexpr %s", name)
		default:
			v := value{name: name, text: e.Value.Text, node: e.Value}
			if v.number, err = strconv.ParseInt(truth(v.text), 10, 64); err == nil {
				v.isNumber = true
			}
			c.values = append(c.values, v)
		}
	}
	return c, nil
}

// truth makes True and False the numbers that they are in Python.
func truth(text string) string {
	switch strings.ToLower(text) {
	case "true":
		return "1"
	case "false":
		return "0"
	}
	return text
}

// chosen are the entries of a cache that the description is about.
func (d *Description) chosen(c *Cache) ([]*Entry, error) {
	var names []string
	for _, e := range c.Entries {
		if !slices.Contains(names, e.Name) {
			names = append(names, e.Name)
		}
	}
	name := names[0]
	switch {
	case d.kernel != nil:
		var err error
		if name, err = d.kernel.String(); err != nil {
			return nil, err
		}
		if !slices.Contains(names, name) {
			return nil, d.kernel.Errorf("the cache has no kernel %q", name).WithHint("%s", cmp.Or(c.left(name), source.Suggest(name, names)))
		}
	case len(names) > 1:
		return nil, d.root.Errorf("the cache has several kernels, and the description names none").
			WithHint("write kernel: %s, or another of %s", name, format.First(names, 10))
	}
	return slices.DeleteFunc(slices.Clone(c.Entries), func(e *Entry) bool { return e.Name != name }), nil
}

// pair is a configuration with its machine code.
type pair struct {
	configuration
	entry *Entry
}

// pairs finds the machine code of each configuration. Without a list of them each entry of the cache is one. Where several entries may be a
// configuration, those are ruled out that must be another. out says what is left out of the cache.
func (d *Description) pairs(entries []*Entry, out string) (all []pair, err error) {
	if !d.own {
		for _, e := range entries {
			all = append(all, pair{configuration{node: d.root, hash: e.Hash}, e})
		}
		return all, nil
	}
	found := make([]*Entry, len(d.configurations))
	left := slices.Clone(entries)
	for i := range d.configurations {
		c := &d.configurations[i]
		c.optionsOnly = len(c.among(entries)) == 0
	}
	for progress := true; progress; {
		progress = false
		for i := range d.configurations {
			if fit := d.configurations[i].among(left); found[i] == nil && len(fit) == 1 {
				found[i], progress = fit[0], true
				left = slices.DeleteFunc(left, func(e *Entry) bool { return e == fit[0] })
			}
		}
	}
	for i, c := range d.configurations {
		if found[i] == nil {
			return nil, c.unclear(left, entries, out)
		}
		all = append(all, pair{c, found[i]})
	}
	return all, nil
}

// among are the entries that may be the configuration: the one of its hash, or else those with its options whose IR has its numbers.
func (c *configuration) among(entries []*Entry) (fit []*Entry) {
	return lists.Where(entries, func(e *Entry) bool { return c.hash == "" && c.fits(e) || e.is(c.hash) })
}

// unclear is the error of a configuration that is not one of the entries that are left, or several of them.
func (c *configuration) unclear(left, all []*Entry, out string) error {
	fit := c.among(left)
	if out != "" {
		out = "; " + out
	}
	switch {
	case len(fit) > 0 && c.hash != "":
		return c.node.Get("hash").Errorf("%d kernels of the cache begin so", len(fit)).WithHint("these: %s", few(fit))
	case len(fit) > 0:
		return c.node.Errorf("%d kernels of the cache may be this configuration", len(fit)).
			WithHint("name one by hash, as hash: %s; perf_triton.py writes the hashes of all: %s", fit[0].short(), few(fit))
	case len(c.among(all)) > 0:
		return c.node.Errorf("another configuration has the machine code of this one, %s", few(c.among(all))).WithHint("tell them apart by hash%s", out)
	}
	return c.node.Errorf("the cache has no machine code of this configuration").WithHint("there is: %s%s", few(all), out)
}

// fits tells whether an entry has the options of the configuration, and its numbers in its IR. A number below 2 leaves no trace there, nor does one
// that only counts parts of the source that are written out.
func (c *configuration) fits(e *Entry) bool {
	options := e.options()
	for _, v := range c.values {
		n, option := options[v.name]
		switch {
		case option && (!v.isNumber || v.number != n):
			return false
		case !option && !c.optionsOnly && v.isNumber && v.number > 1 && e.Numbers != nil && !e.Numbers[v.number]:
			return false
		}
	}
	return true
}

func few(entries []*Entry) string {
	list := lists.Map(entries, func(e *Entry) string { return e.String() })
	return format.First(list, 6)
}

// constants are the numbers of a configuration, for expressions: its constexprs and options, and the options of its machine code.
func (p *pair) constants() map[string]int64 {
	all := p.entry.options()
	for _, v := range p.values {
		if v.isNumber {
			all[v.name] = v.number
		}
	}
	return all
}

// shown are the constexprs and options of a configuration with their values, options last.
func (p *pair) shown() (names []string, values map[string]string) {
	values = map[string]string{}
	for _, v := range p.values {
		if !slices.Contains(optionNames, v.name) {
			names = append(names, v.name)
			values[v.name] = v.text
		}
	}
	options := p.entry.options()
	for _, name := range optionNames {
		names = append(names, name)
		values[name] = fmt.Sprint(options[name])
	}
	return names, values
}
