package bench

import "gpuperf/device/facts"

// Rules of the caches of constants that are loaded by address. What is a number of bytes or lines is one of those that were tried, and is not corrected.
var constantRules = []rule{
	{facts.ConstantBytes, constantBytes, false, false, true},
	{facts.ConstantLine, constantLine, false, false, true},
	{facts.ConstantWays, constantWays, false, false, true},
	{facts.ConstantSecondLine, constantSecondLine, false, false, true},
	{facts.ConstantGap, constantGap, true, false, false},
	{facts.ConstantAddress, constantAddress, true, false, false},
	{facts.ConstantFarLatency, constantFarLatency, true, false, false},
	{facts.ConstantFarGap, constantFarGap, true, false, false},
	{facts.ConstantFirst, constantFirst, true, false, false},
	{facts.ConstantSecondGap, constantSecondGap, true, false, false},
	{facts.ConstantShared, constantShared, false, false, false},
}

// Walks in words: one that any cache holds, and one that none does.
const (
	smallWalk = 128
	largeWalk = 8 * constantKB
	// Of what a line costs that a cache lacks, a walk that it holds takes less than the first part, and one each place of which is in a line of its own more than the second.
	held, apartLines = 0.2, 0.9
)

// walk is the time of a load in a walk, false where it was not measured.
func (n *Numbers) walk(kernel string, groups, warps, words, step int64) (float64, bool) {
	return n.value("cycles", kernel, "words", words, "step", step, "warps", warps, "groups", groups)
}

// lacking is what a load takes whose line the first cache holds, and what it takes longer where that lacks it.
func (n *Numbers) lacking() (there, longer float64, ok bool) {
	there, ok = n.walk("constant_walk", 1, 1, smallWalk, constantStep)
	lacks, found := n.walk("constant_walk", 1, 1, largeWalk, constantStep)
	return there, lacks - there, ok && found && lacks > there
}

// most is the greatest of some sizes up to which walks are held.
func (n *Numbers) most(sizes []int64, words func(int64) (words, step int64)) (most int64, ok bool) {
	there, longer, ok := n.lacking()
	ends := false
	for _, size := range sizes { // all are asked for
		all, step := words(size)
		v, found := n.walk("constant_walk", 1, 1, all, step)
		if ends = ends || !found || v > there+held*longer; !ends {
			most = size
		}
	}
	return most, ok && most > 0
}

func constantBytes(n *Numbers) (float64, string, bool) {
	most, ok := n.most(constantWindows, func(quarters int64) (int64, int64) { return quarters * constantKB / 4, constantStep })
	return float64(most * 4 * constantKB / 4), "walks through constants: the largest that takes no longer than the smallest", ok
}

func constantWays(n *Numbers) (float64, string, bool) {
	most, ok := n.most(constantPlaces, func(places int64) (int64, int64) { return places * farPlaces, farPlaces })
	return float64(most), "walks through constants 4 KB apart: the most places that take no longer than one", ok
}

func constantLine(n *Numbers) (float64, string, bool) {
	there, _, ok := n.lacking()
	return n.rises("constant_walk", largeWalk, there), "walks through 8 KB of constants: how far apart loads take no longer than closer ones", ok
}

func constantSecondLine(n *Numbers) (float64, string, bool) {
	there, longer, ok := n.lacking()
	return n.rises("constant_first", firstWalk, there+longer), "first walks through constants: how far apart loads take no longer than closer ones", ok
}

// rises is the distance in bytes up to which the time of a walk rises, from a number of cycles to its greatest.
func (n *Numbers) rises(kernel string, words int64, from float64) float64 {
	to := from
	for _, step := range constantSteps {
		v, _ := n.walk(kernel, 1, 1, words, step)
		to = max(to, v)
	}
	for _, step := range constantSteps {
		if v, ok := n.walk(kernel, 1, 1, words, step); ok && v-from > apartLines*(to-from) {
			return float64(4 * step)
		}
	}
	return 0
}

func constantFarLatency(n *Numbers) (float64, string, bool) {
	_, longer, ok := n.lacking()
	return longer, "walks through 8 KB of constants, but for one of 512 B", ok
}

func constantFirst(n *Numbers) (float64, string, bool) {
	there, longer, ok := n.lacking()
	first, found := n.walk("constant_first", 1, 1, firstWalk, constantSteps[len(constantSteps)-1])
	return first - there - longer, "a first walk through constants 1 KB apart, but for one through 8 KB again", ok && found
}

func constantFarGap(n *Numbers) (float64, string, bool) {
	v, ok := n.walk("constant_walk", 1, 16, allConstants, constantStep)
	return v / 16, "walks through 64 KB of constants by 16 sub-groups of a multiprocessor", ok
}

// randomWarps are the sub-groups of a multiprocessor that load constants at random places.
const randomWarps = 16

func constantSecondGap(n *Numbers) (float64, string, bool) {
	v, ok := n.walk("constant_random", n.Multiprocessors, randomWarps, allConstants, 1)
	return v / randomWarps / float64(n.Multiprocessors), "constants at random places of 64 KB, by 16 sub-groups of all multiprocessors", ok
}

// constantShared is how much sooner lines come that are asked for more often: each is asked for by a multiprocessor when it has asked for as many as there are, of about twice what the first cache holds.
func constantShared(n *Numbers) (float64, string, bool) {
	const under = 2 // times the latency of a line: for so long others that ask for it are sent it, too, as package timing has it
	words := 4. * constantKB
	if n.constants > 2*words {
		words *= 4
	}
	often, ok := n.walk("constant_random", n.Multiprocessors, randomWarps, int64(words), 1)
	seldom, found := n.walk("constant_random", n.Multiprocessors, randomWarps, allConstants, 1)
	_, longer, known := n.lacking()
	each := func(time, words float64) float64 { return time / randomWarps / (1 - n.constants/(4*words)) } // cycles for a line that the first cache does not hold
	soon := each(often, words)
	return (each(seldom, allConstants)/soon - 1) * words / constantStep * soon / (under * longer * float64(n.Multiprocessors)),
		"constants at random places of 64 KB by all multiprocessors, over those of 4 KB, or 16", ok && found && known && n.constants > 0 && n.constants < 4*words
}

func constantGap(n *Numbers) (float64, string, bool) {
	v, ok := n.walk("constant_lanes", 1, 16, 0, 32)
	return v / (16 * 32), "LDC of 32 addresses by 16 sub-groups", ok
}

func constantAddress(n *Numbers) (float64, string, bool) {
	one, ok := n.walk("constant_lanes", 1, 1, 0, 1)
	all, found := n.walk("constant_lanes", 1, 1, 0, 32)
	return (all - one) / 31, "chains of LDC of 32 addresses, but for those of one", ok && found
}
