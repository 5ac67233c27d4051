package search

import (
	"context"
	"errors"
	"fmt"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/emulate"
	"gpuperf/emulate/launches"
	"gpuperf/sass"
	"gpuperf/sass/compiled"
)

// Sequence is the launch of a configuration.
func (s *Space) Sequence(c Configuration) (*launches.Sequence, error) {
	file, sizes := s.At(c)
	return launches.OfFile(file, sizes)
}

// impossible is why a configuration cannot be compiled or launched.
type impossible struct{ error }

// Is reports that this is ErrImpossible.
func (impossible) Is(err error) bool { return err == ErrImpossible }

// Emulator is the oracle of a file.
type Emulator struct {
	*Space
	Device *facts.Device
	// Code is the machine code of a configuration and its launch.
	Code func(context.Context, Configuration, *launches.Sequence) (*sass.Listing, error)
}

// Emulate emulates the launch of a configuration.
func (e *Emulator) Emulate(ctx context.Context, c Configuration, sensitivity bool) (*emulate.Result, error) {
	s, err := e.Sequence(c)
	if err != nil { // as where a grid is shorter than one work-group
		return nil, impossible{err}
	}
	l, err := e.Code(ctx, c, s)
	if refused := (*compiled.Refused)(nil); errors.As(err, &refused) {
		return nil, impossible{err}
	}
	if err != nil {
		return nil, err
	}
	r, err := s.Run(ctx, l, launches.Options{Device: e.Device, Sensitivity: sensitivity})
	if _, refused := device.AsError(err); refused {
		return nil, impossible{err}
	}
	if err != nil {
		return nil, err
	}
	result := r.Launches[0].Result
	if !result.Status.Finite() { // a lower bound would win
		return nil, impossible{fmt.Errorf("it has no time: %s", result.Why()[0])}
	}
	return result, nil
}
