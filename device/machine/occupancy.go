package machine

import (
	"fmt"
	"slices"

	"gpuperf/device/facts"
	"gpuperf/internal/intmath"
)

// ResidentFacts limit the resident work-groups of a multiprocessor. If there is at most one, registers do not matter: the compiler
// spills.
func ResidentFacts(d *facts.Device) []facts.Key {
	keys := []facts.Key{facts.Groups, facts.Items, facts.LocalBytes, facts.LocalReserved}
	if d.Int(facts.Groups) == 1 {
		return keys
	}
	return append(keys, facts.Registers, facts.RegistersPerItem, facts.RegisterUnit, facts.SubPartitions, facts.LocalUnit)
}

// Group is what a work-group takes of a multiprocessor.
type Group struct {
	Items     int64
	Registers int64 // of a work-item, as its code needs them
	Local     int64 // bytes of local memory
	Subgroup  int64 // work-items of a sub-group
}

// Allocated are the registers that a work-item of a sub-group is given where its code needs so many: sub-groups are given whole units.
func Allocated(d *facts.Device, registers, subgroup int64) int64 {
	return roundUp(registers*subgroup, d.Int(facts.RegisterUnit)) / subgroup
}

// roundUp is the least multiple of a unit that is n or more; a unit of 0 is not known, and changes nothing.
func roundUp(n, unit int64) int64 { return intmath.CeilDiv(n, max(unit, 1)) * max(unit, 1) }

// Limit is how many work-groups a resource of a multiprocessor has room for.
type Limit struct {
	Resource string
	Groups   int64
}

// Limits lists the resources that limit the resident work-groups of a multiprocessor, none where the facts of the device are not known.
// What is not of the group itself comes first. Registers are those of sub-partitions, each of which holds whole sub-groups; local memory is
// given in units, with what the device takes for itself (NVIDIA's cuda_occupancy.h, cudaOccMaxBlocksPerSMRegsLimit and
// cudaOccMaxBlocksPerSMSmemLimit).
func Limits(d *facts.Device, g Group) []Limit {
	if !d.Known(ResidentFacts(d)...) {
		return nil
	}
	subgroups := intmath.CeilDiv(g.Items, g.Subgroup)
	list := []Limit{{"work-groups", d.Int(facts.Groups)}, {"work-items", d.Int(facts.Items) / (subgroups * g.Subgroup)}}
	if most := d.Int(facts.RegistersPerItem); most > 0 {
		each := Allocated(d, max(min(g.Registers, most), 1), g.Subgroup) * g.Subgroup
		parts := max(d.Int(facts.SubPartitions), 1)
		list = append(list, Limit{"registers", d.Int(facts.Registers) / parts / each * parts / subgroups})
	}
	if local := roundUp(g.Local+d.Int(facts.LocalReserved), d.Int(facts.LocalUnit)); local > 0 {
		list = append(list, Limit{"local memory", d.Int(facts.LocalBytes) / local})
	}
	return list
}

// Resident is the number of work-groups that a multiprocessor runs at once, and the resource that allows no more; 0 if a group exceeds one.
// The device must know the facts that [Limits] asks for.
func Resident(list []Limit) (groups int64, by string) {
	groups, by = list[0].Groups, list[0].Resource
	for _, l := range list {
		if l.Groups < groups {
			groups, by = l.Groups, l.Resource
		}
	}
	return groups, by
}

// AtOnce is how many such work-groups all multiprocessors run at once, which bounds a cooperative launch; 0 where that is not known.
func AtOnce(d *facts.Device, g Group) int64 {
	list := Limits(d, g)
	if len(list) == 0 {
		return 0
	}
	n, _ := Resident(list)
	return n * d.Int(facts.Multiprocessors)
}

// Together says why work-groups that wait for each other, as those of a cooperative launch do, are too many to run at once; "" where they are not, or it is not known.
func Together(d *facts.Device, g Group, groups int64) string {
	if most := AtOnce(d, g); most > 0 && groups > most {
		return fmt.Sprintf("a cooperative launch of %d work-groups, the device runs %d at once", groups, most)
	}
	return ""
}

// Fits says why a multiprocessor has no room for a work-group, "" where it has, or where that is not known.
func Fits(d *facts.Device, g Group) string {
	if most := d.Int(facts.RegistersPerItem); most > 0 && g.Registers > most {
		return fmt.Sprintf("%d registers for a work-item, the device allows %d", g.Registers, most)
	}
	list := Limits(d, g)
	if len(list) == 0 {
		return ""
	}
	switch n, by := Resident(list); {
	case n > 0:
		return ""
	case by == "registers":
		subgroups := intmath.CeilDiv(g.Items, g.Subgroup)
		alone := Limits(d, Group{Items: 1, Registers: g.Registers, Subgroup: g.Subgroup})
		return fmt.Sprintf("a work-group of %d work-items with %d registers each is %d sub-groups, a multiprocessor has registers for %d", g.Items, g.Registers, subgroups,
			alone[slices.IndexFunc(alone, func(l Limit) bool { return l.Resource == by })].Groups)
	case by == "local memory":
		return fmt.Sprintf("%d bytes of local memory for a work-group, a multiprocessor has %d", g.Local, d.Int(facts.LocalBytes)-d.Int(facts.LocalReserved))
	}
	return fmt.Sprintf("a work-group of %d work-items, a multiprocessor holds %d", g.Items, d.Int(facts.Items))
}

// Held is how many such work-groups a multiprocessor runs at once, 0 if a group exceeds a limit. The device must know its ResidentFacts.
func Held(d *facts.Device, g Group) int64 {
	n, _ := Resident(Limits(d, g))
	return n
}

// Held is how many such work-groups a multiprocessor of the machine holds at once.
func (m *Machine) Held(g Group) int64 { return Held(m.device, g) }
