package remedy

import (
	"errors"
	"fmt"
	"math"

	"gpuperf/device/facts"
	"gpuperf/internal/format"
	"gpuperf/kernel"
	"gpuperf/launch"
)

// Crowd are the atomic operations that take longest in L2: how long, and what they are, in words. They take no time where a kernel has none, or too little is
// known of the device.
func Crowd(p *launch.Program, k *kernel.Kernel, sizes map[string]int64, on *facts.Device) (seconds float64, text string, err error) {
	some := false
	for _, s := range k.Statements {
		some = some || s.Atomic && k.SpaceOf(s.Target()) == kernel.Global
	}
	if !some || !known(on) {
		return 0, "", nil
	}
	survey, err := p.Survey(sizes)
	if unknown := new(facts.Unknown); errors.As(err, &unknown) {
		return 0, "", nil
	} else if err != nil {
		return 0, "", err
	}
	x := &study{Subject: &Subject{Program: p, Kernel: k, Sizes: sizes, Device: on}, Survey: survey}
	for _, u := range survey.Uses {
		r := Row{Use: u}
		if !updatesL2(&r) {
			continue
		}
		if t := x.updates(&r, x.met(&r)); t > seconds {
			seconds, text = t, crowd(&r)
		}
	}
	return seconds, text, nil
}

func updatesL2(r *Row) bool { return r.Atomic && r.Store && r.Space == kernel.Global }

// known reports whether it is known of a device what atomic operations take in L2.
func known(on *facts.Device) bool {
	return on.Known(facts.PlaceGap, facts.PlaceFloat, facts.SliceGap, facts.ClockMHz)
}

// crowd says what meets where.
func crowd(r *Row) string {
	return fmt.Sprintf("%s updates of %s meet at %s of L2", format.Rough(float64(r.Items), ""), r.Array, format.Count(int(max(r.Extent/launch.LineBytes, 1)), "line"))
}

// atomics: operations of L2 on few lines, which are done one after the other.
func atomics(x *study) (out []candidate) {
	if !known(x.Device) {
		return nil
	}
	for _, r := range x.those(updatesL2) {
		serial := x.updates(&r, x.met(&r))
		if serial <= x.seconds {
			continue
		}
		out = append(out, candidate{
			array: r.Array, at: r.At, share: 1, extra: serial,
			defect: crowd(&r) + ", which does them one after the other",
			remedy: fmt.Sprintf("let each work-group add up in registers or local memory, and update %s once", r.Array),
			cures:  []cure{{edit: at([]Row{r}, launch.Effect{Without: true}), extra: x.updates(&r, x.once(&r))}},
		})
	}
	return out
}

// meeting is what atomic operations do at the lines of L2 that take most of them.
type meeting struct {
	sectors float64 // that a line is asked for, in all
	words   float64 // the same of a word
	each    float64 // operations on a word each time
}

// met is what the operations of a launch do. Where no data decides, work-groups that run at once are beside each other, and so is what they update; compilers
// let a sub-group that updates one integer add up first.
func (x *study) met(r *Row) meeting {
	n, lanes := float64(r.Requests), float64(r.Items)/float64(r.Requests)
	lines, sectors, words := x.shape(r)
	if r.Data {
		n, met := lanes/lines/sectors, 0.0 // of a sector
		met = max(n/words, 2-math.Exp(-n*(n-1)/2/words))
		asks := float64(r.Requests) * min(1, lanes/lines/sectors) // of a sector
		return meeting{asks * sectors, asks, met}
	}
	uniform := r.Strides == [3]int64{}
	group := float64(r.Bytes) // what a work-group updates
	if !uniform {
		group *= float64(x.Items)
	}
	part := min(1, max(float64(x.Resident*x.multiprocessors())/float64(x.Groups), group/float64(r.Extent))) // of the array, that is updated at one time
	asked := max(float64(r.Sectors), n)
	once := asked / n // sectors of a sub-group
	m := meeting{sectors: asked / max(1, once/sectorsOfLine, lines*part), words: asked / max(once, lines*sectors*part), each: max(1, lanes/once/words)}
	if uniform {
		m.words, m.each = asked/max(1, lines*sectors*words*part), lanes
		if !x.float(r) {
			m.each = 1
		}
	}
	return m
}

// once is what they do if each work-group updates each of its places once.
func (x *study) once(r *Row) meeting {
	lines, sectors, words := x.shape(r)
	places := min(lines*sectors*words, float64(x.Items))
	if !r.Data && r.Strides == [3]int64{} {
		places = 1
	}
	groups := float64(x.Groups)
	return meeting{groups * math.Ceil(places/words) / lines, groups * max(1, places/(lines*sectors*words)), 1}
}

// shape is how many lines an array has, sectors each of them, and words each of these.
func (x *study) shape(r *Row) (lines, sectors, words float64) {
	extent := float64(r.Extent)
	lines = max(math.Floor(extent/launch.LineBytes), 1)
	sectors = min(sectorsOfLine, math.Ceil(extent/launch.SectorBytes))
	words = min(launch.SectorBytes/float64(r.Bytes), max(math.Floor(extent/float64(r.Bytes)), 1))
	return lines, sectors, words
}

// sectorsOfLine are those that take turns in one.
const sectorsOfLine = launch.LineBytes / launch.SectorBytes

// float reports whether an array has numbers in floating point.
func (x *study) float(r *Row) bool {
	a := x.Kernel.Array(r.Array)
	return a != nil && a.DType.Base().IsFloat()
}

// updates are the seconds that L2 takes for atomic operations: a line does them one after the other, and those on one word wait for each other.
func (x *study) updates(r *Row, m meeting) float64 {
	gap := x.Device.Value(facts.PlaceGap)
	if x.float(r) {
		gap = x.Device.Value(facts.PlaceFloat)
	}
	return m.each * max(m.sectors*x.Device.Value(facts.SliceGap), m.words*gap) / (x.Device.Value(facts.ClockMHz) * 1e6)
}
