package launch

import "gpuperf/device/facts"

// residentFacts limit the resident work-groups of a multiprocessor. If there is at most one, registers do not matter: the compiler
// spills.
func residentFacts(d *facts.Device) []facts.Key {
	keys := []facts.Key{facts.Groups, facts.Items, facts.LocalBytes, facts.LocalReserved}
	if d.Int(facts.Groups) == 1 {
		return keys
	}
	return append(keys, facts.Registers, facts.RegistersPerItem)
}

// resident is the number of resident work-groups of a multiprocessor, for groups of so many work-items with so many registers each and
// so many bytes of local memory; 0 if a group exceeds a limit. The device must know its residentFacts.
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
