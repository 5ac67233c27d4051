package kernel

import (
	"errors"
	"slices"
)

// inferTypes gives element types to temporaries and to arguments that the kernel writes, from what is assigned to them,
// in place. What is only read must have been given one.
func (k *Kernel) inferTypes() error {
	partial := map[string]bool{}
	for {
		progress, missing := false, ""
		var candidate *Array // some of whose assignments have a type
		for _, a := range slices.Concat(k.Args, k.Temps) {
			if a.DType != "" {
				continue
			}
			writers := k.writers(a.Name)
			if len(writers) == 0 {
				return k.errorf("%w", &UnknownTypeError{a.Name})
			}
			t, complete, err := k.assignedType(a.Name, writers)
			if err != nil {
				return err
			}
			if missing == "" {
				missing = a.Name
			}
			if t == "" {
				continue
			}
			c := *a
			c.DType = t
			if !complete {
				if candidate == nil {
					candidate = &c
				}
				continue
			}
			k.setArray(&c)
			progress = true
		}
		switch {
		case missing == "":
			return k.confirmTypes(partial)
		case progress:
		case candidate != nil:
			k.setArray(candidate)
			partial[candidate.Name] = true
		default:
			return k.errorf("%w", &UnknownTypeError{missing})
		}
	}
}

// assignedType is the common type of what is assigned to the variable; complete is false where some assignment has none
// yet. The variable itself is neutral in what is assigned to it.
func (k *Kernel) assignedType(name string, writers []*Stmt) (t DType, complete bool, err error) {
	complete = true
	var values []Expr
	for _, w := range writers {
		v := Rewrite(w.RHS, func(e Expr) Expr {
			switch x := e.(type) {
			case Var:
				if x.Name == name {
					return Int{0}
				}
			case *Access:
				if x.Array == name {
					return Int{0}
				}
			}
			return e
		})
		var unknown *UnknownTypeError
		if _, err := k.TypeOf(v); errors.As(err, &unknown) {
			complete = false
			continue
		} else if err != nil {
			return "", false, k.errorf("statement %s: %w", w.ID, err)
		}
		values = append(values, v)
	}
	t, err = k.combine(values...)
	return t, complete, err
}

// confirmTypes checks types that were inferred before all assignments had one.
func (k *Kernel) confirmTypes(partial map[string]bool) error {
	for _, name := range sortedKeys(partial) {
		t, _, err := k.assignedType(name, k.writers(name))
		if err != nil {
			return err
		}
		if t != k.Array(name).DType {
			return k.errorf("the dtype of %s depends on itself: declare it, as in <%s> %s = ...", name, t, name)
		}
	}
	return nil
}
