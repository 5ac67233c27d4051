package emulate

import (
	"slices"

	"gpuperf/device/facts"
	"gpuperf/emulate/timing"
	"gpuperf/sass"
)

// opTiming says where instructions are executed and how long they take, in latencies and gaps of the data sheet.
type opTiming struct {
	names     []string      // opcodes; any where empty
	with      []string      // of these modifiers at least one; none is asked for where empty
	without   string        // a modifier that it lacks
	pipe      sass.Pipe     // of the table of opcodes; any where empty
	not       sass.Class    // of the table of opcodes
	space     sass.Space    // of memory; any where empty
	unit      timing.Unit   // that executes it
	beside    timing.Unit   // that it occupies as well
	gaps      float64       // of the unit; 0 is 1
	products  *[2]facts.Key // latency and gap of a matrix product of one sub-group, where they are not those of the unit
	operation float64       // by how much such a product is longer; 0 is 1
}

var (
	halves  = &[2]facts.Key{facts.HalfTensorLatency, facts.HalfTensorGap}
	doubles = &[2]facts.Key{facts.DoubleTensorLatency, facts.DoubleTensorGap}
)

// timings are the timing of opcodes. The first row that an instruction matches holds, so that opcodes stand before pipes. Gaps that are no 1 were seen
// on an H200: testdata/h200/measurement has the file and the program that a row names.
var timings = []opTiming{
	{names: []string{"BAR"}, unit: timing.Barrier},
	{names: []string{"SYNCS", "ARRIVES"}, unit: timing.Shared},
	{names: []string{"S2R", "S2UR"}, unit: timing.Special},
	{names: []string{"SHFL"}, unit: timing.Shuffle},
	{names: []string{"VOTE", "VOTEU"}, unit: timing.Vote},
	{names: []string{"REDUX", "MATCH", "CREDUX"}, unit: timing.Reduce},
	{names: []string{"FCHK"}, unit: timing.XU},
	{names: []string{"NOP"}, unit: timing.Dispatch},

	// Products that four sub-groups make together: of halves, integers and numbers of 8 bits.
	{names: []string{"HGMMA", "IGMMA", "QGMMA"}, unit: timing.Wide},
	// Those of one sub-group. One of 8 columns by 8 of float32, as a type of its own says, is as long as one of 16 halves; so are shapes without a row.
	{names: []string{"HMMA"}, with: []string{"1688", "1684", "884"}, without: "TF32", unit: timing.Tensor, products: halves},
	{names: []string{"IMMA"}, with: []string{"16816", "8816"}, unit: timing.Tensor, products: halves},
	{names: []string{"DMMA"}, with: []string{"1688"}, unit: timing.Tensor, products: doubles, operation: 2},
	{names: []string{"DMMA"}, with: []string{"16816"}, unit: timing.Tensor, products: doubles, operation: 4},
	{names: []string{"DMMA"}, with: []string{"884", "1684"}, unit: timing.Tensor, products: doubles},

	{names: []string{"IMAD"}, with: []string{"HI"}, unit: timing.IMAD, beside: timing.FMA, gaps: 2},     // ops.csv.gz: stream_imadhi
	{names: []string{"IMAD"}, with: []string{"WIDE"}, unit: timing.IMAD, beside: timing.FMA, gaps: 2.5}, // ops.csv.gz: stream_imadwide
	{names: []string{"ATOMG"}, with: []string{"CAS", "F64"}, unit: timing.Address, gaps: 1.3},           // traffic.csv.gz: cas over exch, redd over red64, of 131,072 lines
	{names: []string{"REDG", "RED"}, with: []string{"F64"}, unit: timing.Address, gaps: 1.3},            // the same
	{names: []string{"ATOMS"}, with: []string{"CAS"}, unit: timing.Shared, gaps: 2},                     // mem.csv.gz: inside_atoms_cas, rate_atomscas
	{pipe: sass.XU, with: []string{"F64"}, unit: timing.Convert},
	{pipe: sass.FMA, not: sass.Float32, unit: timing.IMAD, beside: timing.FMA},

	{pipe: sass.UDP, unit: timing.Uniform},
	{space: sass.Local, unit: timing.Shared},
	{space: sass.Bank, unit: timing.Constant},
	{pipe: sass.ALU, unit: timing.ALU},
	{pipe: sass.FMA, unit: timing.FMA},
	{pipe: sass.FP64, unit: timing.FP64},
	{pipe: sass.FP16, unit: timing.FP16},
	{pipe: sass.XU, unit: timing.XU},
	{pipe: sass.LSU, unit: timing.Address},
	// Texels come from the first-level cache four a cycle, those of one dimension twice as fast.
	{names: []string{"TLD"}, with: []string{"1D"}, unit: timing.Address, gaps: 4}, // textures.csv: line
	{names: []string{"SULD", "SUST"}, unit: timing.Address, gaps: 6},              // textures.csv: surface
	{pipe: sass.TEX, unit: timing.Address, gaps: 8},                               // textures.csv: plane, between, volume
	{pipe: sass.ADU, unit: timing.Constant},
	{pipe: sass.CBU, unit: timing.Branch},
	{pipe: sass.TC, unit: timing.Tensor},
	{pipe: sass.TMA, unit: timing.Bulk},
	{unit: timing.Dispatch},
}

func timingOf(in *sass.Instruction) *opTiming {
	i := 0
	for !timings[i].matches(in) { // the last row matches all
		i++
	}
	return &timings[i]
}

func (t *opTiming) matches(in *sass.Instruction) bool {
	if t.names != nil && !slices.Contains(t.names, in.Name) || t.with != nil && !slices.ContainsFunc(t.with, in.Has) || t.without != "" && in.Has(t.without) {
		return false
	}
	if t.pipe == "" && t.space == "" {
		return true
	}
	op := in.Opcode
	return op != nil && (t.pipe == "" || t.pipe == op.Pipe) && (t.space == "" || t.space == op.Space) && (t.not == "" || t.not != op.Class)
}

// time sets where an instruction is executed, and for how long.
func (t *opTiming) time(op *timing.Op, d *facts.Device) {
	op.Unit, op.Beside, op.Parts = t.unit, t.beside, max(t.gaps, 1)
	if t.products == nil {
		return
	}
	latency, gap := d.Value(t.products[0]), d.Value(t.products[1])
	whole := d.Value(facts.TensorGap)
	op.Parts = gap * max(t.operation, 1) / whole
	op.Deep = (latency + whole - gap) / d.Value(facts.TensorLatency)
}
