package facts

import (
	"math"
	"slices"

	"gpuperf/internal/yamlfile"
)

// Version is the version of the format of data sheets.
const Version = 1

// keys lists the facts of data sheets. Those that are whole are counts or sizes.
var keys = []struct {
	key         Key
	whole, zero bool // zero: may be 0
}{
	{Multiprocessors, true, false},
	{ClockMHz, true, false},
	{SubgroupSize, true, false},
	{Items, true, false},
	{Groups, true, false},
	{LocalBytes, true, false},
	{LocalReserved, true, true},
	{Registers, true, false},
	{RegistersPerItem, true, false},
	{L1Bytes, true, false},
	{L2Bytes, true, false},
	{LineBytes, true, false},
	{SectorBytes, true, false},
	{Banks, true, false},
	{BankBytes, true, false},
	{LocalBytesPerClock, true, false},
	{Float32MaddsPerClock, true, false},
	{Float64MaddsPerClock, true, false},
	{Float32FLOPs, false, false},
	{Float64FLOPs, false, false},
	{MemoryBandwidth, false, false},
	{GlobalBytes, true, false},
	{LaunchSeconds, false, false},
	{GroupSeconds, false, false},
	{LoadSeconds, false, false},
	{FunctionLatency, true, false},
	{LocalLatency, true, false},
	{GlobalLatency, true, false},
}

// file is a file of data sheets. The facts of a device include those of its architecture.
type file struct {
	architectures, typical map[string]*Device // by name
	devices                []*Device
}

// parse reads a file of data sheets. Errors are *source.Error.
func parse(name string, text []byte) (*file, error) {
	root, err := yamlfile.Parse(name, text)
	if err != nil {
		return nil, err
	}
	fields, err := required(root, []string{"version", "devices"}, "architectures", "typical")
	if err != nil {
		return nil, err
	}
	version, err := fields["version"].Int()
	if err != nil {
		return nil, err
	}
	if version != Version {
		return nil, fields["version"].Errorf("version %d of the format of data sheets is not known", version).
			WithHint("this program reads version %d", Version)
	}
	f := &file{}
	if f.architectures, _, err = readSheets(fields["architectures"], nil); err != nil {
		return nil, err
	}
	if f.typical, _, err = readSheets(fields["typical"], nil); err != nil {
		return nil, err
	}
	_, f.devices, err = readSheets(fields["devices"], f.architectures)
	return f, err
}

// required returns the fields of a map: those that must be there, and others that may.
func required(n *yamlfile.Node, must []string, may ...string) (map[string]*yamlfile.Node, error) {
	fields, err := n.Fields(slices.Concat(must, may)...)
	if err != nil {
		return nil, err
	}
	for _, k := range must {
		if fields[k] == nil {
			return nil, n.Errorf("%s is missing", k)
		}
	}
	return fields, nil
}

// readSheets reads a list of data sheets, none of them twice; those of devices may name an architecture.
func readSheets(n *yamlfile.Node, architectures map[string]*Device) (map[string]*Device, []*Device, error) {
	if n == nil {
		return nil, nil, nil
	}
	items, err := n.List()
	if err != nil {
		return nil, nil, err
	}
	byName := map[string]*Device{}
	var list []*Device
	for _, item := range items {
		d, err := readSheet(item, architectures)
		if err != nil {
			return nil, nil, err
		}
		for _, name := range d.Names {
			if byName[name] != nil {
				return nil, nil, item.Errorf("%q is already defined", name)
			}
			byName[name] = d
		}
		list = append(list, d)
	}
	return byName, list, nil
}

func readSheet(n *yamlfile.Node, architectures map[string]*Device) (*Device, error) {
	var may []string
	for _, k := range keys {
		may = append(may, string(k.key))
	}
	if architectures != nil {
		may = append(may, "architecture")
	}
	fields, err := required(n, []string{"names"}, may...)
	if err != nil {
		return nil, err
	}
	names, err := fields["names"].List()
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fields["names"].Errorf("the device has no name")
	}
	d := &Device{facts: map[Key]Fact{}}
	for _, item := range names {
		name, err := item.String()
		if err != nil {
			return nil, err
		}
		d.Names = append(d.Names, name)
	}
	if field := fields["architecture"]; field != nil {
		name, err := field.String()
		if err != nil {
			return nil, err
		}
		shared := architectures[name]
		if shared == nil {
			return nil, field.Errorf("there is no architecture %q", name)
		}
		for k, f := range shared.facts {
			d.facts[k] = f
		}
	}
	for _, k := range keys {
		if fields[string(k.key)] == nil {
			continue
		}
		if d.facts[k.key], err = readFact(fields[string(k.key)], k.whole, k.zero); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func readFact(n *yamlfile.Node, whole, zero bool) (f Fact, err error) {
	fields, err := required(n, []string{"value", "source"})
	if err != nil {
		return f, err
	}
	if f.Value, err = fields["value"].Float(); err != nil {
		return f, err
	}
	switch {
	case !(f.Value > 0) && !(zero && f.Value == 0), math.IsInf(f.Value, 0):
		return f, fields["value"].Errorf("%g is not a positive number", f.Value)
	case whole && (f.Value != math.Trunc(f.Value) || f.Value > 1<<50):
		return f, fields["value"].Errorf("%g is not a whole number", f.Value)
	}
	if f.Source, err = fields["source"].String(); err != nil {
		return f, err
	}
	if f.Source == "" {
		return f, fields["source"].Errorf("a fact without a source does not count")
	}
	return f, nil
}
