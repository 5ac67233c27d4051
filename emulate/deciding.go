package emulate

import "slices"

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
