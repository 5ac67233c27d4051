package sass

import "slices"

// WithoutControl is the function without its encodings, and so without control bits: who times it must derive from the registers that instructions
// name what they wait for, as of code that no assembler has seen.
func (f *Function) WithoutControl() *Function {
	g := *f
	g.Instructions = slices.Clone(f.Instructions)
	for i := range g.Instructions {
		g.Instructions[i].Code = nil
	}
	return &g
}
