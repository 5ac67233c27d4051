package facts

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"gpuperf/internal/yamlfile"
)

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

// follow names, for a measured fact, the fact that it cannot exceed. Where a sheet states the latter alone, the former is in the same proportion to it as in the sheet
// that it starts from.
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
	ConstantBytes, ConstantLine, ConstantWays, ConstantSecondLine, SubgroupSize, LineBytes, SectorBytes, Banks, BankBytes, RegistersPerItem, RegistersPerGroup, RegisterUnit, LocalUnit, LocalPerGroup,
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
