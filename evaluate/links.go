package evaluate

import (
	"slices"

	"gpuperf/models"
)

// costs finds what each parameter is the cost of: the features in products with that parameter alone, as in p_a * f_x or
// p_b * (f_x + 2*f_y). A parameter that also stands elsewhere, in an exponent or a product with other things, is left out.
func costs(e *models.Expr) map[string][]string {
	l := links{of: map[string][]string{}, other: map[string]bool{}, seen: map[*models.Expr]bool{}}
	l.walk(e)
	for name := range l.other {
		delete(l.of, name)
	}
	return l.of
}

type links struct {
	of    map[string][]string
	other map[string]bool // parameters that are no plain cost
	seen  map[*models.Expr]bool
}

func (l *links) walk(e *models.Expr) {
	if l.seen[e] {
		return
	}
	l.seen[e] = true
	name, names, ok := product(e)
	switch {
	case ok:
		for _, n := range names {
			if !slices.Contains(l.of[name], n) {
				l.of[name] = append(l.of[name], n)
			}
		}
	case e.Op == models.Param:
		l.other[e.Name] = true
	case (e.Op == models.Mul || e.Op == models.Div) && !isConst(e.Args[0]) && !isConst(e.Args[1]), e.Op == models.Div && isConst(e.Args[0]):
		l.exclude(e)
	default:
		for _, a := range e.Args {
			l.walk(a)
		}
	}
}

// exclude notes that no parameter in e is a plain cost.
func (l *links) exclude(e *models.Expr) {
	if e.Op == models.Param {
		l.other[e.Name] = true
	}
	for _, a := range e.Args {
		l.exclude(a)
	}
}

func isConst(e *models.Expr) bool { return e.Op == models.Const }

// product reads a product of one parameter with one sum of features; constant factors may stand in it.
func product(e *models.Expr) (parameter string, names []string, ok bool) {
	var factors func(*models.Expr) bool
	factors = func(e *models.Expr) bool {
		switch {
		case isConst(e):
			return true
		case e.Op == models.Mul:
			return factors(e.Args[0]) && factors(e.Args[1])
		case e.Op == models.Param:
			first := parameter == ""
			parameter = e.Name
			return first
		}
		first := names == nil
		names, ok = sum(e)
		return first && ok
	}
	ok = e.Op == models.Mul && factors(e)
	return parameter, names, ok && parameter != "" && len(names) > 0
}

// sum lists the features of a sum with constant coefficients; false for any other expression. A constant is a sum of none.
func sum(e *models.Expr) (names []string, ok bool) {
	switch e.Op {
	case models.Const:
		return nil, true
	case models.Feature:
		return []string{e.Name}, true
	case models.Add, models.Sub, models.Neg:
	case models.Mul:
		if !isConst(e.Args[0]) && !isConst(e.Args[1]) {
			return nil, false
		}
	case models.Div:
		if !isConst(e.Args[1]) {
			return nil, false
		}
	default:
		return nil, false
	}
	for _, a := range e.Args {
		of, ok := sum(a)
		if !ok {
			return nil, false
		}
		names = append(names, of...)
	}
	return names, true
}
