package runner

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gpuperf/device"
)

// pool keeps buffers between jobs that ask for it: thousands of variants of a program use the same data, and filling the
// buffers takes longer than running the variants.
type pool struct {
	masters  map[fill]buffer // data as buffers start with; never written
	work     map[work]buffer // what kernels write
	expected map[string]*expected
	compare  map[string]*comparer // by dtype
	bytes    int64
}

// fill is what decides on the elements of a buffer.
type fill struct {
	dtype    string
	seed     uint64
	sequence string // or a formula
	file     device.File
	signed   bool
	bytes    int64 // a part of a larger buffer would have no guard behind it
}

type work struct {
	name  string
	bytes int64
}

// poolShare is the part of a device's memory that the pool may take before it is emptied.
const poolShare = 3

// trim empties the pool where it has become large. Nothing of it may be bound.
func (p *pool) trim(d *Device) {
	if p.bytes > d.MaxPool {
		p.empty(d)
	}
}

// buffer returns the pool's buffer for an argument. If it has a master, its data must be copied from there before a run.
func (p *pool) buffer(d *Device, a device.Arg) (buffer, error) {
	if p.masters == nil {
		p.masters, p.work = map[fill]buffer{}, map[work]buffer{}
	}
	key := fill{dtype: a.DType, seed: a.Seed, signed: a.Signed, bytes: a.Bytes()}
	if a.Formula != nil {
		key.sequence = fmt.Sprint(a.Formula)
	}
	if a.Sequence != nil {
		key.sequence = fmt.Sprint(*a.Sequence)
	}
	if a.File != nil {
		key.file = *a.File
	}
	master, ok := p.masters[key]
	if !ok {
		var err error
		if master, err = d.filled(a); err != nil {
			d.free(master)
			return buffer{}, err
		}
		p.masters[key] = master
		p.bytes += a.Bytes()
	}
	if !a.Write {
		return master, nil
	}
	own := work{a.Name, a.Bytes()}
	buf, ok := p.work[own]
	if !ok {
		var err error
		if buf, err = d.guarded(a.Bytes()); err != nil {
			return buffer{}, err
		}
		p.work[own] = buf
		p.bytes += a.Bytes()
	}
	buf.master = master.id
	return buf, nil
}

// empty gives all buffers back.
func (p *pool) empty(d *Device) {
	for _, b := range inOrder(p.masters) {
		d.free(b)
	}
	for _, b := range inOrder(p.work) {
		d.free(b)
	}
	for _, e := range inOrder(p.expected) {
		e.release(d)
	}
	p.masters, p.work, p.expected, p.bytes = nil, nil, nil, 0
}

// inOrder are the values of a map in the order of its keys' text, so that a driver is asked for the same things in the same order each time.
func inOrder[K comparable, V any](m map[K]V) (values []V) {
	for _, k := range slices.SortedFunc(maps.Keys(m), func(a, b K) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }) {
		values = append(values, m[k])
	}
	return values
}

func (p *pool) close(d *Device) {
	p.empty(d)
	for _, c := range inOrder(p.compare) {
		c.release(d)
	}
	p.compare = nil
}
