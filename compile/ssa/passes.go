package ssa

// Passes are done one after the other. Each leaves what the function computes as it was.
var Passes = []struct {
	Name string
	Do   func(*Func)
}{
	{"trivial phis", TrivialPhis},
	{"dead code", Dead},
	{"in registers", InRegisters},
	{"join", Join},
	{"common", Common},
	{"together", Together},
	{"predicate", Predicate},
	{"trivial phis", TrivialPhis},
	{"low words", LowWords},
	{"long products", LongProducts},
	{"hoist", Hoist},
	{"common", Common},
	{"unify", Unify},
	{"chain", Chain},
	{"reduce", Reduce},
	{"widen", Widen},
	{"fuse", Fuse},
	{"logic", Logic},
	{"dead code", Dead},
}
