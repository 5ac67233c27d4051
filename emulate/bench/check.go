package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gpuperf/device"
	"gpuperf/internal/parallel"
	"gpuperf/samples"
	"gpuperf/sass"
)

// Code is the machine code of measurement kernels, by source.
type Code map[*unit]*built

// built is what a source was compiled to.
type built struct {
	cubin   []byte
	text    string // the listing
	kernels []*sass.Function
	err     error
}

// Compile compiles the sources of measurements, by compile, and lists the machine code. An error of a source is that of its measurements.
func Compile(ctx context.Context, all []*Measurement, compile func(device.Job) ([]byte, error)) Code {
	code := Code{}
	var units []*unit
	for _, m := range all {
		if code[m.unit] == nil {
			code[m.unit] = &built{}
			units = append(units, m.unit)
		}
	}
	parallel.For(len(units), func(i int) {
		b := code[units[i]]
		if b.err = ctx.Err(); b.err != nil {
			return
		}
		b.err = b.build(ctx, units[i], compile)
	})
	return code
}

func (b *built) build(ctx context.Context, u *unit, compile func(device.Job) ([]byte, error)) (err error) {
	if b.cubin, err = compile(device.Job{Source: u.text}); err != nil {
		return err
	}
	if b.text, err = sass.Disassemble(ctx, "the code of measurement kernels", b.cubin); err != nil {
		return err
	}
	l, err := sass.Parse(b.text)
	if err != nil {
		return err
	}
	b.kernels = l.Functions
	return nil
}

// of is the machine code that a measurement runs, and why it cannot be run.
func (c Code) of(m *Measurement) ([]byte, *device.Error) {
	b := c[m.unit]
	if b == nil {
		return nil, nil
	}
	if b.err != nil {
		if e, ok := device.AsError(b.err); ok {
			return nil, e
		}
		return nil, device.Errorf(samples.BuildFailed, "%v", b.err)
	}
	for _, f := range b.kernels {
		if f.Name != m.kernel {
			continue
		}
		if err := m.check(f); err != nil {
			return nil, device.Errorf(samples.Faulty, "%v", err)
		}
		return b.cubin, nil
	}
	return nil, device.Errorf(samples.Faulty, "the machine code has no kernel %s", m.kernel)
}

// control is how many instructions of a loop may be of the opcode that is measured and control the loop.
const control = 4

// check refuses machine code whose loops do not have what is measured as often as they should.
func (m *Measurement) check(f *sass.Function) error {
	counts := map[string]int{}
	for _, b := range f.Blocks {
		if b.Loop == nil {
			continue
		}
		for i := b.From; i < b.To; i++ {
			counts[f.Instructions[i].Mnemonic()]++
		}
	}
	for _, h := range m.holds {
		n := 0
		for name, times := range counts {
			if slices.ContainsFunc(strings.Split(h.opcodes, "|"), func(o string) bool { return name == o || strings.HasPrefix(name, o+".") }) {
				n += times
			}
		}
		if n < h.times || n > h.times+control+h.times/16 {
			return fmt.Errorf("%s is to measure %s, which its loop should have %d times, and the compiler has made it %d", m.kernel, h.opcodes, h.times, n)
		}
	}
	return nil
}
