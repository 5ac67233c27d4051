package samples

import "slices"

// Set is a sequence of records of one device that can be searched.
type Set struct {
	records []Record
	of      map[setKey][]int // indices into records, oldest first
}

type setKey struct {
	kernel string
	mode   Mode
}

// Freshness is what a set knows about a sample that is wanted.
type Freshness int

const (
	Missing Freshness = iota // no record, or none whose answer is settled
	Stale                    // measured from another source, or launched otherwise
	Fresh                    // the answer is there
)

func (f Freshness) String() string { return [...]string{"missing", "stale", "fresh"}[f] }

// NewSet returns a set of records, as [ReadFile] gives them.
func NewSet(records []Record) *Set {
	s := &Set{of: map[setKey][]int{}}
	for _, r := range records {
		s.add(r)
	}
	return s
}

func (s *Set) add(r Record) {
	k := setKey{r.Kernel.Key(), r.Mode}
	s.of[k] = append(s.of[k], len(s.records))
	s.records = append(s.records, r)
}

// Find looks for a sample. Of want it reads the kernel's identity, the mode, and what [Record.SameWork] compares. With
// Fresh it returns the newest settled record of the same work, else, with Stale, the newest settled one of the kernel.
func (s *Set) Find(want Record) (Record, Freshness) {
	stale := -1
	for _, i := range slices.Backward(s.of[setKey{want.Kernel.Key(), want.Mode}]) {
		switch r := s.records[i]; {
		case !r.Status.Settled():
		case r.SameWork(want):
			return r, Fresh
		case stale < 0:
			stale = i
		}
	}
	if stale >= 0 {
		return s.records[stale], Stale
	}
	return Record{}, Missing
}

// Records returns the records, oldest first.
func (s *Set) Records() []Record { return slices.Clip(s.records) }

// Device returns the device that the records are of, if there are any.
func (s *Set) Device() (Fingerprint, bool) {
	if len(s.records) == 0 {
		return Fingerprint{}, false
	}
	return s.records[0].Device, true
}
