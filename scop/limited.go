package scop

import (
	"context"
	"errors"
	"fmt"

	"gpuperf/internal/bounded"
	"gpuperf/polycount"
)

// Work that analyses of one nest may take by default, in units of package polycount: some eight seconds of one core.
const Work = 160_000_000

// Limited does something with a nest whose sets are within a budget of work, so that what comes of it does not depend on how busy the machine is. What takes
// more is an error that wraps bounded.ErrExceeded and polycount.ErrBudget. What hangs, or needs too much memory, ends with an error that wraps the former alone.
func Limited[T any](ctx context.Context, n *Nest, units int64, f func(*Nest) (T, error)) (out T, err error) {
	budget := polycount.NewBudget(units)
	defer budget.End()
	made := new(T) // by what may go on after this returns
	err = bounded.Do(ctx, limits, func(context.Context, func() int) (err error) {
		*made, err = f(n.Within(budget))
		return err
	})
	switch {
	case err == nil:
		return *made, nil
	case errors.Is(err, polycount.ErrBudget) && budget.Exceeded():
		err = fmt.Errorf("takes %w its limit of work (%w)", bounded.ErrExceeded, polycount.ErrBudget)
	}
	return out, err
}

// Each is Limited for nests one after the other.
func Each[T any](ctx context.Context, nests []*Nest, units int64, f func(*Nest) (T, error)) (all []T, err error) {
	for _, n := range nests {
		out, err := Limited(ctx, n, units, f)
		if err != nil {
			return all, err
		}
		all = append(all, out)
	}
	return all, nil
}
