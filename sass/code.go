package sass

import "gpuperf/samples"

// Code is what the facts of the function say, short enough to be kept in a sample. Names are those of the parameters that point to arrays, in
// the order of all parameters; "" stands for others.
func (f *Function) Code(names []string) *samples.Code {
	named := func(i int) bool { return i < len(names) && names[i] != "" }
	arrays := f.pointers(named)
	facts := f.Facts()
	code := &samples.Code{CodePart: codePart(facts.Instructions, facts.Classes, facts.Barriers)}
	for _, l := range facts.Loops {
		code.Loops = append(code.Loops, samples.CodeLoop{Depth: l.Depth, CodePart: codePart(l.Instructions, l.Classes, l.Barriers)})
	}
	index := map[*Loop]int{}
	for i, l := range f.Loops {
		index[l] = i
	}
	for n, b := range f.Blocks {
		if f.padding(n) {
			continue
		}
		parts := []samples.CodePart{code.CodePart}
		if b.Loop != nil {
			parts = append(parts, code.Loops[index[b.Loop]].CodePart)
		}
		for i := b.From; i < b.To; i++ {
			in := &f.Instructions[i]
			bytes := in.AccessBytes()
			if bytes == 0 || in.Opcode.Space == Bank {
				continue
			}
			access := samples.CodeAccess{Space: string(in.Opcode.Space), Action: string(in.Opcode.Action), Bytes: bytes}
			if arrays[i] >= 0 {
				access.Array = names[arrays[i]]
			}
			for _, part := range parts {
				part.Accesses[access]++
			}
		}
	}
	return code
}

func codePart(instructions int, classes []ClassCount, barriers int) samples.CodePart {
	part := samples.CodePart{
		Instructions: instructions, Classes: map[string]int{}, Accesses: map[samples.CodeAccess]int{}, Barriers: barriers,
	}
	for _, c := range classes {
		part.Classes[string(c.Class)] = c.Instructions
	}
	return part
}
