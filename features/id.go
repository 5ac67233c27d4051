package features

import (
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// Class is the first section of a feature identifier, which says what kind of thing it counts.
type Class string

// The classes of features.
const (
	OpClass        Class = "op"
	MemClass       Class = "mem_access"
	HoistedClass   Class = "mem_hoisted"
	LinesClass     Class = "mem_lines"
	SectorsClass   Class = "mem_sectors"
	FootprintClass Class = "mem_footprint"
	SyncClass      Class = "sync"
	GroupsClass    Class = "thread_groups"
	SubGroupsClass Class = "sub_groups"
	StaticClass    Class = "static"
	TimeClass      Class = "cl_wall_time"

	LocalBytesClass Class = "local_bytes"

	LoopTripsClass   Class = "loop_trips"
	LoopSizeClass    Class = "loop_size"
	LoopPathClass    Class = "loop_path"
	LoopCarriedClass Class = "loop_carried"
)

// ofLoops reports that the class counts what is in sequential loops.
func (c Class) ofLoops() bool {
	return c == LoopTripsClass || c == LoopSizeClass || c == LoopPathClass || c == LoopCarriedClass
}

// ID is a feature identifier (Stevens and Klöckner, section 6.1), made by ParseID. IDs are comparable, and equal when
// their texts are. Which fields mean something depends on the class; an empty field of a memory access matches all.
type ID struct {
	text  string
	Class Class

	Op string // of OpClass and SyncClass, and the name of the total of StaticClass

	DType     expr.DType // of OpClass and the classes of memory accesses
	Tag       string
	Space     kernel.Space
	Direction Direction
	LStrides  string // constraints as in "0:1;1:>15"
	GStrides  string
	AFR       string // constraint on accesses per element of the footprint, as in ">1"

	Platform, Device string // of TimeClass, empty for any

	Iname string // of the classes of loops, empty for all
}

// String is the text that the identifier was made from.
func (id ID) String() string { return id.text }

// IsOutput reports whether the feature is measured and not counted.
func (id ID) IsOutput() bool { return id.Class == TimeClass }
