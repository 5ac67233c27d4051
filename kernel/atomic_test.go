package kernel_test

import (
	"strings"
	"testing"

	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// TestUpdates reads atomic statements, prints them, and takes them apart.
func TestUpdates(t *testing.T) {
	for _, c := range []struct{ text, op, operand, class string }{
		{"h[b[i]] = h[b[i]] + 1", "+", "1", "+"},
		{"h[0] = h[0] - x[i]*2", "-", "x[i]*2", "+"},
		{"h[i % 4] = x[i] + h[i % 4]", "+", "x[i]", "+"},
		{"h[0] = max(h[0], x[i])", "max", "x[i]", "max"},
		{"h[0] = min(x[i], h[0])", "min", "x[i]", "min"},
		{"h[0] = h[0] | x[i]", "|", "x[i]", "|"},
		{"h[0] = h$tag[0] ^ x[i]", "^", "x[i]", "^"},
	} {
		k, err := kernel.Make(kernel.Spec{
			Domains: []string{"{[i]: 0<=i<n}"}, Instructions: c.text + " {atomic}",
			Args: []*kernel.Array{{Name: "h", DType: expr.Int32, Shape: []expr.Expr{expr.Int{Value: 4}}}},
		})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		s := k.Statements[0]
		u := s.Update()
		if u == nil || string(u.Op) != c.op || u.Operand.String() != c.operand || string(u.Class()) != c.class {
			t.Errorf("%s is %+v", c.text, u)
		}
		again, err := kernel.ParseInstructions(s.String())
		if err != nil || !again.Statements[0].Atomic || again.Statements[0].String() != s.String() {
			t.Errorf("%s is read back as %v (%v)", s, again, err)
		}
	}
}

func TestUpdatesRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"h[i] = 1 {atomic}", "not of the form h[i] = h[i] + ..."},
		{"h[i] = 2*h[i] {atomic}", "not of the form"},
		{"h[i] = 1 - h[i] {atomic}", "not of the form"},
		{"h[i] = h[i] + 1 + h[i] {atomic}", "reads it besides, in 1 + h[i]"},
		{"h[i] = h[i] + h[0] {atomic}", "reads it besides, in h[0]"},
		{"h[i] = h[i] + 1 {atomic, if=h[0] > 0}", "reads it besides"},
		{"t = t + x[i] {atomic}", "it is private"},
		{"h[i] = h[i] + 1 {atomic=init}", `expected ","`},
		{"h[i] = h[i] + 1 {mem_kind=local}", "that an lbarrier orders"},
		{"... lbarrier {mem_kind=far}", "mem_kind is local or global"},
	} {
		_, err := kernel.Make(kernel.Spec{Domains: []string{"{[i]: 0<=i<n}"}, Instructions: c.text, Temps: []*kernel.Array{{Name: "t", DType: expr.Int32, Space: kernel.Private, Shape: []expr.Expr{}}}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestBarrierMemory reads and prints what a barrier orders.
func TestBarrierMemory(t *testing.T) {
	for text, want := range map[string]kernel.Space{"... lbarrier": kernel.Local, "... lbarrier {mem_kind=local}": kernel.Local, "... lbarrier {mem_kind=global}": kernel.Global} {
		ins, err := kernel.ParseInstructions(text)
		if err != nil {
			t.Fatal(err)
		}
		s := ins.Statements[0]
		s.ID = "b"
		again, err := kernel.ParseInstructions(s.String())
		if err != nil || s.Orders() != want || again.Statements[0].Orders() != want {
			t.Errorf("%s orders %s; printed as %s (%v)", text, s.Orders(), s, err)
		}
	}
}
