package emit_test

import (
	"testing"

	"gpuperf/cfront"
	"gpuperf/kernel/emit"
)

// TestRead: the front end of kernel languages reads what is written, with the types of its parameters, and knows all of it.
func TestRead(t *testing.T) {
	for _, c := range cases {
		n := c.nest(t)
		for _, opt := range []emit.Options{{}, {Index64: true}, {Language: emit.CUDAC}, {Language: emit.CUDAC, Index64: true}} {
			s, err := emit.Write(n, opt)
			if err != nil {
				t.Fatal(err)
			}
			language := cfront.OpenCL
			if opt.Language == emit.CUDAC {
				language = cfront.CUDA
			}
			f, err := cfront.Parse(t.Context(), c.name, s.Text, cfront.Options{Language: language, Instance: s.Entry})
			if err != nil {
				t.Errorf("%s: %v\n%s", language, err, s.Text)
				continue
			}
			k := f.Function(s.Entry)
			if k == nil || !k.Kernel || len(k.Params) != len(s.Params) {
				t.Errorf("%s: %s: got %v", language, c.name, k)
				continue
			}
			for i, p := range s.Params {
				if v := k.Params[i]; v.DType.Base() != p.DType.Base() && p.DType != "bool" || v.Pointer == p.IsValue {
					t.Errorf("%s: %s: the parameter %s is %s", language, c.name, p.Name, v.DType)
				}
			}
			for _, fn := range f.Functions {
				unknown(t, c.name, fn)
			}
		}
	}
}

// unknown complains of what was not understood.
func unknown(t *testing.T, name string, fn *cfront.Function) {
	t.Helper()
	if fn.Err != nil {
		t.Errorf("%s: %v", name, fn.Err)
	}
	var visit func(cfront.Stmt)
	visit = func(s cfront.Stmt) {
		stmts, exprs := cfront.Inside(s)
		if o, ok := s.(*cfront.Other); ok {
			t.Errorf("%s: %s", name, o.What)
		}
		for _, e := range exprs {
			for e := range cfront.All(e) {
				switch x := e.(type) {
				case *cfront.Unknown:
					t.Errorf("%s: %s", name, x.What)
				case *cfront.Binary, *cfront.Unary, *cfront.Select, *cfront.Vector, *cfront.Lane:
					if e.Type() == "" && e.PointsTo() == "" {
						t.Errorf("%s: an expression of line %d has no type", name, e.Place().Line)
					}
				}
			}
		}
		for _, inner := range stmts {
			visit(inner)
		}
	}
	visit(fn.Body)
}
