package params

import (
	"slices"

	"gpuperf/internal/source"
	"gpuperf/kernel/expr"
)

// Condition says which values of parameters go together: comparisons of integers, joined by and, or and not, in the language of expr-lang.
type Condition struct {
	Text  string
	expr  expr.Expr
	names []string
}

// ParseCondition reads a condition on parameters.
func ParseCondition(text string, known []string) (*Condition, error) {
	e, err := expr.ParseCondition(text)
	if err != nil {
		return nil, err
	}
	c := &Condition{Text: text, expr: e}
	expr.FreeVars(e, func(name string) {
		if !slices.Contains(known, name) && err == nil {
			err = expr.NameError(text, name, "there is no parameter %s").WithHint("%s", source.Suggest(name, known))
		}
		c.names = append(c.names, name)
	})
	return c, err
}

// Holds reports whether the condition holds for values. It does as long as one that it names is missing.
func (c *Condition) Holds(at map[string]int64) (bool, error) {
	for _, name := range c.names {
		if _, ok := at[name]; !ok {
			return true, nil
		}
	}
	return expr.Holds(c.expr, at)
}

// List of conditions.
type List []*Condition

// Hold reports whether all conditions hold for values, as far as these are known. What cannot be evaluated, as a division by zero, does not hold.
func (l List) Hold(at map[string]int64) bool {
	return !slices.ContainsFunc(l, func(c *Condition) bool {
		ok, err := c.Holds(at)
		return err != nil || !ok
	})
}
