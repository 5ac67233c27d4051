package explain

import (
	"errors"
	"fmt"

	"gpuperf/device/facts"
	"gpuperf/internal/format"
	"gpuperf/launch"
)

// Caches is what the caches are expected to do (package memory), in bytes of sectors. No model needs to use it.
type Caches struct {
	Loaded   float64 `json:"loaded_bytes"`    // by sub-groups, from global memory
	FromL2   float64 `json:"from_l2_bytes"`   // of these what L1 does not have
	FromDRAM float64 `json:"from_dram_bytes"` // what L2 does not have, if it holds nothing at the start
	Written  float64 `json:"written_bytes"`   // distinct
	Touched  float64 `json:"touched_bytes"`   // distinct, loaded or stored
	L2       float64 `json:"l2_bytes"`        // of the device
}

// caches estimates traffic, where the caches of the device are known.
func (e *explainer) caches(out *Explanation) error {
	t, err := e.Case.Traffic(e.Facts, e.Lanes)
	if unable := new(launch.Error); errors.As(err, &unable) || t == nil {
		return nil // the explanation does without
	}
	if t.Touched > 0 {
		out.Caches = &Caches{
			Loaded: t.L1Loads * launch.SectorBytes, FromL2: t.L2Loads * launch.SectorBytes, FromDRAM: t.DRAMReads, Written: t.Written, Touched: t.Touched,
			L2: e.Facts.Value(facts.L2Bytes),
		}
	}
	return nil
}

// String says it in a line.
func (c *Caches) String() string {
	hits := "nothing is loaded"
	if c.Loaded > 0 {
		hits = fmt.Sprintf("L1 serves %.0f %% of %s", 100*max(1-c.FromL2/c.Loaded, 0), format.Rough(c.Loaded, "B"))
	}
	if c.Touched <= c.L2 {
		return fmt.Sprintf("%s; all %s fit in L2", hits, format.Rough(c.Touched, "B"))
	}
	return fmt.Sprintf("%s; DRAM gives %s and takes %s", hits, format.Rough(c.FromDRAM, "B"), format.Rough(c.Written, "B"))
}
