package facts

import (
	"fmt"
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

// stated are the facts that a file states of a device, and which facts of it were read.
type stated struct {
	nodes map[Key]*yamlfile.Node
	mutex sync.Mutex
	read  map[Key]bool
}

// note notes that a fact was read.
func (s *stated) note(k Key) {
	if s == nil {
		return
	}
	s.mutex.Lock()
	s.read[k] = true
	s.mutex.Unlock()
}

// follow are facts that are measured, by the one that they cannot exceed: where a sheet states this one alone, they are in the same proportion to it as in
// the sheet that it starts from.
var follow = map[Key][]Key{MemoryBandwidth: {DRAMReadRate, DRAMWriteRate}}

// state adds the facts that a file states.
func (d *Device) state(known map[Key]Fact, nodes map[Key]*yamlfile.Node) {
	d.stated = &stated{nodes: nodes, read: map[Key]bool{}}
	for k, list := range follow {
		now, said := known[k]
		before, had := d.facts[k]
		if !said || !had || before.Value == 0 {
			continue
		}
		for _, f := range list {
			if was, ok := d.facts[f]; ok {
				d.facts[f] = Fact{Value: was.Value * now.Value / before.Value, Source: fmt.Sprintf("in proportion to %s, from: %s", k, was.Source)}
				d.stated.note(k)
			}
		}
	}
	maps.Copy(d.facts, known)
}

// Stated reports whether a file states facts of the device.
func (d *Device) Stated() bool { return d != nil && d.stated != nil }

// Unread are warnings of facts that the device's file states and that nothing has read so far: they have changed nothing.
func (d *Device) Unread() (warnings []string) {
	if d == nil || d.stated == nil {
		return nil
	}
	var keys []Key
	for k := range d.stated.nodes {
		if !d.stated.read[k] {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		e := d.stated.nodes[k].Errorf("%s changes nothing here: nothing that was asked for reads it", k)
		warnings = append(warnings, fmt.Sprintf("%s:%d: %s", e.File, e.Pos.Line, e.Msg))
	}
	return warnings
}

// counts are facts that are whole numbers from 1.
var counts = []Key{
	Multiprocessors, SubPartitions, Items, Groups, Registers, LocalBytes, L1Bytes, L2Bytes, AddressQueue, RequestQueue, LoadQueue, CodeLine, CodeBytes, CodeSecondBytes,
	ConstantBytes, ConstantLine, SubgroupSize, LineBytes, SectorBytes, Banks, BankBytes, RegistersPerItem, RegistersPerGroup, RegisterUnit, LocalUnit, LocalPerGroup,
	DeclaredLocal, ItemsPerGroup, GroupX, GroupY, GroupZ, GroupsX, GroupsY, GroupsZ,
}

// farthest is by how much a fact may exceed what is known of any device, or be less: further off it is a slip.
const farthest = 1000

// plausible refuses what no device has.
func plausible(k Key, v float64, n *yamlfile.Node) error {
	if !(v >= 0 && v <= maxValue) { // NaN is neither
		return n.Errorf("%s is %g; it is a number from 0", k, v)
	}
	if slices.Contains(counts, k) && (v < 1 || v != float64(int64(v))) {
		return n.Errorf("%s is %g; it is a whole number from 1", k, v)
	}
	least, most, ok := shippedRange(k)
	switch {
	case !ok:
	case least > 0 && v == 0:
		return n.Errorf("%s is 0, and of the devices that are known it is %g to %g", k, least, most)
	case v > farthest*most && most > 0 || v < least/farthest:
		return n.Errorf("%s is %g, and of the devices that are known it is %g to %g", k, v, least, most).WithHint("up to %d times as much is taken, or as little", farthest)
	}
	return nil
}

// maxValue is more than any fact.
const maxValue = 1e30

// shippedRange is between which numbers a fact is of the devices that come with the program.
func shippedRange(k Key) (least, most float64, ok bool) {
	f := sheets()
	for _, s := range slices.Concat(f.Architectures, f.Devices, f.Typical) {
		if fact, has := s.Facts[k]; has {
			if !ok {
				least, most, ok = fact.Value, fact.Value, true
			}
			least, most = min(least, fact.Value), max(most, fact.Value)
		}
	}
	return least, most, ok
}
