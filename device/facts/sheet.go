package facts

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gpuperf/internal/bounded"
	"gpuperf/internal/source"
	"gpuperf/internal/yamlfile"
)

// format is the format of data sheets.
var format = yamlfile.Format{Name: "data sheet", Version: 1, Keys: []string{"version", "architectures", "devices", "typical"}, Needed: []string{"devices"}}

// Sheet returns the data sheet of the device with a name, or of the first one of a file in the format of the embedded ones. There, what a device
// does not say is as in the sheet that it names as its architecture: an architecture, or another device.
func Sheet(nameOrPath string) (*Device, error) {
	if ext := filepath.Ext(nameOrPath); ext != ".yaml" && ext != ".yml" {
		d, known := Named(nameOrPath)
		if d == nil {
			return nil, source.At("", "", source.Pos{}, "there is no data sheet of %q", nameOrPath).WithHint("there are %s; a file can have another", strings.Join(known, ", "))
		}
		return d, nil
	}
	const most = 1 << 20 // bytes: sheets have a few thousand
	text, err := bounded.ReadFile(nameOrPath, most)
	if err != nil {
		return nil, err
	}
	root, err := yamlfile.Parse(nameOrPath, text)
	if err != nil {
		return nil, err
	}
	fields, err := format.Fields(root)
	if err != nil {
		return nil, err
	}
	devices, err := fields["devices"].List()
	if err != nil {
		return nil, err
	}
	if len(devices) == 0 {
		return nil, fields["devices"].Errorf("there is no device in this file")
	}
	return readDevice(devices[0])
}

func readDevice(n *yamlfile.Node) (*Device, error) {
	fields, err := n.Fields("names", "architecture", "facts")
	if err != nil {
		return nil, err
	}
	if err := n.Has("device", "names", "facts"); err != nil {
		return nil, err
	}
	names, err := fields["names"].Strings()
	if err != nil {
		return nil, err
	}
	d := &Device{facts: map[Key]Fact{}}
	for _, name := range names {
		d.Names = append(d.Names, name.Text)
	}
	if base := fields["architecture"]; base != nil {
		if err := d.startFrom(base); err != nil {
			return nil, err
		}
	}
	known, nodes, err := readFacts(fields["facts"])
	if err != nil {
		return nil, err
	}
	d.state(known, nodes)
	return d, nil
}

// startFrom gives a device the facts of an architecture or of another device.
func (d *Device) startFrom(base *yamlfile.Node) error {
	name, err := base.String()
	if err != nil {
		return err
	}
	other, known := Named(name)
	if other != nil {
		d.Architecture, d.facts = other.Architecture, maps.Clone(other.facts)
		return nil
	}
	architecture := find(sheets().Architectures, name)
	if len(architecture.Facts) == 0 {
		for _, s := range sheets().Architectures {
			known = append(known, s.Names...)
		}
		return base.Errorf("there is no data sheet of %q", name).WithHint("%s", source.Suggest(name, known))
	}
	d.Architecture, d.facts = name, maps.Clone(architecture.Facts)
	return nil
}

// readFacts reads a map from keys to values with their sources.
func readFacts(n *yamlfile.Node) (out map[Key]Fact, nodes map[Key]*yamlfile.Node, err error) {
	fields, err := n.Fields(keys()...)
	if err != nil {
		return nil, nil, err
	}
	out, nodes = map[Key]Fact{}, map[Key]*yamlfile.Node{}
	for key, fact := range fields {
		if out[Key(key)], err = readFact(Key(key), fact); err != nil {
			return nil, nil, err
		}
		nodes[Key(key)] = fact
	}
	return out, nodes, nil
}

// readFact reads a value, or several, with their source.
func readFact(k Key, n *yamlfile.Node) (f Fact, err error) {
	parts, err := n.Fields("value", "values", "source")
	if err != nil {
		return f, err
	}
	list := []*yamlfile.Node{parts["value"]}
	several := k == L1Carveouts
	switch {
	case several && parts["values"] != nil && parts["value"] == nil && parts["source"] != nil:
		if list, err = parts["values"].List(); err != nil {
			return f, err
		}
	case several:
		return f, n.Errorf("these are several values with their source").WithHint(`%s: {values: [0, 32768, 65536], source: "a guess"}`, k)
	case parts["values"] != nil || parts["value"] == nil || parts["source"] == nil:
		return f, n.Errorf("a fact is a value with its source").WithHint(`%s: {value: 66, source: "a guess"}`, k)
	}
	f.Source = parts["source"].Text
	for _, one := range list {
		v, err := one.Float()
		if err != nil {
			return f, err
		}
		if several {
			if n := len(f.Values); !(v >= 0) || n > 0 && v <= f.Values[n-1] {
				return f, one.Errorf("%s are numbers from 0 in rising order", k)
			}
			f.Values = append(f.Values, v)
			continue
		}
		if err := plausible(k, v, one); err != nil {
			return f, err
		}
		f.Value = v
	}
	return f, nil
}

// keys are those of all facts: what some embedded sheet has, or a driver tells.
var keys = sync.OnceValue(func() (out []string) {
	f := sheets()
	out = append(out, string(GlobalBytes))
	for _, s := range slices.Concat(f.Architectures, f.Devices, f.Typical) {
		for k := range s.Facts {
			out = append(out, string(k))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
})
