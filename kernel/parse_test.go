package kernel_test

import (
	"errors"
	"strings"
	"testing"

	"gpuperf/internal/source"
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		in           string
		line, column int
		msg          string
	}{
		{"a[i] = ", 1, 8, `a value is missing after "="`},
		{"a[i] = b[i", 1, 11, `expected ","`},
		{"a[i] = b[i] c", 1, 13, "unexpected"},
		{"\n\n  a[i] = 2 ** ", 3, 15, `a value is missing after "**"`},
		{"a[i] = b {ids=x}", 1, 11, "unknown attribute"},
		{"a[i] = b {id=3x}", 1, 11, `"3x" is not a valid statement id`},
		{"a[i] = b {nosync=x@gloal}", 1, 11, `"gloal" is not a scope`},
		{"a[i] = b {priority=high}", 1, 11, "is not an integer"},
		{"a[] = 1", 1, 2, "empty index"},
		{"a$x_y[i] = 1", 1, 3, "underscore"},
		{"<float31> t = 1", 1, 2, "unknown element type"},
		{"<> t = 1\n<> t = 2", 2, 4, "declared twice"},
		{"a + 1 = 2", 1, 1, "cannot assign"},
		{"a, b = f(x)", 1, 2, "several values"},
		{"for i\n a[i] = 1", 2, 10, "for block is not closed"},
		{"end", 1, 1, "end outside a block"},
		{"if a > 0\n x = 1\nelse y\nend", 3, 6, "unexpected"},
		{"... barrier", 1, 5, "lbarrier"},
		{"x = 3.1q", 1, 5, "malformed number"},
		{"x = 99999999999999999999", 1, 5, "64 bits"},
		{"x = a ? b", 1, 7, "unexpected"},
		{"x = ä", 1, 5, "unexpected character"},
		{"x = argmax(j, x[j])", 1, 19, "takes a value and its index"},
		{"a, b = max(j, x[j])", 1, 2, "only argmax"},
		{"x[0], b = argmax(j, x[j], j)", 1, 5, "x must not be used"},
		{"a, x[a] = argmax(j, y[j], j)", 1, 2, "a must not be used"},
		{"x[0], x[1] = argmax(j, y[j], j)", 1, 5, "must differ"},
		{"a, 2 = argmax(j, y[j], j)", 1, 4, "cannot assign"},
		{"x = sum(a[i], 2)", 1, 9, "inames to reduce over"},
		{"x = if(a, b)", 1, 5, "3 operands"},
		{"f(1) := 2", 1, 1, "bad argument"},
		{"x = " + strings.Repeat("(", 1000), 1, 4 + expr.MaxDepth, "nested"},
	} {
		_, err := kernel.ParseInstructions(c.in)
		var e *source.Error
		if !errors.As(err, &e) {
			t.Errorf("%q: got %v, want an error with a place", c.in, err)
			continue
		}
		if e.Pos.Line != c.line || e.Pos.Column != c.column || !strings.Contains(e.Msg, c.msg) {
			t.Errorf("%.40q: got %v, want %d:%d %s", c.in, err, c.line, c.column, c.msg)
		}
	}
}

func FuzzParseInstructions(f *testing.F) {
	for _, s := range []string{
		"c[i,j] = sum(k, a$aLD[i,k]*b[k,j]) {id=mm, dep=x*:y, if=i<n}", "<> t = 2.0f*i", "<float32> t[i] = 1",
		"f(x) := x**2\nfor i, j\n if i > 0\n  a[i] = f(i)\n elif i < 0\n a[i]=1\n else\n a[i]=2\n end\nend",
		"... lbarrier {id=b}", "x = 1 {priority=-3, nosync@local=a:b*, nosync=*}", "with {dep=*}\nx = y if z else 3.1\nend", "x = a[i] \\\n + 1 # c",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ins, err := kernel.ParseInstructions(text)
		if err != nil {
			var e *source.Error
			if !errors.As(err, &e) || e.Pos.Line == 0 {
				t.Fatalf("%q: error without a place: %v", text, err)
			}
			return
		}
		for _, s := range ins.Statements {
			s := *s
			if s.ID == "" {
				s.ID = "insn"
			}
			again, err := kernel.ParseInstructions(s.String())
			if err != nil || len(again.Statements) != 1 {
				t.Fatalf("%q: printed as %q: %v", text, s.String(), err)
			}
			if s.RHS != nil && again.Statements[0].RHS.String() != s.RHS.String() {
				t.Fatalf("%q: %s reads back as %s", text, s.RHS, again.Statements[0].RHS)
			}
		}
		_, _ = kernel.Make(kernel.Spec{Domains: []string{"{[i,j,k]: 0<=i,j,k<n}"}, Instructions: text})
	})
}
