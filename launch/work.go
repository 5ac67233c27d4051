package launch

import (
	"fmt"

	hw "gpuperf/device/machine"
)

// Work tells what launches do from their vectors.
type Work struct {
	at map[string]int
	on *hw.Machine
}

// NewWork prepares it for vectors whose components have given names, on a device. A component that is missing is an error.
func NewWork(names []string, on *hw.Machine) (*Work, error) {
	w := &Work{placesOf(names), on}
	var lacks string
	if w.of(statics{w.at, make([]float64, len(names)), &lacks}); lacks != "" {
		return nil, fmt.Errorf("what a launch does is told from %s, which the vectors lack", lacks)
	}
	return w, nil
}

// At is the work of the launch with a vector.
func (w *Work) At(values []float64) hw.Work { return w.of(statics{at: w.at, values: values}) }

// longer is how many instructions a division or a function is, roughly: those that most kinds of [issued] are.
const longer = 20

func (w *Work) of(v statics) hw.Work {
	groups := max(v.get("work_groups"), 1)
	each := func(total string) float64 { return byFeature["f_static_"+total].made(v) / groups } // of a work-group
	return hw.Work{
		Launches: v.get("launches"), GlobalBytes: v.get("data_bytes"), Groups: int64(groups),
		Group:  hw.Group{Items: int64(v.get("group_size")), Registers: int64(v.get("registers")), Local: int64(v.get("local_bytes")), Subgroup: w.on.Subgroup},
		Issue:  (each("accesses") + each("arithmetic") + each("control") + longer*(each("divisions")+each("functions"))) / float64(w.on.Schedulers),
		Rounds: v.get("load_rounds"), Barriers: v.get("barriers"), Lines: each("wavefronts"), Bytes: each("tile_bytes"),
	}
}
