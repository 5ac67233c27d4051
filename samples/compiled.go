package samples

// Compiled is what is known of the built kernel. Zero means that nobody told.
type Compiled struct {
	PreferredMultiple int64   `json:"preferred_multiple,omitempty"` // of the work-group size, in work-items
	MaxWorkGroup      int64   `json:"max_work_group,omitempty"`     // for this kernel, in work-items
	LocalMem          int64   `json:"local_mem,omitempty"`          // bytes per work-group that the code declares
	DynamicMem        int64   `json:"dynamic_local_mem,omitempty"`  // bytes of local memory per work-group that the launch adds
	PrivateMem        int64   `json:"private_mem,omitempty"`        // bytes per work-item: of arrays and spilled registers
	Registers         int64   `json:"registers,omitempty"`          // of 32 bits, per work-item
	GroupsPerUnit     int64   `json:"groups_per_unit,omitempty"`    // work-groups that a compute unit holds at once
	Occupancy         float64 `json:"occupancy,omitempty"`          // the share of the sub-groups that a compute unit can hold
	Code              *Code   `json:"code,omitempty"`               // nil where no disassembler is at hand
}
