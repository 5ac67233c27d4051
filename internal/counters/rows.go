package counters

import (
	"cmp"
	_ "embed"
	"maps"
	"math"
	"slices"

	"gpuperf/internal/rows"
	"gpuperf/kernel/expr"
	"gpuperf/launch"
	"gpuperf/memory"
	"gpuperf/samples"
)

// Row is something that the hardware counts.
type Row struct {
	What   string
	Metric string // of ncu
	Unit   string
	count  func(*launch.Counts) int64 // what is counted of the kernel in the same unit; nil for nothing
	opcode string                     // of the instructions that the hardware counts
	of     func(*Instruction) float64 // what it counts of each
	// estimate is what package memory expects, for caches in the given state; false where it expects nothing.
	estimate func(*memory.Traffic, samples.Mode) (float64, bool)
}

func items(in *Instruction) float64      { return float64(in.Items) }
func warps(in *Instruction) float64      { return float64(in.Warps) }
func sectors(in *Instruction) float64    { return float64(in.Sectors) }
func wavefronts(in *Instruction) float64 { return float64(in.Warps) * in.Ways }

// float counts operations of a type, with the opcode that they have.
func float(t expr.DType, op, opcode string) Row {
	return Row{count: func(c *launch.Counts) int64 { return c.Floats[launch.Float{DType: t, Op: op}] }, opcode: opcode, of: items}
}

// sectorsOf are what estimates give in sectors.
func sectorsOf(of func(*memory.Traffic) float64) func(*memory.Traffic, samples.Mode) (float64, bool) {
	return func(t *memory.Traffic, _ samples.Mode) (float64, bool) { return of(t), true }
}

// by chooses by the state of the caches.
func by(caches samples.Mode, cold, warm float64) float64 {
	if caches == samples.Cold {
		return cold
	}
	return warm
}

//go:embed metrics.txt
var metricText string

// explained has, by what rows are of, how that is counted of a kernel or estimated.
var explained = map[string]Row{
	"float32 multiply-adds":      float(expr.Float32, "madd", "FFMA"),
	"float32 additions":          float(expr.Float32, "add", "FADD"),
	"float32 multiplications":    float(expr.Float32, "mul", "FMUL"),
	"float64 multiply-adds":      float(expr.Float64, "madd", "DFMA"),
	"float64 additions":          float(expr.Float64, "add", "DADD"),
	"float64 multiplications":    float(expr.Float64, "mul", "DMUL"),
	"barriers of sub-groups":     {count: func(c *launch.Counts) int64 { return c.Barriers }, opcode: "BAR", of: warps},
	"sectors loaded":             {count: func(c *launch.Counts) int64 { return c.MergedSectors }, opcode: "LDG", of: sectors},
	"sectors stored":             {count: func(c *launch.Counts) int64 { return c.SectorsStored }, opcode: "STG", of: sectors},
	"wavefronts of local loads":  {count: func(c *launch.Counts) int64 { return c.MergedWavefronts }, opcode: "LDS", of: wavefronts},
	"wavefronts of local stores": {count: func(c *launch.Counts) int64 { return c.WavefrontsStored }, opcode: "STS", of: wavefronts},
	"L1: sectors from L2":        {estimate: sectorsOf(func(t *memory.Traffic) float64 { return t.L2Loads })},
	"L2: sectors written by L1":  {estimate: sectorsOf(func(t *memory.Traffic) float64 { return t.L2Stores })},
	"DRAM: bytes read": {estimate: func(t *memory.Traffic, caches samples.Mode) (float64, bool) {
		return by(caches, t.DRAMReads, t.WarmReads), true
	}},
	"DRAM: bytes written": {estimate: func(t *memory.Traffic, caches samples.Mode) (float64, bool) {
		return by(caches, t.DRAMWrites, t.WarmWrites), true
	}},
}

// Rows are what is printed, in this order; further are metrics that are recorded, and printed with --json alone.
var Rows, further = func() (list []Row, more []string) {
	left := maps.Clone(explained)
	for r := range rows.Of(metricText) {
		if r[0] == "" {
			more = append(more, r[1])
			continue
		}
		row := explained[r[0]]
		delete(left, r[0])
		row.What, row.Metric, row.Unit = r[0], r[1], r.At(2)
		list = append(list, row)
	}
	if len(left) > 0 {
		panic("metrics.txt lacks a row that is explained")
	}
	return list, more
}()

// alone are metrics that depend on what the launch before has left in L2. ncu counts few things at once: for all metrics it runs a launch
// several times, and before each writes the buffers anew that the launch writes, which takes room in L2. These it counts in one run, before
// which it writes nothing.
var alone = []string{"dram__bytes_read.sum", "dram__bytes_write.sum", "dram__sectors_read.sum", "dram__sectors_write.sum"}

// barriers are no metric of ncu, but counted from the instructions that it lists.
const barriers = "barriers"

// metrics are all that ncu is asked for.
func metrics() (names []string) {
	for _, r := range Rows {
		if r.Metric != barriers {
			names = append(names, r.Metric)
		}
	}
	return append(names, further...)
}

// kept are the metrics of a launch that were asked for: ncu adds others.
func kept(all map[string]samples.Metric) map[string]samples.Metric {
	asked := metrics()
	out := map[string]samples.Metric{}
	for name, m := range all {
		if slices.Contains(asked, name) {
			out[name] = m
		}
	}
	return out
}

// Compared is a row for a kernel at given sizes.
type Compared struct {
	What     string   `json:"what"`
	Unit     string   `json:"unit,omitempty"`
	Metric   string   `json:"metric"`
	Hardware float64  `json:"hardware"`
	Counted  *float64 `json:"counted,omitempty"` // nil where nothing counts it
	// Estimated is what package memory expects, which is no count; nil where it expects nothing.
	Estimated *float64 `json:"estimated,omitempty"`
	Shares    []Share  `json:"shares,omitempty"` // of instructions in the hardware's number, where the ratio is off
}

// Share is what instructions of a kind have in a number of the hardware's.
type Share struct {
	Mnemonic     string  `json:"mnemonic"`
	Instructions int     `json:"instructions"`
	Example      string  `json:"example"` // the one with the most
	Value        float64 `json:"value"`
	Rounded      int     `json:"rounded,omitempty"` // instructions with fewer than one for each execution, which ncu rounds to none
	most         float64
}

// Off is how far a ratio may be from 1 before the instructions are listed.
const Off = 0.02

// Off reports whether the counts differ, where both are there.
func (c Compared) Off() bool {
	ratio, ok := c.Ratio()
	return ok && math.Abs(ratio-1) > Off || c.Counted != nil && *c.Counted != 0 && c.Hardware == 0
}

// shares lists what the instructions have that the row counts, by their mnemonics, the greatest first.
func (r *Row) shares(code []Instruction) (all []Share) {
	for i := range code {
		in := &code[i]
		if in.Name() != r.opcode || in.Warps == 0 {
			continue
		}
		at := slices.IndexFunc(all, func(s Share) bool { return s.Mnemonic == in.Mnemonic() })
		if at < 0 {
			at = len(all)
			all = append(all, Share{Mnemonic: in.Mnemonic(), most: -1})
		}
		s, n := &all[at], r.of(in)
		s.Instructions++
		if n == 0 && in.Items > 0 {
			s.Rounded++
		}
		s.Value += n
		if n > s.most {
			s.Example, s.most = in.Text, n
		}
	}
	slices.SortStableFunc(all, func(a, b Share) int { return cmp.Compare(b.Value, a.Value) })
	return all
}

// Ratio is counted over the hardware's number; ok is false where one of them is missing or both are 0.
func (c Compared) Ratio() (ratio float64, ok bool) {
	if c.Counted == nil || c.Hardware == 0 {
		return 0, false
	}
	return *c.Counted / c.Hardware, true
}

// compare evaluates the rows whose metrics a record has, beside what is counted of the kernel and what is estimated, where that is known. Rows
// of which there is nothing on either side are left out.
func compare(counts *launch.Counts, traffic *memory.Traffic, c Counted) (out []Compared) {
	for _, row := range Rows {
		m, known := c.Record.Metrics[row.Metric]
		one := Compared{What: row.What, Unit: row.Unit, Metric: row.Metric, Hardware: m.Value * cmp.Or(scales[m.Unit], 1)}
		if row.count != nil && counts != nil {
			n := float64(row.count(counts))
			one.Counted = &n
		}
		if row.estimate != nil && traffic != nil {
			if n, ok := row.estimate(traffic, c.Record.Mode); ok {
				one.Estimated = &n
			}
		}
		if known && (one.Hardware != 0 || one.Counted != nil && *one.Counted != 0 || one.Estimated != nil && *one.Estimated != 0) {
			if one.Off() {
				one.Shares = row.shares(c.Code)
			}
			out = append(out, one)
		}
	}
	return out
}

// scales are those of the units that ncu writes which are not what it counts in.
var scales = map[string]float64{"ns": 1e-9, "nsecond": 1e-9, "us": 1e-6, "usecond": 1e-6, "ms": 1e-3, "msecond": 1e-3}
