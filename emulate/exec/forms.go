package exec

import (
	"strings"

	"gpuperf/sass"
)

// form is how an opcode is executed: lane by lane by what compute makes of its modifiers, or by run.
type form struct {
	number   number
	compute  func(d *decoder) semantics // nil for modifiers that are not known
	chooses  chooses
	run      func(w *Warp, o *op, lanes uint32)
	operands bool             // of run: the operands are decoded
	decode   func(d *decoder) // of run: what else is decoded
}

// find returns the form of an instruction. Opcodes of the uniform datapath are those of the others with a U before them.
func find(in *sass.Instruction) (form, bool) {
	f, ok := forms[in.Name]
	if !ok && strings.HasPrefix(in.Name, "U") {
		f, ok = forms[in.Name[1:]]
	}
	return f, ok
}

// forms is the table of opcodes by name.
var forms map[string]form

func init() {
	forms = map[string]form{}
	for _, table := range []map[string]form{integerForms, logicForms, floatForms, doubleForms, halfForms, conversionForms, moveForms, exchangeForms, memoryForms, transferForms, flowForms} {
		for name, f := range table {
			forms[name] = f
		}
	}
}

// plain is a computation that does not depend on modifiers.
func plain(s semantics) func(*decoder) semantics { return func(*decoder) semantics { return s } }

// has reports whether the opcode has a modifier.
func (d *decoder) has(modifier string) bool { return d.in.Has(modifier) }

// only reports whether the opcode has no modifiers but those.
func (d *decoder) only(known ...string) bool {
	for _, m := range d.in.Modifiers {
		found := false
		for _, k := range known {
			found = found || k == m
		}
		if !found {
			return false
		}
	}
	return true
}
