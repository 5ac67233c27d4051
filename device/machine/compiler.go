package machine

import "gpuperf/device/facts"

// Compiler is what the compiler for a device makes of code. Sizes are instructions.
type Compiler struct {
	Wholly   int64   // of all iterations of a loop whose number is constant, that is unrolled wholly
	Twice    int64   // of a body that is unrolled, and that again, if the counter takes consecutive values and its end is no quotient
	Once     int64   // of a body that is unrolled
	By       int64   // iterations that are unrolled
	Straight int64   // accesses and operations that a loop unrolls to without being told to
	Ahead    float64 // words of 32 bits that a work-item has in flight
	Rare     float64 // of a subroutine for rare cases, at most
	Calls    int     // of flow, outside of its loops, that a kernel with a subroutine has
}

// CompilerFor is the compiler for a device, roughly where its data sheet does not say.
func CompilerFor(d *facts.Device) Compiler {
	of := func(k facts.Key) int64 { return int64(d.Rough(k)) }
	return Compiler{
		Wholly: of(facts.UnrollWholly), Twice: of(facts.UnrollTwice), Once: of(facts.UnrollOnce), By: max(of(facts.UnrollBy), 2), Straight: of(facts.UnrollStraight),
		Ahead: d.Rough(facts.LoadsAhead), Rare: d.Rough(facts.RareCode), Calls: int(of(facts.RareCalls)),
	}
}
