package launch

import (
	"slices"

	"gpuperf/device/facts"
)

// deviceFeatures are the static features that are made from facts of the device, with these facts. The vectors of a device of
// which one is not known lack the feature.
var deviceFeatures = map[string]struct {
	facts    []facts.Key
	resident bool // and from the number of work-groups that a multiprocessor holds
}{
	"data_l2":         {[]facts.Key{facts.L2Bytes}, false},
	"tile_l1":         {[]facts.Key{facts.L1Bytes}, true},
	"groups_resident": {nil, true},
	"occupancy":       {[]facts.Key{facts.Items}, true},
	"waves":           {[]facts.Key{facts.Multiprocessors}, true},
}

// residentFacts bound the number of work-groups that a multiprocessor holds at once. Where it is one at most, the registers do not
// matter: a compiler spills what does not fit.
func residentFacts(d *facts.Device) []facts.Key {
	keys := []facts.Key{facts.Groups, facts.Items, facts.LocalBytes, facts.LocalReserved}
	if d.Int(facts.Groups) == 1 {
		return keys
	}
	return append(keys, facts.Registers, facts.RegistersPerItem)
}

// resident is how many work-groups of so many work-items, each with its registers, and bytes of local memory run on a
// multiprocessor at once; 0 where a group needs more than there is. The device must know its residentFacts.
func resident(d *facts.Device, items, registers, local, subgroup int64) int64 {
	padded := (items + subgroup - 1) / subgroup * subgroup
	n := min(d.Int(facts.Groups), d.Int(facts.Items)/padded)
	if most := d.Int(facts.RegistersPerItem); most > 0 {
		n = min(n, d.Int(facts.Registers)/(padded*max(min(registers, most), 1)))
	}
	if reserved := d.Int(facts.LocalReserved); local+reserved > 0 {
		n = min(n, d.Int(facts.LocalBytes)/(local+reserved))
	}
	return n
}

// Needs returns an error that names the facts of a device without which its vectors lack the static feature of that name, nil
// where they have it.
func Needs(d *facts.Device, feature string) error {
	of := deviceFeatures[feature]
	if of.resident {
		return d.Need(slices.Concat(of.facts, residentFacts(d))...)
	}
	return d.Need(of.facts...)
}

// known returns the static features that are known on a device.
func known(d *facts.Device) []Feature {
	return slices.DeleteFunc(Features(), func(f Feature) bool { return Needs(d, f.Name) != nil })
}

// Names returns the names of the static features that are known on a device, in the order of Features.
func Names(d *facts.Device) (names []string) {
	for _, f := range known(d) {
		names = append(names, f.Name)
	}
	return names
}
