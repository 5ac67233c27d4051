package features

import (
	"errors"
	"math/big"

	"gpuperf/internal/throw"
	"gpuperf/kernel"
)

// Class is the first section of a feature identifier: a family of features.
type Class string

// The classes of features.
const (
	OpClass          Class = "op"
	MemClass         Class = "mem_access"
	HoistedClass     Class = "mem_hoisted"
	LinesClass       Class = "mem_lines"
	SectorsClass     Class = "mem_sectors"
	FootprintClass   Class = "mem_footprint"
	SyncClass        Class = "sync"
	GroupsClass      Class = "thread_groups"
	SubGroupsClass   Class = "sub_groups"
	LocalBytesClass  Class = "local_bytes"
	StaticClass      Class = "static"
	TimeClass        Class = "cl_wall_time"
	LoopTripsClass   Class = "loop_trips"
	LoopSizeClass    Class = "loop_size"
	LoopPathClass    Class = "loop_path"
	LoopCarriedClass Class = "loop_carried"
)

// Work is the kind of work that a class of features counts.
type Work string

// The kinds of work.
const (
	Arithmetic Work = "arithmetic"
	Memory     Work = "memory"
	Waiting    Work = "waiting"
	AllWork    Work = "all" // everything that a launch does
)

// class is a row of the table of classes: how identifiers of the class are read, what they select and what their values are.
type class struct {
	name  Class
	form  string       // of its identifiers, without what stands before: parts in brackets may be left out
	work  Work         // "" for none
	space kernel.Space // the only memory that is counted; "" for any
	parse func(p *idParser, c *class, id *ID, rest string) error
	// match reports whether an identifier selects a record, if the conditions on sizes hold; nil for a class without records.
	match func(s *Statistics, c *class, id ID, key Key) (conditions []condition, match bool, err error)
	// value is the value at sizes; nil means the sum of the counts of the selected records.
	value func(s *Statistics, c *class, id ID, at point) (float64, error)
	// explain describes the count; nil means the selected records.
	explain func(s *Statistics, id ID) []string
}

const (
	memoryForm = "[_tag:<tag>][_global|_local][_<dtype>][_load|_store][_lstrides:{...}][_gstrides:{...}][_afr:<constraint>]"
	chainForm  = "_<dtype>_<op>|_global|_local[_iname:<iname>]"
)

var classes = []class{
	{name: OpClass, form: "_<dtype>_<op>", work: Arithmetic, parse: (*idParser).op, match: matchOp},
	{name: MemClass, form: memoryForm, work: Memory, parse: (*idParser).mem, match: matchMem},
	{name: HoistedClass, form: memoryForm, work: Memory, parse: (*idParser).mem, match: matchMem, value: sumOf((*Statistics).hoisted)},
	{name: LinesClass, form: memoryForm, work: Memory, space: kernel.Global, parse: (*idParser).mem, match: matchMem, value: sumOf(unitsOf(cacheLines))},
	{name: SectorsClass, form: memoryForm, work: Memory, space: kernel.Global, parse: (*idParser).mem, match: matchMem, value: sumOf(unitsOf(sectors))},
	{name: FootprintClass, form: memoryForm, work: Memory, parse: (*idParser).mem, match: matchMem, value: (*Statistics).footprints},
	{name: SyncClass, form: "_barrier_local|_barrier_global|_kernel_launch", parse: (*idParser).sync, match: matchSync},
	{name: GroupsClass, parse: (*idParser).end, value: (*Statistics).groupCount, explain: says("number of work-groups")},
	{name: SubGroupsClass, parse: (*idParser).end, value: (*Statistics).subGroupCount, explain: says("number of sub-groups of all work-groups")},
	{name: StaticClass, form: "_<total>", work: AllWork, parse: (*idParser).static, value: (*Statistics).static, explain: explainStatic},
	{name: TimeClass, form: "[_<platform>_<device>]", parse: (*idParser).time, value: measured},
	{name: LocalBytesClass, parse: (*idParser).end, value: (*Statistics).localBytes, explain: says("bytes of local memory of a work-group")},
	{name: LoopTripsClass, form: "[_iname:<iname>]", work: Waiting, parse: (*idParser).loop, value: sumOfLoops((*loopFacts).once), explain: (*Statistics).explainLoops},
	{name: LoopSizeClass, form: "[_iname:<iname>]", work: Waiting, parse: (*idParser).loop, value: sumOfLoops((*loopFacts).instructions), explain: (*Statistics).explainLoops},
	{name: LoopPathClass, form: chainForm, work: Waiting, parse: (*idParser).chain, value: sumOfLoops((*loopFacts).onPath), explain: (*Statistics).explainLoops},
	{name: LoopCarriedClass, form: chainForm, work: Waiting, parse: (*idParser).chain, value: sumOfLoops((*loopFacts).onCarried), explain: (*Statistics).explainLoops},
}

// row is the row of a class; nil for what ParseID does not make.
func (c Class) row() *class {
	for i := range classes {
		if classes[i].name == c {
			return &classes[i]
		}
	}
	return nil
}

// Work is the kind of work that the class counts.
func (c Class) Work() Work {
	if row := c.row(); row != nil {
		return row.work
	}
	return ""
}

// Classes lists the classes, with the form of their identifiers: "f_op_<dtype>_<op>".
func Classes() (list []Class, forms []string) {
	for _, c := range classes {
		list, forms = append(list, c.name), append(forms, "f_"+string(c.name)+c.form)
	}
	return list, forms
}

func says(text string) func(*Statistics, ID) []string {
	return func(*Statistics, ID) []string { return []string{text} }
}

func measured(*Statistics, *class, ID, point) (float64, error) {
	return 0, errors.New("the time is measured, not counted")
}

// sumOf makes the value of a class that is a sum over the selected accesses.
func sumOf(of func(*Statistics, Mem, map[string]int64) (*big.Rat, error)) func(*Statistics, *class, ID, point) (float64, error) {
	return func(s *Statistics, c *class, id ID, at point) (_ float64, err error) {
		defer throw.Catch(&err)
		sum := new(big.Rat)
		s.selected(c, id, at.sizes, func(record int) error {
			n, err := of(s, s.Records[record].Key.(Mem), at.sizes)
			if err == nil {
				sum.Add(sum, n)
			}
			return err
		})
		v, _ := sum.Float64()
		return v, nil
	}
}
