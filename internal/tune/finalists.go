package tune

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"gpuperf/internal/format"
	"gpuperf/internal/parallel"
	"gpuperf/internal/source"
	"gpuperf/internal/throw"
	"gpuperf/search"
	"gpuperf/workload"
)

// Final tells the time of a kernel in place of the predictor of a ranking, and takes longer.
type Final struct {
	Name   string // of what tells it, as outputs have it
	Device string // that it is for
	Time   func(ctx context.Context, c *workload.Case) (seconds float64, interval [2]float64, err error)
}

// Finalists are the configurations that are predicted to take at most canWin times what the last one listed takes, mostFinalists of them at most. Of the variants in
// examples/evaluation/choose.yaml the emulator and the model differ by more than canWin from one to another in 1 of 20.
const (
	canWin        = 1.5
	mostFinalists = 64
)

// final puts the finalists in the order of the times that r.Final tells, and keeps the fastest.
func (r Ranking) final(ctx context.Context, out *Ranked, listed int) error {
	list := out.Best
	if last := min(listed, len(list)); last > 0 {
		limit := canWin * list[last-1].Seconds
		if slower := slices.IndexFunc(list, func(l RankedConfig) bool { return l.Seconds > limit }); slower >= 0 {
			list = list[:max(last, slower)]
		}
	}
	out.Final, out.Device, out.Finalists, out.Best = r.Final.Name, r.Final.Device, len(list), []RankedConfig{}
	err := parallel.Try(len(list), runtime.GOMAXPROCS(0), func(i int) error {
		if err := r.retime(ctx, &list[i]); err != nil {
			list[i].Refused = source.Message(err)
		}
		return ctx.Err()
	})
	for _, l := range list {
		if l.Refused != "" {
			out.Timeless = append(out.Timeless, l)
			continue
		}
		out.Best = append(out.Best, l)
	}
	slices.SortStableFunc(out.Best, func(a, b RankedConfig) int { return cmp.Compare(a.Seconds, b.Seconds) })
	out.Best = out.Best[:min(listed, len(out.Best))]
	return err
}

// retime replaces the predicted time of a configuration.
func (r Ranking) retime(ctx context.Context, line *RankedConfig) (err error) {
	defer throw.Catch(&err)
	config, err := search.ParseConfig(line.Configuration)
	if err == nil {
		config, err = search.Path(r.Target.Space(), config)
	}
	if err != nil {
		return err
	}
	kernels := throw.Get(r.Target.Counted(ctx, config))
	sum, ends := 0.0, [2]float64{}
	for _, one := range kernels {
		seconds, interval := throw.Get2(r.Final.Time(ctx, one.Case))
		sum += one.Times * seconds
		for i := range ends {
			ends[i] += one.Times * interval[i]
		}
	}
	line.Seconds, line.Lo, line.Hi = sum, 0, 0
	if len(kernels) == 1 && !math.IsInf(ends[1], 0) {
		line.Lo, line.Hi = ends[0], ends[1]
	}
	return nil
}

// finalText says which configurations the listed times are of.
func (out *Ranked) finalText() string {
	if out.Final == "" {
		return ""
	}
	text := fmt.Sprintf("times on %s of the %s that may be the fastest: %s", out.Device, format.Count(out.Finalists, "configuration"), out.Final)
	if n := len(out.Timeless); n > 0 {
		text += fmt.Sprintf("; %d have none: %s: %s", n, out.Timeless[0].Configuration, out.Timeless[0].Refused)
	}
	return text + "\n"
}

// forDevice names the device of the predictions, where no other times are listed.
func (out *Ranked) forDevice() string {
	if out.Final != "" {
		return ""
	}
	return " for " + out.Device
}
