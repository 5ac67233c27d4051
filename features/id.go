package features

import (
	"gpuperf/kernel"
	"gpuperf/kernel/expr"
)

// ID is a feature identifier (Stevens and Klöckner, section 6.1), made by ParseID. IDs are comparable, and equal when
// their texts are. The class determines which fields are used; an empty field of a memory access matches all.
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

// Memory is the only memory whose accesses the feature counts; "" if it counts both.
func (id ID) Memory() kernel.Space {
	if c := id.Class.row(); c != nil && c.space != "" {
		return c.space
	}
	return id.Space
}
