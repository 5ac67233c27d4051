package bench

import (
	"fmt"

	"gpuperf/device/facts"
	"gpuperf/emulate"
	"gpuperf/launchfile"
	"gpuperf/sass"
)

// Emulated is what the emulator says a measurement would tell on a device, in the unit of its number: cycles, or seconds of a launch. It is that
// of the instructions between the clocks: of two launches with different numbers of turns of the loop around them, what one takes longer.
func (m *Measurement) Emulated(f *sass.Function, d *facts.Device) (float64, error) {
	if m.timed {
		r, err := m.emulate(f, d, m.numbers)
		if err != nil {
			return 0, err
		}
		return r.Seconds + r.Launch, nil
	}
	if m.operations == 0 {
		return 0, fmt.Errorf("%s has no loop whose turns are a parameter", m.Key())
	}
	const few, enough = 6, 20_000 // turns show the rate already, and so do operations of all warps
	times := [2]float64{}
	turns := m.numbers[m.turns]
	turns = min(turns, max(few, enough/(m.operations/turns*m.Items/32)))
	for i := range times {
		numbers := append([]int64{}, m.numbers...)
		numbers[m.turns] = turns * int64(1+i)
		r, err := m.emulate(f, d, numbers)
		if err != nil {
			return 0, err
		}
		times[i] = r.Cycles
	}
	return (times[1] - times[0]) / float64(m.operations/m.numbers[m.turns]*turns), nil
}

func (m *Measurement) emulate(f *sass.Function, d *facts.Device, numbers []int64) (*emulate.Result, error) {
	one := *m
	one.before, one.once, one.numbers = nil, true, numbers
	job := one.job()
	return emulate.Run(emulate.Input{Function: f, Job: job, Code: launchfile.Code{Registers: int64(f.Registers)}, Device: d})
}
