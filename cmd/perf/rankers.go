package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"gpuperf/device/facts"
	"gpuperf/lift/rank"
	"gpuperf/samples"
)

// rankerList is the table of rankers for the help.
func rankerList() string {
	text := "Rankers:\n"
	for _, r := range rank.Rankers() {
		text += fmt.Sprintf("  %-13s %s\n", r.Name, r.Doc)
	}
	return text
}

// loadSet reads vectors and samples and joins them; the device is that of the samples, nil where there are none.
func loadSet(cmd *cobra.Command, vectors, records string) (*rank.Set, *facts.Device, error) {
	if _, err := os.Stat(records); err != nil {
		return nil, nil, err
	}
	v, warnings, err := rank.ReadVectors(vectors)
	if err != nil {
		return nil, nil, err
	}
	list, more, err := samples.ReadFile(records)
	if err != nil {
		return nil, nil, err
	}
	var device *facts.Device
	if len(list) > 0 {
		device = facts.Of(list[0].Device)
	}
	set, joined := rank.Join(v, list)
	for _, w := range slices.Concat(warnings, more, joined) {
		warnf(cmd, "%v", w)
	}
	return set, device, nil
}

// chooseRankers finds rankers by name; without names, all that the points have what they need for.
func chooseRankers(s *rank.Set, names []string) ([]rank.Ranker, error) {
	var out []rank.Ranker
	for _, name := range names {
		r, err := rank.Find(name)
		if err != nil {
			return nil, usage(err)
		}
		out = append(out, r)
	}
	if len(names) > 0 {
		return out, nil
	}
	for _, r := range rank.Rankers() {
		if r.Missing(s) == nil {
			out = append(out, r)
		}
	}
	return out, nil
}

// compareRankers tries each of the rankers on every benchmark, left out.
func compareRankers(s *rank.Set, names []string, options rank.OutcomeOptions) ([]*rank.Outcomes, error) {
	chosen, err := chooseRankers(s, names)
	if err != nil {
		return nil, err
	}
	var all []*rank.Outcomes
	for _, r := range chosen {
		o, err := rank.LeaveOneOut(s, r, options)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

func writeFigures(dir string, f *rank.Figures, r *rank.Redundancy) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, figure := range []struct{ name, svg string }{
		{"curves.svg", f.Curves.SVG()},
		{"factors.svg", f.Factors.SVG()},
		{"runs.svg", f.Runs.SVG()},
		{"redundancy.svg", r.Chart().SVG()},
	} {
		if err := os.WriteFile(filepath.Join(dir, figure.name), []byte(figure.svg), 0o644); err != nil {
			return err
		}
	}
	return nil
}
