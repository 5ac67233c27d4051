package bench

import _ "embed"

//go:embed constants.cu
var constantsSource string

// Walks through constants: words of a window, and from one place to the next.
type walked struct {
	kernel       string
	blocks       int64
	warps        int64
	window, step int64 // in words; of constant_lanes and constant_random, step is the addresses of a sub-group
	turns        int64
}

// Sizes in words.
const (
	constantKB   = 256               // words
	allConstants = 16384             // those of a bank
	walkTurns    = innerTurns        // several times through the windows that are asked for
	constantStep = 16                // words that walks go on by which are to meet each line: a line of most devices
	firstWalk    = allConstants - 16 // which comes to no place twice
	farPlaces    = 4 * constantKB    // words between places that are in one set of the first cache, and of larger ones
)

// windows are in quarters of a kilobyte: what a cache keeps of lines ends between two of them.
var constantWindows = []int64{2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 32, 64, 128}

// ofConstants are measurements of constants that are loaded by address.
func ofConstants(multiprocessors int64) []*Measurement {
	l := list{unit: &unit{name: "constants", text: head + constantsSource}}
	for _, quarters := range constantWindows {
		l.walked(walked{"constant_walk", 1, 1, quarters * constantKB / 4, constantStep, walkTurns})
	}
	for _, step := range constantSteps {
		if step != constantStep {
			l.walked(walked{"constant_walk", 1, 1, 8 * constantKB, step, walkTurns})
		}
		l.walked(walked{"constant_first", 1, 1, firstWalk, step, max(allConstants/step/inner/2-1, 1)})
	}
	for _, places := range constantPlaces {
		for _, apart := range []int64{2, 4} {
			if places*apart <= 64 {
				l.walked(walked{"constant_walk", 1, 1, places * apart * constantKB, apart * constantKB, walkTurns})
			}
		}
	}
	for _, warps := range []int64{2, 4, 8, 16, 32} {
		l.walked(walked{"constant_walk", 1, warps, allConstants, constantStep, walkTurns * 2})
		for _, kb := range []int64{4, 16, 64} {
			l.walked(walked{"constant_walk", multiprocessors, warps, kb * constantKB, constantStep, walkTurns * 2})
		}
	}
	for _, kb := range []int64{4, 8, 16, 64} {
		l.walked(walked{"constant_walk", multiprocessors, 1, kb * constantKB, constantStep, walkTurns * 2})
	}
	for _, lanes := range []int64{1, 2, 8, 32} {
		for _, warps := range []int64{1, 16, 32} {
			l.walked(walked{"constant_lanes", 1, warps, 0, lanes, walkTurns})
		}
		for _, kb := range []int64{2, 4, 16, 64} {
			l.walked(walked{"constant_random", multiprocessors, 16, kb * constantKB, lanes, walkTurns})
			l.walked(walked{"constant_random", 1, 1, kb * constantKB, lanes, walkTurns})
		}
	}
	return l.all
}

var (
	constantSteps  = []int64{1, 2, 4, 8, 16, 32, 64, 128, 256}
	constantPlaces = []int64{1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32}
)

func (l *list) walked(w walked) {
	l.add(Measurement{
		Name: w.kernel, Varies: map[string]int64{"words": w.window, "step": w.step, "warps": w.warps, "groups": w.blocks}, Blocks: w.blocks, Items: 32 * w.warps,
		numbers: []int64{w.turns, w.step<<16 | w.window}, holds: []hold{{"LDC", inner}}, tell: cycles, operations: w.turns * inner,
	})
}
