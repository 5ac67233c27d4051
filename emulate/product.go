package emulate

import (
	"strconv"
	"strings"

	"gpuperf/emulate/timing"
	"gpuperf/memory"
	"gpuperf/sass"
)

// The products of Wide take the gap of the unit for each 8 columns, whatever the type: rows of A and B have 32 B.
const (
	wideColumns = 8  // for which the unit takes its gap
	wideRows    = 16 // of A that a sub-group has
	wideBytes   = 32 // of a row
	waveBytes   = memory.Banks * memory.WordBytes
	wideWarps   = 4 // that make a product together
)

// wide completes a product that four sub-groups make together. It is asynchronous: only the scoreboard of groups says when the result is there, which
// one with gsb0 holds for all before it. Products that add to the same registers follow each other without waiting. A comes from shared memory or from
// registers, and B, which all four read together, from shared memory.
func (d *decoder) wide(in *sass.Instruction, op *timing.Op) {
	op.Defines, op.Uses = nil, nil
	_, n, _, ok := sizes(in.Modifiers[0])
	if !ok {
		return
	}
	op.Parts = float64(n / wideColumns)
	bytes := n * wideBytes / wideWarps
	if a := &in.Operands[1]; a.Kind == sass.RegisterOperand {
		for i := range wideRows * wideBytes / waveBytes {
			op.Uses = append(op.Uses, d.registers([]sass.Register{{File: sass.General, Index: a.Registers[0].Register.Index + i}})...)
		}
	} else {
		bytes += wideRows * wideBytes
	}
	op.Waves = float64(bytes) / waveBytes
	for _, o := range in.Operands {
		if o.Text == groupBoard {
			op.Written = timing.Products
		}
	}
}

func sizes(shape string) (m, n, k int64, ok bool) {
	part := strings.Split(shape, "x")
	if len(part) != 3 {
		return 0, 0, 0, false
	}
	var v [3]int64
	for i, p := range part {
		var err error
		if v[i], err = strconv.ParseInt(p, 10, 64); err != nil {
			return 0, 0, 0, false
		}
	}
	return v[0], v[1], v[2], true
}
