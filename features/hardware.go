package features

import (
	_ "embed"
	"math"
	"slices"
	"sync"

	"gpuperf/internal/yamlfile"
)

//go:embed hardware.yaml
var hardwareTable []byte

// Hardware is what bounds how many work-groups a device runs at once, and its caches. Sizes in bytes, registers of 32 bits.
type Hardware struct {
	Names            []string // as drivers report them
	Multiprocessors  int64
	Items            int64 // work-items on a multiprocessor
	Groups           int64 // work-groups on a multiprocessor
	LocalBytes       int64 // of a multiprocessor
	LocalReserved    int64 // taken from these by every work-group
	Registers        int64 // of a multiprocessor
	RegistersPerItem int64 // at most
	L1Bytes          int64 // of a multiprocessor
	L2Bytes          int64
	Sources          map[string]string // by key of the table
}

// hardwareFields are the numbers of the table.
var hardwareFields = []struct {
	key  string
	into func(*Hardware) *int64
}{
	{"multiprocessors", func(h *Hardware) *int64 { return &h.Multiprocessors }},
	{"items", func(h *Hardware) *int64 { return &h.Items }},
	{"groups", func(h *Hardware) *int64 { return &h.Groups }},
	{"local_bytes", func(h *Hardware) *int64 { return &h.LocalBytes }},
	{"local_reserved", func(h *Hardware) *int64 { return &h.LocalReserved }},
	{"registers", func(h *Hardware) *int64 { return &h.Registers }},
	{"registers_per_item", func(h *Hardware) *int64 { return &h.RegistersPerItem }},
	{"l1_bytes", func(h *Hardware) *int64 { return &h.L1Bytes }},
	{"l2_bytes", func(h *Hardware) *int64 { return &h.L2Bytes }},
}

var allHardware = sync.OnceValues(func() ([]Hardware, error) { return ParseHardware("hardware.yaml", hardwareTable) })

// HardwareOf returns the device of that name in the table of the package, nil where it is not known.
func HardwareOf(name string) *Hardware {
	all, err := allHardware()
	if err != nil {
		panic(err) // the embedded table is ours
	}
	for i := range all {
		if slices.Contains(all[i].Names, name) {
			return &all[i]
		}
	}
	return nil
}

// DefaultHardware is the first device of the table.
func DefaultHardware() *Hardware {
	all, err := allHardware()
	if err != nil {
		panic(err) // the embedded table is ours
	}
	return &all[0]
}

// ParseHardware reads a table of devices in the format of hardware.yaml. Errors are *source.Error.
func ParseHardware(file string, text []byte) ([]Hardware, error) {
	root, err := yamlfile.Parse(file, text)
	if err != nil {
		return nil, err
	}
	fields, err := required(root, "version", "devices")
	if err != nil {
		return nil, err
	}
	if v, err := fields["version"].Int(); err != nil {
		return nil, err
	} else if v != 1 {
		return nil, fields["version"].Errorf("version %d of the format of hardware is not known", v).WithHint("this program reads version 1")
	}
	items, err := fields["devices"].List()
	if err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return nil, fields["devices"].Errorf("there is no device")
	}
	var all []Hardware
	for _, item := range items {
		h, err := readHardware(item)
		if err != nil {
			return nil, err
		}
		all = append(all, h)
	}
	return all, nil
}

func readHardware(n *yamlfile.Node) (h Hardware, err error) {
	keys := []string{"names"}
	for _, f := range hardwareFields {
		keys = append(keys, f.key)
	}
	fields, err := required(n, keys...)
	if err != nil {
		return h, err
	}
	names, err := fields["names"].List()
	if err != nil {
		return h, err
	}
	if len(names) == 0 {
		return h, fields["names"].Errorf("the device has no name")
	}
	for _, item := range names {
		name, err := item.String()
		if err != nil {
			return h, err
		}
		h.Names = append(h.Names, name)
	}
	h.Sources = map[string]string{}
	for _, f := range hardwareFields {
		fact, err := required(fields[f.key], "value", "source")
		if err != nil {
			return h, err
		}
		v, err := fact["value"].Float()
		if err != nil {
			return h, err
		}
		if v < 0 || v != math.Trunc(v) || v > 1<<50 || v == 0 && f.key != "local_reserved" {
			return h, fact["value"].Errorf("%s is %g: it is a positive whole number", f.key, v)
		}
		*f.into(&h) = int64(v)
		if h.Sources[f.key], err = fact["source"].String(); err != nil {
			return h, err
		}
		if h.Sources[f.key] == "" {
			return h, fact["source"].Errorf("a fact without a source does not count")
		}
	}
	return h, nil
}

func required(n *yamlfile.Node, keys ...string) (map[string]*yamlfile.Node, error) {
	fields, err := n.Fields(keys...)
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		if fields[k] == nil {
			return nil, n.Errorf("%s is missing", k)
		}
	}
	return fields, nil
}

// resident is how many work-groups of so many work-items, each with its registers, and bytes of local memory run on a
// multiprocessor at once; 0 where a group needs more than there is.
func (h *Hardware) resident(items, registers, local int64, subgroup int64) int64 {
	padded := (items + subgroup - 1) / subgroup * subgroup
	n := min(h.Groups, h.Items/padded)
	n = min(n, h.Registers/(padded*max(min(registers, h.RegistersPerItem), 1)))
	if local+h.LocalReserved > 0 {
		n = min(n, h.LocalBytes/(local+h.LocalReserved))
	}
	return n
}
