package tune

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gpuperf/emulate/launches"
	emulated "gpuperf/emulate/search"
	"gpuperf/search"
)

// Starts are the words that stand for configurations to run first, and what finds these.
var Starts = map[string]func(context.Context, *Search) ([]search.Config, error){
	"emulator": byEmulator,
	"model":    byPredictions,
}

// starts is how many configurations each of them gives.
const starts = 3

// Begin are configurations to run first: those that a word of Starts stands for, or the one that the text is.
func (s *Search) Begin(ctx context.Context, text string) ([]search.Config, error) {
	if find := Starts[text]; find != nil {
		return find(ctx, s)
	}
	c, err := search.ParseConfig(text)
	if err != nil {
		return nil, err
	}
	c, err = search.Path(s.Target.Space(), c)
	return []search.Config{c}, err
}

// byPredictions are those that the model predicts to be the fastest of many.
func byPredictions(ctx context.Context, s *Search) ([]search.Config, error) {
	if s.Predictor == nil {
		return nil, errors.New("there is no model: give a --profile")
	}
	return search.Promising(s.Target.Space(), func(c search.Config) float64 { return s.predict(ctx, c) }, starts, s.Seed), nil
}

// byEmulator are those that the emulator's search finds, by machine code and without a run.
func byEmulator(ctx context.Context, s *Search) (out []search.Config, err error) {
	l, ok := s.Target.(*launchFile)
	if !ok {
		return nil, fmt.Errorf("the emulator's search takes launch files, and %s is none", s.Target.Name())
	}
	r, err := emulated.Run(ctx, l.path, s.Campaign.Device.Info().Name, launches.UsualArch, emulated.Options{})
	if err != nil {
		return nil, err
	}
	for _, b := range r.Best[:min(len(r.Best), starts)] {
		out = append(out, l.file.Config(slices.Clone(b.Configuration)))
	}
	return out, nil
}
