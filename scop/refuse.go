package scop

import (
	"errors"

	"gpuperf/cfront"
	"gpuperf/internal/source"
)

// offer adds to the error about a region which part of it is static control.
func offer(f *cfront.File, r *cfront.Region, items []cfront.Stmt, why error) error {
	var fault *source.Error
	if !errors.As(why, &fault) {
		return why
	}
	o := offering{file: f, region: r}
	o.search(items)
	if o.best == 0 {
		return why
	}
	hint := "put #pragma scop and #pragma endscop around lines %d to %d, which are static control"
	if fault.Hint != "" {
		hint = fault.Hint + "; or " + hint
	}
	return fault.WithHint(hint, o.first, o.last)
}

// offering is the search for the part of a region with most statements that is static control.
type offering struct {
	file              *cfront.File
	region            *cfront.Region
	best, first, last int
	tried             int
}

// maxTries bounds the parts that are tried.
const maxTries = 200

// search tries the runs of statements of a list, and the bodies of those that cannot be part of one.
func (o *offering) search(items []cfront.Stmt) {
	start := 0
	flush := func(end int) {
		if start < end {
			o.try(items[start:end])
		}
		start = end + 1
	}
	for i, s := range items {
		if o.tried++; o.tried > maxTries {
			return
		}
		if _, err := build(o.file, o.region, []cfront.Stmt{s}, nil); err == nil {
			continue
		}
		flush(i)
		inner, _ := cfront.Inside(s)
		if len(inner) == 1 {
			if body, ok := inner[0].(*cfront.Block); ok {
				inner = body.Items
			}
		}
		o.search(inner)
	}
	flush(len(items))
}

// try tries a run of statements of which each alone is static control: together they may not be.
func (o *offering) try(run []cfront.Stmt) {
	for len(run) > 0 {
		n, err := build(o.file, o.region, run, nil)
		if err != nil {
			run = run[:len(run)-1]
			continue
		}
		if len(n.Statements) > o.best && len(n.Loops) > 0 {
			o.best = len(n.Statements)
			o.first, _ = cfront.Lines(run[0])
			_, o.last = cfront.Lines(run[len(run)-1])
		}
		return
	}
}

// foreignStatement says what a statement is that loop nests have not.
func foreignStatement(s cfront.Stmt) string {
	switch x := s.(type) {
	case *cfront.While:
		if x.Do {
			return "a do loop"
		}
		return "a while loop"
	case *cfront.Jump:
		return x.What
	case *cfront.Other:
		return x.What
	}
	return "this"
}

// foreign says what an expression is that loop nests have not.
func foreign(e cfront.Expr) string {
	switch x := e.(type) {
	case *cfront.List:
		return "the comma operator"
	case *cfront.Address:
		return "an address"
	case *cfront.Member:
		return "a member of a struct"
	case *cfront.Unknown:
		return x.What
	}
	return "this"
}
