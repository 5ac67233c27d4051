package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuperf/internal/bounded"
	"gpuperf/internal/format"
	"gpuperf/internal/nameset"
	"gpuperf/polycount"
)

func cardCommand() *cobra.Command {
	var at []string
	var ofRange bool
	var budget cardBudget
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
				values, err := parseValues([]string{text})
				switch {
				case err != nil:
					return err
				case len(values) > 1:
					return usagef("--at %s gives %d points; repeat --at for several", text, len(values))
				}
				points[i] = values[0]
			}
			if budget.limit < 0 || budget.timeout < 0 {
				return usagef("--limit and --timeout must not be negative")
			}
			start := time.Now()
			counts, err := budget.cardinality(cmd.Context(), args[0], ofRange)
			if err != nil {
				return err
			}
			if err := checkPoints(counts, points); err != nil {
				return err
			}
			elapsed := time.Since(start)
			return printCard(cmd, counts, points, elapsed)
		},
	}
	cmd.Flags().StringArrayVar(&at, "at", nil, "evaluate the count at these values, for example n=64,m=-3 (may be repeated). "+sizeForms)
	cmd.Flags().BoolVar(&ofRange, "range", false, "count the range of a map")
	cmd.Flags().Int64Var(&budget.limit, "limit", 0, "most work, in units of about one coefficient touched (default 50000000, two or three seconds)")
	cmd.Flags().DurationVar(&budget.timeout, "timeout", 0, "give up after this time, for example 10s (default 10s)")
	return cmd
}

// cardBudget bounds a count. Zero values are the defaults.
type cardBudget struct {
	limit   int64
	timeout time.Duration
}

// cardTime and cardMemory bound a count, of which --timeout allows more time.
const (
	cardTime   = 10 * time.Second
	cardMemory = 512 << 20
)

// cardinality is the function of that name within the budget; its errors say how to get a larger one.
func (b cardBudget) cardinality(ctx context.Context, text string, ofRange bool) ([]polycount.TupleCount, error) {
	var counts []polycount.TupleCount
	limits := bounded.Limits{Time: cmp.Or(b.timeout, cardTime), Memory: cardMemory}
	err := bounded.Do(ctx, limits, func(ctx context.Context, _ func()) error {
		found, err := cardinality(text, ofRange, polycount.WithContext(ctx), polycount.WithLimit(b.limit))
		if err == nil {
			counts = found
		} else if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return err
	})
	switch {
	case errors.Is(err, polycount.ErrBudget):
		limit := b.limit
		if limit == 0 {
			limit = polycount.DefaultLimit
		}
		return nil, fmt.Errorf("%w (--limit %d allows ten times the work)", err, 10*min(limit, math.MaxInt64/10))
	case errors.Is(err, bounded.ErrExceeded):
		return nil, fmt.Errorf("the count %w (--timeout sets another limit of time)", err)
	case err != nil: // what was abandoned may still end
		return nil, err
	}
	return counts, nil
}

// checkPoints complains of names that are no parameters, and of parameters that have no value. With several counts, the
// dimensions of each are parameters of its own.
func checkPoints(counts []polycount.TupleCount, points []map[string]int64) error {
	var known []string
	for _, c := range counts {
		for _, n := range c.Count.Params() {
			if !slices.Contains(known, n) {
				known = append(known, n)
			}
		}
	}
	params := "there are no parameters"
	if len(known) > 0 {
		params = "the parameters are " + strings.Join(known, ", ")
	}
	for _, point := range points {
		given := slices.Sorted(maps.Keys(point))
		var complaints []string
		if unknown := nameset.Remove(given, known...); len(unknown) > 0 {
			complaints = append(complaints, "no parameter is called "+strings.Join(unknown, ", "))
		}
		if missing := nameset.Remove(known, given...); len(missing) > 0 {
			complaints = append(complaints, "no value is given for "+strings.Join(missing, ", "))
		}
		if len(complaints) > 0 {
			return usagef("--at %s: %s; %s", format.Sizes(point), strings.Join(complaints, ", and "), params)
		}
	}
	return nil
}

// cardinality counts a set, the range of a map, or the images of each point of a map's domain: of a union of maps, for
// each tuple of a domain. Otherwise there is one count, without a tuple.
func cardinality(text string, ofRange bool, limit ...polycount.Option) ([]polycount.TupleCount, error) {
	one := func(count *polycount.Poly, err error) ([]polycount.TupleCount, error) {
		return []polycount.TupleCount{{Count: count}}, err
	}
	_, body, _ := strings.Cut(text, "{")
	if !strings.Contains(body, "->") {
		if ofRange {
			return nil, usagef("--range takes a map, this is a set: %s", text)
		}
		set, err := polycount.ParseUnionSet(text)
		if err != nil {
			return nil, err
		}
		return one(set.Count(limit...))
	}
	maps, err := polycount.ParseUnionMap(text)
	if err != nil {
		return nil, err
	}
	if ofRange {
		image, err := maps.Range()
		if err != nil {
			return nil, err
		}
		return one(image.Count(limit...))
	}
	counts, err := maps.Card(limit...)
	if err == nil && len(counts) == 1 {
		return one(counts[0].Count, nil)
	}
	return counts, err
}

// valueAt is the value of a count at given parameters.
type valueAt struct {
	At    map[string]int64 `json:"at"`
	Value string           `json:"value"`
}

func printCard(cmd *cobra.Command, counts []polycount.TupleCount, points []map[string]int64, elapsed time.Duration) error {
	type card struct {
		Tuple  string    `json:"tuple,omitempty"` // of the domain, where there are several
		Card   string    `json:"card"`
		Pieces int       `json:"pieces"`
		Values []valueAt `json:"values,omitempty"`
	}
	var cards []card
	for _, c := range counts {
		x := card{Card: c.Count.String(), Pieces: c.Count.Pieces()}
		if len(counts) > 1 {
			x.Tuple = c.Tuple + "[" + strings.Join(c.Dims, ", ") + "]"
		}
		for _, point := range points {
			value, err := c.Count.Eval(point)
			if err != nil {
				return usage(err)
			}
			x.Values = append(x.Values, valueAt{point, value.RatString()})
		}
		cards = append(cards, x)
	}
	if wantJSON(cmd) {
		if len(cards) == 1 {
			return printJSON(cmd.OutOrStdout(), struct {
				card
				Seconds float64 `json:"seconds"`
			}{cards[0], elapsed.Seconds()})
		}
		return printJSON(cmd.OutOrStdout(), struct {
			Cards   []card  `json:"cards"`
			Seconds float64 `json:"seconds"`
		}{cards, elapsed.Seconds()})
	}
	for _, x := range cards {
		prefix := ""
		if x.Tuple != "" {
			prefix = x.Tuple + ": "
		}
		fmt.Fprintln(cmd.OutOrStdout(), prefix+x.Card)
		for _, v := range x.Values {
			fmt.Fprintf(cmd.OutOrStdout(), "%s%s: %s\n", prefix, format.Sizes(v.At), v.Value)
		}
	}
	return nil
}
