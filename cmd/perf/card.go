package main

import (
	"errors"
	"io"
	"math"
	"time"

	"github.com/spf13/cobra"

	"gpuperf/internal/command/cardinality"
	"gpuperf/internal/format"
)

func cardCommand() *cobra.Command {
	var at []string
	var ofRange bool
	var limits cardinality.Options
	cmd := &cobra.Command{
		Use:   "card SET|MAP",
		Short: "Count the integer points of a set, symbolically",
		Long: `card counts the integer points of a parametric set in isl's notation. The count is an exact piecewise quasi-polynomial
in the parameters, and 0 outside its pieces. Of a map it counts the images of each point of the domain, for each named
tuple of a union, or with --range the points of its range.`,
		Example: `  perf card '[n] -> { [i,j] : 0 <= i <= j < n }' --at n=64
  perf card --range '[n] -> { [i,j] -> [2i+3j] : 0 <= i,j < n }'`,
		Args: exactArgs(1, "one set or map"),
		RunE: func(cmd *cobra.Command, args []string) error {
			points := make([]map[string]int64, len(at))
			for i, text := range at {
				values, err := format.ParseCases([]string{text}, math.MinInt64)
				switch {
				case err != nil:
					return usage(err)
				case len(values) > 1:
					return usagef("--at %s gives %d points; repeat --at for several", text, len(values))
				}
				points[i] = values[0]
			}
			if limits.Limit < 0 || limits.Time < 0 {
				return usagef("--limit and --timeout must not be negative")
			}
			start := time.Now()
			counts, err := limits.Count(cmd.Context(), args[0], ofRange)
			if errors.Is(err, cardinality.ErrNotMap) {
				return usagef("--range takes a map, %w: %s", err, args[0])
			} else if err != nil {
				return err
			}
			if err := cardinality.CheckPoints(counts, points); err != nil {
				return usagef("--at %w", err)
			}
			elapsed := time.Since(start).Seconds()
			cards, err := cardinality.Cards(counts, points)
			if err != nil {
				return usage(err)
			}
			return show(cmd, cardsJSON(cards, elapsed), func(w io.Writer) error { return cardinality.Write(w, cards) })
		},
	}
	cmd.Flags().StringArrayVar(&at, "at", nil, "evaluate the count at these values, for example n=64,m=-3 (may be repeated). "+sizeForms)
	cmd.Flags().BoolVar(&ofRange, "range", false, "count the range of a map")
	cmd.Flags().Int64Var(&limits.Limit, "limit", 0, "most work, in units of about one coefficient touched (default 50000000, two or three seconds)")
	cmd.Flags().DurationVar(&limits.Time, "timeout", 0, "give up after this time, for example 10s (default 1m); --limit bounds the work")
	return cmd
}

// cardsJSON is the object of counts: the only one itself, or a list.
func cardsJSON(cards []cardinality.Card, seconds float64) any {
	if len(cards) == 1 {
		return struct {
			cardinality.Card
			Seconds float64 `json:"seconds"`
		}{cards[0], seconds}
	}
	return struct {
		Cards   []cardinality.Card `json:"cards"`
		Seconds float64            `json:"seconds"`
	}{cards, seconds}
}
