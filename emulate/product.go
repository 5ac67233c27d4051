package emulate

import (
	"slices"
	"strconv"
	"strings"

	"gpuperf/device/facts"
	"gpuperf/emulate/timing"
	"gpuperf/memory"
	"gpuperf/sass"
)

// wides are the opcodes of products that four sub-groups make together: of halves, integers and numbers of 8 bits.
var wides = map[string]bool{"HGMMA": true, "IGMMA": true, "QGMMA": true}

// The products of Wide take the gap of the unit for each 8 columns, whatever the type: rows of A and B have 32 B.
const (
	wideColumns = 8
	wideRows    = 16 // of A that a sub-group has
	wideBytes   = 32 // of a row
	waveBytes   = memory.Banks * memory.WordBytes
	wideWarps   = 4
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

// products are the matrix products of one sub-group by opcode and shape, with their latency and gap. Other shapes are as the first.
var products = []struct {
	name         string
	shapes       []string // the first modifier
	latency, gap facts.Key
	times        float64 // by how much they are longer
}{
	{"", nil, facts.TensorLatency, facts.TensorGap, 1},
	{"HMMA", []string{"1688", "1684", "884"}, facts.HalfTensorLatency, facts.HalfTensorGap, 1},
	{"IMMA", []string{"16816", "8816"}, facts.HalfTensorLatency, facts.HalfTensorGap, 1},
	{"IMMA", []string{"16864"}, facts.TensorLatency, facts.TensorGap, 1},
	{"DMMA", []string{"884", "1684"}, facts.DoubleTensorLatency, facts.DoubleTensorGap, 1},
	{"DMMA", []string{"1688"}, facts.DoubleTensorLatency, facts.DoubleTensorGap, 2},
	{"DMMA", []string{"16816"}, facts.DoubleTensorLatency, facts.DoubleTensorGap, 4},
}

// tensor completes a matrix product of one sub-group: by its latency and gap over those of the unit. One of 8 columns by 8 of float32, as a type of its
// own says, is as long as one of 16 halves.
func (d *decoder) tensor(in *sass.Instruction, op *timing.Op) {
	p := products[0]
	for _, row := range products[1:] {
		if row.name == in.Name && len(in.Modifiers) > 0 && slices.Contains(row.shapes, in.Modifiers[0]) && !(in.Modifiers[0] == "1688" && in.Has("TF32")) {
			p = row
		}
	}
	gap, latency := d.device.Value(facts.TensorGap), d.device.Value(facts.TensorLatency)
	op.Parts = d.device.Value(p.gap) * p.times / gap
	op.Deep = (d.device.Value(p.latency) + gap - d.device.Value(p.gap)) / latency
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
