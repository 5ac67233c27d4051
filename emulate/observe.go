package emulate

import (
	"slices"

	"gpuperf/emulate/timing"
)

// Observe times the launch again, with all iterations of its loops, and tells of each issue until it has been told enough. Op is the index of the
// instruction.
func (r *Result) Observe(see func(timing.Issue) bool) {
	e := r.emulation
	resident := min(e.resident, e.most)
	e.machine(resident).Run(e.ops, &dealt{blocks: e.blocks, most: e.most}, timing.Options{Resident: int(resident), NoSkip: true, Observe: see})
}

// Instruction is the text of an instruction with its address and the line that it is of; "" where that is not known.
func (r *Result) Instruction(index int) (address, text, place string) {
	return r.address(index), r.text(index), r.place(index)
}

// Unit is what an instruction occupies.
func (r *Result) Unit(index int) timing.Unit { return r.emulation.ops[index].Unit }

// Deciding names the buffers whose contents nobody has said and that decide about the launch: branches, turns of loops or addresses follow from them.
func (r *Result) Deciding() (names []string) {
	for _, d := range r.emulation.launch.Decisions() {
		for _, name := range d.Buffers {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}
