package launch

import (
	"gpuperf/device/facts"
	"gpuperf/internal/intmath"
)

// residentFacts limit the resident work-groups of a multiprocessor. If there is at most one, registers do not matter: the compiler
// spills.
func residentFacts(d *facts.Device) []facts.Key {
	keys := []facts.Key{facts.Groups, facts.Items, facts.LocalBytes, facts.LocalReserved}
	if d.Int(facts.Groups) == 1 {
		return keys
	}
	return append(keys, facts.Registers, facts.RegistersPerItem)
}

// Group is what a work-group takes of a multiprocessor.
type Group struct {
	Items     int64
	Registers int64 // of a work-item
	Local     int64 // bytes of local memory
	Subgroup  int64 // work-items of a sub-group
}

// registerStep is the multiple to which the registers of work-items are rounded up: NVIDIA's GPUs give 256 at once to a sub-group of 32.
const registerStep = 8

// Allocated are the registers that a work-item is given where its code needs so many.
func Allocated(registers int64) int64 { return intmath.CeilDiv(registers, registerStep) * registerStep }

// Limit is how many work-groups a resource of a multiprocessor has room for.
type Limit struct {
	Resource string
	Groups   int64
}

// Limits lists the resources that limit the resident work-groups of a multiprocessor, none where the facts of the device are not known.
// What is not of the group itself comes first.
func Limits(d *facts.Device, g Group) []Limit {
	if !d.Known(residentFacts(d)...) {
		return nil
	}
	padded := (g.Items + g.Subgroup - 1) / g.Subgroup * g.Subgroup
	list := []Limit{{"work-groups", d.Int(facts.Groups)}, {"work-items", d.Int(facts.Items) / padded}}
	if most := d.Int(facts.RegistersPerItem); most > 0 {
		list = append(list, Limit{"registers", d.Int(facts.Registers) / (padded * max(min(g.Registers, most), 1))})
	}
	if local := g.Local + d.Int(facts.LocalReserved); local > 0 {
		list = append(list, Limit{"local memory", d.Int(facts.LocalBytes) / local})
	}
	return list
}

// resident is the number of resident work-groups of a multiprocessor, 0 if a group exceeds a limit. The device must know its residentFacts.
func resident(d *facts.Device, g Group) int64 {
	list := Limits(d, g)
	n := list[0].Groups
	for _, l := range list {
		n = min(n, l.Groups)
	}
	return n
}
