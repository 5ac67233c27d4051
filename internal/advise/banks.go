package advise

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gpuperf/emulate"
	"gpuperf/emulate/launches"
	"gpuperf/internal/explain"
	"gpuperf/kernel"
	"gpuperf/workload"
)

// ofDrawnBanks is the advice of emulation about banks of local memory, by its rule.
const ofDrawnBanks = "bank conflicts"

// leastOfBanks is the part of the time with accesses to banks that data chooses from which on they are emulated.
const leastOfBanks = 0.1

// DrawnBanks adds what emulation says of the banks in which work-items meet where data decides that: counts take any banks for these, and emulation goes through the
// kernel with random numbers for data.
func DrawnBanks(ctx context.Context, device string, c *workload.Case, e *explain.Explanation) {
	var of explain.Remedy
	var arrays []string
	for _, l := range e.Lines {
		if !l.Data || l.Space != string(kernel.Local) {
			continue
		}
		if of.Share += l.Share; of.Line == 0 {
			of.File, of.Line = l.File, l.Line
		}
		if !slices.Contains(arrays, l.Array) {
			arrays = append(arrays, l.Array)
		}
	}
	if of.Share < leastOfBanks {
		return
	}
	all := emulated(ctx, device, []*workload.Case{c}, launches.Request{}, emulate.Status.Finite)
	if all == nil {
		return // the model's advice stands
	}
	for _, a := range all[0].Longest().Advice {
		if a.Rule != ofDrawnBanks || !a.Confirmed {
			continue
		}
		of.Kind, of.Array, of.Defect, of.Remedy, of.Gain, of.Seconds = "banks", strings.Join(arrays, " and "), a.Defect, a.Remedy, a.Gain, all[0].Seconds()/a.Gain
		of.Text = fmt.Sprintf("%s, %s:%d (%.0f %% of the time), with random numbers for the data that chooses banks: %s", of.Array, of.File, of.Line, 100*of.Share, a.Text)
		at := slices.IndexFunc(e.Remedies, func(r explain.Remedy) bool { return r.Gain < of.Gain })
		if at < 0 {
			at = len(e.Remedies)
		}
		e.Remedies = slices.Insert(e.Remedies, at, of)
	}
}
