package counters

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

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
func float(t expr.DType, op, name, opcode string) Row {
	return Row{
		What: fmt.Sprintf("%s %s", t, name), Metric: "smsp__sass_thread_inst_executed_op_" + strings.ToLower(opcode) + "_pred_on.sum",
		count: func(c *launch.Counts) int64 { return c.Floats[launch.Float{DType: t, Op: op}] }, opcode: opcode, of: items,
	}
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

// estimated is a row that is estimated alone.
func estimated(what, metric, unit string, estimate func(*memory.Traffic, samples.Mode) (float64, bool)) Row {
	return Row{What: what, Metric: metric, Unit: unit, estimate: estimate}
}

// only is a row that nothing is counted for.
func only(what, metric, unit string) Row { return Row{What: what, Metric: metric, Unit: unit} }

// Rows are what is printed, in this order.
var Rows = []Row{
	only("time", "gpu__time_duration.sum", "s"),

	float(expr.Float32, "madd", "multiply-adds", "FFMA"), float(expr.Float32, "add", "additions", "FADD"),
	float(expr.Float32, "mul", "multiplications", "FMUL"),
	float(expr.Float64, "madd", "multiply-adds", "DFMA"), float(expr.Float64, "add", "additions", "DADD"),
	float(expr.Float64, "mul", "multiplications", "DMUL"),

	{"barriers of sub-groups", barriers, "", func(c *launch.Counts) int64 { return c.Barriers }, "BAR", warps, nil},
	{
		"sectors loaded", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector",
		func(c *launch.Counts) int64 { return c.MergedSectors }, "LDG", sectors, nil,
	},
	{
		"sectors stored", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sector",
		func(c *launch.Counts) int64 { return c.SectorsStored }, "STG", sectors, nil,
	},
	{
		"wavefronts of local loads", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "",
		func(c *launch.Counts) int64 { return c.MergedWavefronts }, "LDS", wavefronts, nil,
	},
	{
		"wavefronts of local stores", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "",
		func(c *launch.Counts) int64 { return c.WavefrontsStored }, "STS", wavefronts, nil,
	},

	// Compilers move constants into registers by multiply-adds of float16 too.
	only("float16 multiply-adds", "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", ""),
	only("float16 additions", "smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", ""),
	only("float16 multiplications", "smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", ""),

	only("L1: sectors that loads hit", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "sector"),
	only("L1: requests to load", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", ""),
	only("L1: requests to store", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", ""),
	only("L1: hit rate", "l1tex__t_sector_hit_rate.pct", "%"),
	estimated("L1: sectors from L2", "l1tex__m_xbar2l1tex_read_sectors.sum", "sector", sectorsOf(func(t *memory.Traffic) float64 { return t.L2Loads })),
	only("L1: wavefronts with local memory", "l1tex__data_pipe_lsu_wavefronts.sum", ""),
	only("L1: local loads, with waiting", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", ""),
	only("L1: local stores, with waiting", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", ""),
	only("L2: sectors read by L1", "lts__t_sectors_srcunit_tex_op_read.sum", "sector"),
	only("L2: of these hit", "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", "sector"),
	estimated("L2: sectors written by L1", "lts__t_sectors_srcunit_tex_op_write.sum", "sector", sectorsOf(func(t *memory.Traffic) float64 { return t.L2Stores })),
	only("L2: sectors of its other half", "lts__t_sectors_srcunit_ltcfabric.sum", "sector"),
	only("L2: sectors read", "lts__t_sectors_op_read.sum", "sector"),
	only("L2: sectors written", "lts__t_sectors_op_write.sum", "sector"),
	only("L2: hit rate", "lts__t_sector_hit_rate.pct", "%"),
	only("L2: sectors from DRAM", "lts__d_sectors_fill_device.sum", "sector"),
	estimated("DRAM: bytes read", "dram__bytes_read.sum", "B", func(t *memory.Traffic, caches samples.Mode) (float64, bool) {
		return by(caches, t.DRAMReads, t.WarmReads), true
	}),
	estimated("DRAM: bytes written", "dram__bytes_write.sum", "B", func(t *memory.Traffic, caches samples.Mode) (float64, bool) {
		return by(caches, t.DRAMWrites, t.WarmWrites), true
	}),

	only("instructions of sub-groups", "smsp__inst_executed.sum", ""),
	only("by pipe: ALU", "sm__inst_executed_pipe_alu.sum", ""),
	only("by pipe: FMA", "sm__inst_executed_pipe_fma.sum", ""),
	only("by pipe: FP64", "sm__inst_executed_pipe_fp64.sum", ""),
	only("by pipe: LSU", "sm__inst_executed_pipe_lsu.sum", ""),
	only("by pipe: XU", "sm__inst_executed_pipe_xu.sum", ""),
	only("by pipe: ADU", "sm__inst_executed_pipe_adu.sum", ""),
	only("by pipe: CBU", "sm__inst_executed_pipe_cbu.sum", ""),
	only("by pipe: uniform", "sm__inst_executed_pipe_uniform.sum", ""),
	only("spills loaded", "smsp__inst_executed_op_local_ld.sum", ""),
	only("spills stored", "smsp__inst_executed_op_local_st.sum", ""),

	only("registers of a work-item", "launch__registers_per_thread", ""),
	only("occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active", "%"),
	stalled("long_scoreboard"), stalled("short_scoreboard"), stalled("barrier"), stalled("wait"), stalled("math_pipe_throttle"),
	stalled("lg_throttle"), stalled("mio_throttle"), stalled("not_selected"), stalled("selected"), stalled("branch_resolving"),
	stalled("dispatch_stall"), stalled("drain"), stalled("imc_miss"), stalled("membar"), stalled("no_instruction"),
	stalled("sleeping"), stalled("tex_throttle"), stalled("misc"),
}

// stalled is how many sub-groups wait for a reason while one issues.
func stalled(reason string) Row {
	return only("stalled: "+reason, "smsp__average_warps_issue_stalled_"+reason+"_per_issue_active.ratio", "")
}

// further are metrics that are recorded, and printed with --json alone.
var further = []string{
	"sm__cycles_elapsed.max", "sm__cycles_active.avg", "dram__sectors_read.sum", "dram__sectors_write.sum",
	"lts__t_sectors_op_read_lookup_hit.sum", "lts__t_sectors_op_read_lookup_miss.sum",
	"lts__t_sectors_op_write_lookup_hit.sum", "lts__t_sectors_op_write_lookup_miss.sum",
	"lts__t_sectors_srcunit_tex.sum", "lts__t_sectors_srcunit_tex_lookup_hit.sum", "lts__t_sectors_srcunit_tex_lookup_miss.sum",
	"lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum", "lts__t_sectors_srcunit_tex_op_write_lookup_hit.sum",
	"lts__t_sectors_srcunit_tex_op_write_lookup_miss.sum", "lts__t_requests_srcunit_tex.sum",
	"lts__t_sectors.sum", "lts__t_requests.sum", "lts__t_tag_requests_hit.sum", "lts__t_tag_requests_miss.sum",
	"lts__t_sectors_srcunit_ltcfabric_lookup_hit.sum", "lts__t_sectors_srcunit_ltcfabric_lookup_miss.sum",
	"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum",
	"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
	"l1tex__m_l1tex2xbar_write_sectors.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "l1tex__data_pipe_lsu_wavefronts_mem_lgds.sum",
	"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
	"smsp__inst_issued.sum", "smsp__thread_inst_executed.sum", "smsp__thread_inst_executed_pred_on.sum",
	"smsp__inst_executed_op_global_ld.sum", "smsp__inst_executed_op_global_st.sum",
	"smsp__inst_executed_op_shared_ld.sum", "smsp__inst_executed_op_shared_st.sum",
	"sm__inst_executed_pipe_fmaheavy.sum", "sm__inst_executed_pipe_fmalite.sum", "sm__inst_executed_pipe_fma_type_fp16.sum",
	"launch__shared_mem_per_block", "launch__shared_mem_config_size", "launch__waves_per_multiprocessor",
	"launch__occupancy_limit_registers", "launch__occupancy_limit_shared_mem", "launch__occupancy_limit_warps", "launch__occupancy_limit_blocks",
}

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
