package main

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuperf/polycount"
)

func cardCommand() *cobra.Command {
	var at []string
	var ofRange bool
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
				sizes, err := parseOneSize([]string{text})
				if err != nil {
					return err
				}
				points[i] = sizes
			}
			start := time.Now()
			counts, err := cardinality(cmd, args[0], ofRange)
			if err != nil {
				return err
			}
			elapsed := time.Since(start)
			return printCard(cmd, counts, points, elapsed)
		},
	}
	cmd.Flags().StringArrayVar(&at, "at", nil, "evaluate the count at these values, for example n=64,m=32 (may be repeated)")
	cmd.Flags().BoolVar(&ofRange, "range", false, "count the range of a map")
	return cmd
}

// cardinality counts a set, the range of a map, or the images of each point of a map's domain: of a union of maps, for
// each tuple of a domain. Otherwise there is one count, without a tuple.
func cardinality(cmd *cobra.Command, text string, ofRange bool) ([]polycount.TupleCount, error) {
	limit := polycount.WithContext(cmd.Context())
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
		return one(set.Count(limit))
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
		return one(image.Count(limit))
	}
	counts, err := maps.Card(limit)
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
				return &usageError{err}
			}
			x.Values = append(x.Values, valueAt{point, exact(value)})
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
			fmt.Fprintf(cmd.OutOrStdout(), "%s%s: %s\n", prefix, formatSizes(v.At), v.Value)
		}
	}
	return nil
}

// exact writes a rational: as an integer where it is one.
func exact(value *big.Rat) string {
	if value.IsInt() {
		return value.Num().String()
	}
	return value.String()
}
