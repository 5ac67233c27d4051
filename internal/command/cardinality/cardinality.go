// Package cardinality counts what a set or map in isl's notation has, as perf card and the reference show it.
//
// Count tells sets from maps. Options bound its work, time and memory. CheckPoints and Cards evaluate the counts at values
// of their parameters; Write prints them.
package cardinality

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"gpuperf/internal/bounded"
	"gpuperf/internal/format"
	"gpuperf/internal/nameset"
	"gpuperf/polycount"
)

// ErrNotMap says that the range of a set was asked for.
var ErrNotMap = errors.New("this is a set")

// Count counts a set, the range of a map, or the images of each point of a map's domain: of a union of maps, for
// each tuple of a domain. Otherwise there is one count, without a tuple.
func Count(text string, ofRange bool, limit ...polycount.Option) ([]polycount.TupleCount, error) {
	one := func(count *polycount.Poly, err error) ([]polycount.TupleCount, error) {
		return []polycount.TupleCount{{Count: count}}, err
	}
	_, body, _ := strings.Cut(text, "{")
	if !strings.Contains(body, "->") {
		if ofRange {
			return nil, ErrNotMap
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

// Options bound a count. Zero values are the defaults.
type Options struct {
	Limit int64         // of the work, as polycount.WithLimit
	Time  time.Duration // bounded.Patience; it only ends with an error
}

const (
	defaultTime = bounded.Patience
	mostMemory  = 512 << 20 // bytes: far more than a count needs, far less than a machine has
)

// Count is the function of that name within the limits; its errors say how to get larger ones.
func (o Options) Count(ctx context.Context, text string, ofRange bool) ([]polycount.TupleCount, error) {
	var counts []polycount.TupleCount
	limits := bounded.Limits{Time: cmp.Or(o.Time, defaultTime), Memory: mostMemory}
	err := bounded.Do(ctx, limits, func(ctx context.Context, _ func() int) error {
		found, err := Count(text, ofRange, polycount.WithContext(ctx), polycount.WithLimit(o.Limit))
		if err == nil {
			counts = found
		} else if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return err
	})
	switch {
	case errors.Is(err, polycount.ErrBudget):
		limit := cmp.Or(o.Limit, polycount.DefaultLimit)
		return nil, fmt.Errorf("%w (--limit %d allows ten times the work)", err, 10*min(limit, math.MaxInt64/10))
	case errors.Is(err, bounded.ErrExceeded):
		return nil, fmt.Errorf("the count %w (--timeout sets another limit of time)", err)
	case err != nil: // what was abandoned may still end
		return nil, err
	}
	return counts, nil
}

// CheckPoints complains of names that are no parameters, and of parameters that have no value. With several counts, the
// dimensions of each are parameters of its own.
func CheckPoints(counts []polycount.TupleCount, points []map[string]int64) error {
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
			return fmt.Errorf("%s: %s; %s", format.Sizes(point), strings.Join(complaints, ", and "), params)
		}
	}
	return nil
}

// Card is a count with its values.
type Card struct {
	Tuple  string  `json:"tuple,omitempty"` // of the domain, where there are several
	Card   string  `json:"card"`
	Pieces int     `json:"pieces"`
	Values []Value `json:"values,omitempty"`
}

// Value is the value of a count at given parameters.
type Value struct {
	At    map[string]int64 `json:"at"`
	Value string           `json:"value"`
}

// Cards evaluates counts at points.
func Cards(counts []polycount.TupleCount, points []map[string]int64) ([]Card, error) {
	var cards []Card
	for _, c := range counts {
		x := Card{Card: c.Count.String(), Pieces: c.Count.Pieces()}
		if len(counts) > 1 {
			x.Tuple = c.Tuple + "[" + strings.Join(c.Dims, ", ") + "]"
		}
		for _, point := range points {
			value, err := c.Count.Eval(point)
			if err != nil {
				return nil, err
			}
			x.Values = append(x.Values, Value{point, value.RatString()})
		}
		cards = append(cards, x)
	}
	return cards, nil
}

// Write writes counts, each with its values below it.
func Write(w io.Writer, cards []Card) error {
	var b strings.Builder
	for _, x := range cards {
		prefix := ""
		if x.Tuple != "" {
			prefix = x.Tuple + ": "
		}
		fmt.Fprintln(&b, prefix+x.Card)
		for _, v := range x.Values {
			fmt.Fprintf(&b, "%s%s: %s\n", prefix, format.Sizes(v.At), v.Value)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
