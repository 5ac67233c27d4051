package peaks

import (
	"math"

	"gpuperf/internal/yamlfile"
)

// Version is the version of the format of tables of peaks.
const Version = 1

// Parse reads a table of peaks. Errors are *source.Error.
func Parse(file string, text []byte) ([]Device, error) {
	root, err := yamlfile.Parse(file, text)
	if err != nil {
		return nil, err
	}
	fields, err := need(root, "version", "devices")
	if err != nil {
		return nil, err
	}
	version, err := fields["version"].Int()
	if err != nil {
		return nil, err
	}
	if version != Version {
		return nil, fields["version"].Errorf("version %d of the format of peaks is not known", version).
			WithHint("this program reads version %d", Version)
	}
	items, err := fields["devices"].List()
	if err != nil {
		return nil, err
	}
	var all []Device
	seen := map[string]bool{}
	for _, item := range items {
		d, err := readDevice(item)
		if err != nil {
			return nil, err
		}
		for _, name := range d.Names {
			if seen[name] {
				return nil, item.Errorf("a device named %q stands before", name)
			}
			seen[name] = true
		}
		all = append(all, d)
	}
	return all, nil
}

// need returns the fields of a map, all of which must be there; those after "?" may be missing.
func need(n *yamlfile.Node, keys ...string) (map[string]*yamlfile.Node, error) {
	var known, required []string
	optional := false
	for _, k := range keys {
		if k == "?" {
			optional = true
			continue
		}
		known = append(known, k)
		if !optional {
			required = append(required, k)
		}
	}
	fields, err := n.Fields(known...)
	if err != nil {
		return nil, err
	}
	for _, k := range required {
		if fields[k] == nil {
			return nil, n.Errorf("%s is missing", k)
		}
	}
	return fields, nil
}

func readDevice(n *yamlfile.Node) (d Device, err error) {
	fields, err := need(n, "names", "multiprocessors", "clock_mhz", "madds_per_clock", "local_bytes_per_clock", "memory_bandwidth",
		"?", "stated_flops")
	if err != nil {
		return d, err
	}
	names, err := fields["names"].List()
	if err != nil {
		return d, err
	}
	if len(names) == 0 {
		return d, fields["names"].Errorf("the device has no name")
	}
	for _, item := range names {
		name, err := item.String()
		if err != nil {
			return d, err
		}
		d.Names = append(d.Names, name)
	}
	for _, f := range []struct {
		key  string
		into *Fact
	}{
		{"multiprocessors", &d.Multiprocessors},
		{"clock_mhz", &d.ClockMHz},
		{"local_bytes_per_clock", &d.LocalBytesPerClock},
		{"memory_bandwidth", &d.MemoryBandwidth},
	} {
		if fields[f.key] == nil {
			continue
		}
		if *f.into, err = readFact(fields[f.key]); err != nil {
			return d, err
		}
	}
	if d.MaddsPerClock, err = readByType(fields["madds_per_clock"]); err != nil {
		return d, err
	}
	d.StatedFLOPs, err = readByType(fields["stated_flops"])
	return d, err
}

func readByType(n *yamlfile.Node) (map[string]Fact, error) {
	if n == nil {
		return nil, nil
	}
	fields, err := n.Fields("float32", "float64")
	if err != nil {
		return nil, err
	}
	facts := map[string]Fact{}
	for dtype, field := range fields {
		if facts[dtype], err = readFact(field); err != nil {
			return nil, err
		}
	}
	return facts, nil
}

func readFact(n *yamlfile.Node) (f Fact, err error) {
	fields, err := need(n, "value", "source")
	if err != nil {
		return f, err
	}
	if f.Value, err = fields["value"].Float(); err != nil {
		return f, err
	}
	if !(f.Value > 0) || math.IsInf(f.Value, 0) {
		return f, fields["value"].Errorf("%g is not a positive number", f.Value)
	}
	if f.Source, err = fields["source"].String(); err != nil {
		return f, err
	}
	if f.Source == "" {
		return f, fields["source"].Errorf("a fact without a source does not count")
	}
	return f, nil
}
