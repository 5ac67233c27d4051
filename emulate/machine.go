package emulate

import (
	"fmt"

	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/emulate/timing"
	"gpuperf/memory"
)

// unitFacts are the facts of each unit, in cycles. A latency of "" is a cycle, a gap of "" that of the unit without waiting.
var unitFacts = []struct {
	unit         timing.Unit
	latency, gap facts.Key
}{
	{timing.Dispatch, "", facts.DispatchGap},
	{timing.ALU, facts.ALULatency, facts.ALUGap},
	{timing.FMA, facts.FMALatency, facts.FMAGap},
	{timing.IMAD, facts.IMADLatency, facts.IMADGap},
	{timing.FP64, facts.FP64Latency, facts.FP64Gap},
	{timing.FP16, facts.FP16Latency, facts.FP16Gap},
	{timing.XU, facts.XULatency, facts.XUGap},
	{timing.Convert, facts.ConvertLatency, facts.ConvertGap},
	{timing.Tensor, facts.TensorLatency, facts.TensorGap},
	{timing.Wide, facts.WideLatency, facts.WideGap},
	{timing.Uniform, facts.UniformLatency, facts.UniformGap},
	{timing.Branch, "", facts.BranchGap},
	{timing.Vote, "", facts.VoteGap},
	{timing.Reduce, facts.ReduceLatency, facts.ReduceGap},
	{timing.Address, "", facts.AddressGap},
	{timing.Barrier, facts.BarrierLatency, facts.BarrierGap},
	{timing.Shared, facts.SharedLatency, facts.SharedGap},
	{timing.SharedAtomic, facts.SharedAtomicLatency, facts.SharedAtomicGap},
	{timing.Shuffle, facts.ShuffleLatency, ""},
	{timing.L1, facts.L1Latency, ""},
	{timing.L2, facts.L2Latency, ""},
	{timing.DRAM, facts.DRAMLatency, ""},
	{timing.Atomic, facts.AtomicLatency, facts.AtomicGap},
	{timing.Constant, facts.ConstantLatency, facts.ConstantGap},
	{timing.Special, facts.SpecialLatency, ""},
	{timing.Bulk, facts.BulkLatency, facts.BulkGap},
	{timing.Copies, "", facts.CopyGap},
	{timing.Operands, "", facts.SharedGap},
}

// fixed are facts that the emulator has no other values for.
var fixed = []struct {
	key   facts.Key
	value int64
}{{facts.SectorBytes, sectorBytes}, {facts.LineBytes, lineBytes}, {facts.Banks, memory.Banks}, {facts.BankBytes, memory.WordBytes}, {facts.SubgroupSize, warpSize}}

// Device is a device with all that emulation needs: what was not measured of it is scaled from the usual one by what data sheets say of both, and many is how
// many facts those are. It is an error where its own sheet lacks what vendors publish, or its units have other sizes than those that are emulated.
func Device(d *facts.Device) (whole *facts.Device, many int, err error) {
	whole = d
	if d.Need(Facts()...) != nil {
		usual, _ := facts.Named(machine.Usual)
		var taken []facts.Key
		whole, taken = d.Scaled(usual, Facts()...)
		many = len(taken)
	}
	return whole, many, suits(whole)
}

// suits returns an error where a device lacks facts, or has units of other sizes than those that are emulated.
func suits(d *facts.Device) error {
	if err := d.Need(Facts()...); err != nil {
		return err
	}
	for _, f := range fixed {
		if n := d.Int(f.key); n != f.value {
			return fmt.Errorf("%s of device %q is %d: only devices with %d are emulated", f.key, d.Name(), n, f.value)
		}
	}
	return nil
}

// Facts are those that a device must have for its machine code to be emulated.
func Facts() []facts.Key {
	keys := []facts.Key{
		facts.Multiprocessors, facts.ClockMHz, facts.SubPartitions, facts.Items, facts.Groups, facts.Registers, facts.RegistersPerItem, facts.RegisterUnit, facts.LocalBytes, facts.LocalReserved, facts.LocalUnit, facts.L1Bytes,
		facts.L2Bytes, facts.AddressQueue, facts.RequestQueue, facts.LoadQueue, facts.L2BytesPerClock, facts.L2PortBytesPerClock, facts.L2StoreLines, facts.L2Sectors, facts.L2Merged,
		facts.L2StoreRequest, facts.L2StoreSector, facts.L2StorePort, facts.L2StoreFill, facts.L2StoreUpdate, facts.L2StoreAgain, facts.AtomicSectors, facts.AtomicLine, facts.AtomicScattered, facts.SharedSwapCycles, facts.ReductionSectors, facts.FenceLatency, facts.FenceGap, facts.GridGap, facts.PlaceGap, facts.PlaceFloat, facts.L2Slices, facts.SliceGap, facts.L2PrivateKept, facts.L2PrivateLost,
		facts.DRAMReadRate, facts.DRAMQueue, facts.DRAMTurn, facts.DRAMWriteRate, facts.DRAMMixed, facts.DRAMPageSeconds,
		facts.GuardLatency, facts.CrossingLatency, facts.JumpLatency, facts.GroupStart, facts.GroupGap, facts.CodeLine, facts.CodeLatency, facts.CodeGap, facts.StartCycles,
		facts.CodeBytes, facts.CodeSecondBytes, facts.CodeSecondLatency, facts.CodeSecondGap, facts.CodeFarLatency, facts.CodeFarGap,
		facts.ConstantAddress, facts.ConstantBytes, facts.ConstantLine, facts.ConstantWays, facts.ConstantFarLatency, facts.ConstantFarGap, facts.ConstantSecondGap, facts.ConstantSecondLine, facts.ConstantShared, facts.ConstantFirst,
		facts.UniformConstants, facts.UniformFarLatency, facts.UniformFarGap, facts.HalfTensorLatency, facts.HalfTensorGap, facts.DoubleTensorLatency, facts.DoubleTensorGap,
		facts.WideDispatch,
	}
	for _, f := range fixed {
		keys = append(keys, f.key)
	}
	for _, u := range unitFacts {
		for _, k := range []facts.Key{u.latency, u.gap} {
			if k != "" {
				keys = append(keys, k)
			}
		}
	}
	return keys
}

// multiprocessor is one of a device of which so many are busy, with so many bytes of its first-level cache for global memory.
func multiprocessor(d *facts.Device, busy, l1 int64) *timing.Machine {
	cycles := func(k facts.Key) int64 {
		if k == "" {
			return timing.Cycle
		}
		return timing.Cycles(d.Value(k))
	}
	m := &timing.Machine{
		Partitions: int(d.Value(facts.SubPartitions)),
		Depth:      int(d.Value(facts.AddressQueue)),
		Leaving:    int(d.Value(facts.RequestQueue)),
		Loading:    int(d.Value(facts.LoadQueue)),
		Reads:      cycles(facts.OperandWindow),
		Products:   cycles(facts.WideDispatch),
		Jump:       cycles(facts.JumpLatency),
		Crossing:   cycles(facts.CrossingLatency),
		Guard:      max(cycles(facts.GuardLatency)-cycles(facts.ALULatency), 0),
		Start:      cycles(facts.GroupStart),
		Begin:      timing.Cycles(d.Value(facts.GroupGap) * float64(busy)),
		L1Bytes:    l1,
		Code:       code(d),
		Constants: timing.Constants{
			Apart: cycles(facts.ConstantAddress), Bytes: d.Int(facts.ConstantBytes), Line: d.Int(facts.ConstantLine), Ways: d.Int(facts.ConstantWays),
			Far:    timing.Resource{Latency: cycles(facts.ConstantFarLatency), Gap: cycles(facts.ConstantFarGap)},
			Second: timing.Resource{Latency: cycles(facts.ConstantFirst), Gap: timing.Cycles(d.Value(facts.ConstantSecondGap) * float64(busy))}, SecondLine: d.Int(facts.ConstantSecondLine), Sharing: d.Value(facts.ConstantShared) * float64(busy),
			Uniform: d.Int(facts.UniformConstants), UniformFar: timing.Resource{Latency: cycles(facts.UniformFarLatency), Gap: timing.Cycles(d.Value(facts.UniformFarGap) * float64(busy))},
		},
	}
	for _, u := range unitFacts {
		m.Units[u.unit] = timing.Resource{Latency: cycles(u.latency), Gap: cycles(u.gap)}
	}
	all := float64(max(busy, 1))
	line, sector := lineBytes/d.Value(facts.L2BytesPerClock), 1/d.Value(facts.L2Sectors) // cycles for a whole line, and for one with one sector
	each := (line - sector) / (lineBytes/sectorBytes - 1)
	m.Units[timing.L2].Gap = timing.Cycles(each * all)
	m.Units[timing.Lines].Gap = timing.Cycles(all / d.Value(facts.L2StoreLines))
	m.Second = timing.Second{
		Line: sector/each - 1, Port: timing.Cycles(lineBytes / d.Value(facts.L2PortBytesPerClock)),
		Store: d.Value(facts.L2StoreRequest), Sector: d.Value(facts.L2StoreSector), StorePort: cycles(facts.L2StorePort), Fill: d.Value(facts.L2StoreFill), Update: d.Value(facts.L2StoreUpdate),
	}
	m.Units[timing.Atomic].Gap = timing.Cycles(max(all/d.Value(facts.AtomicSectors), d.Value(facts.AtomicGap)))
	m.Reduction = d.Value(facts.AtomicSectors) / d.Value(facts.ReductionSectors)
	m.Changed, m.Scattered = d.Value(facts.AtomicLine), d.Value(facts.AtomicScattered)
	m.Fence = timing.Resource{Latency: cycles(facts.FenceLatency), Gap: cycles(facts.FenceGap)}
	m.Queue, m.Turn = cycles(facts.DRAMQueue), cycles(facts.DRAMTurn)
	m.Units[timing.DRAM].Gap = timing.Cycles(sectorBytes * all / (d.Value(facts.DRAMReadRate) / (d.Value(facts.ClockMHz) * 1e6)))
	return m
}

// code is how instructions come.
func code(d *facts.Device) timing.Code {
	of := func(latency, gap facts.Key) timing.Resource {
		return timing.Resource{Latency: timing.Cycles(d.Value(latency)), Gap: timing.Cycles(d.Value(gap))}
	}
	return timing.Code{
		Line: d.Int(facts.CodeLine),
		Levels: []timing.CodeLevel{
			{Bytes: d.Int(facts.CodeBytes)},
			{Bytes: d.Int(facts.CodeSecondBytes), From: of(facts.CodeSecondLatency, facts.CodeSecondGap)},
		},
		Far: of(facts.CodeFarLatency, facts.CodeFarGap), First: of(facts.CodeLatency, facts.CodeGap),
	}
}

const (
	sectorBytes = memory.SectorBytes
	lineBytes   = memory.LineBytes
)
