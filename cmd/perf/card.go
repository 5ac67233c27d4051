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
in the parameters, and 0 outside its pieces. Of a map it counts the images of each point of the domain, or with --range
the points of its range.`,
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
			count, err := cardinality(cmd, args[0], ofRange)
			if err != nil {
				return err
			}
			elapsed := time.Since(start)
			return printCard(cmd, count, points, elapsed)
		},
	}
	cmd.Flags().StringArrayVar(&at, "at", nil, "evaluate the count at these values, for example n=64,m=32 (may be repeated)")
	cmd.Flags().BoolVar(&ofRange, "range", false, "count the range of a map")
	return cmd
}

// cardinality counts a set, the range of a map, or the images of each point of a map's domain.
func cardinality(cmd *cobra.Command, text string, ofRange bool) (*polycount.Poly, error) {
	limit := polycount.WithContext(cmd.Context())
	_, body, _ := strings.Cut(text, "{")
	if !strings.Contains(body, "->") {
		if ofRange {
			return nil, usagef("--range takes a map, this is a set: %s", text)
		}
		set, err := polycount.ParseUnionSet(text)
		if err != nil {
			return nil, err
		}
		return set.Count(limit)
	}
	if ofRange {
		maps, err := polycount.ParseUnionMap(text)
		if err != nil {
			return nil, err
		}
		image, err := maps.Range()
		if err != nil {
			return nil, err
		}
		return image.Count(limit)
	}
	m, err := polycount.ParseMap(text)
	if err != nil {
		return nil, err
	}
	return m.Card(limit)
}

func printCard(cmd *cobra.Command, count *polycount.Poly, points []map[string]int64, elapsed time.Duration) error {
	type valueAt struct {
		At    map[string]int64 `json:"at"`
		Value string           `json:"value"`
	}
	var values []valueAt
	for _, point := range points {
		value, err := count.Eval(point)
		if err != nil {
			return &usageError{err}
		}
		values = append(values, valueAt{point, exact(value)})
	}
	if wantJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), struct {
			Card    string    `json:"card"`
			Pieces  int       `json:"pieces"`
			Seconds float64   `json:"seconds"`
			Values  []valueAt `json:"values,omitempty"`
		}{count.String(), count.Pieces(), elapsed.Seconds(), values})
	}
	fmt.Fprintln(cmd.OutOrStdout(), count)
	for _, v := range values {
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", formatSizes(v.At), v.Value)
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
