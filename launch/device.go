package launch

import "gpuperf/device/facts"

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
