package trace

import (
	"maps"
	"math/bits"

	"gpuperf/emulate/exec"
	"gpuperf/emulate/timing"
)

// movement is how far accesses and phases of barriers have moved from one iteration to the next.
type movement struct {
	touches map[*timing.Touched]timing.Step
	meets   map[*timing.Meet]int64
}

func newMovement() movement {
	return movement{map[*timing.Touched]timing.Step{}, map[*timing.Meet]int64{}}
}

// add adds those of other accesses.
func (m movement) add(other movement) {
	maps.Copy(m.touches, other.touches)
	maps.Copy(m.meets, other.meets)
}

func alikeMeets(a, b *timing.Meet) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Kind == b.Kind && a.At == b.At && a.Count == b.Count && a.Of == b.Of && a.Bytes == b.Bytes
}

var meetKinds = map[exec.Meets]timing.MeetKind{
	exec.Arrives: timing.Arrive, exec.ArrivesCopies: timing.ArriveCopies, exec.Awaits: timing.Await, exec.Brings: timing.Bring,
	exec.BringsCopies: timing.BringCopies, exec.Syncs: timing.Sync, exec.Signals: timing.Signal,
}

// met is what timing needs to know of a meeting; nil for none.
func (r *recorder) met(m *exec.Meeting, t *timing.Touched) *timing.Meet {
	if m.Kind == exec.Nowhere {
		return nil
	}
	out := &timing.Meet{
		Kind: meetKinds[m.Kind], At: int64(m.At), Phase: int64(m.Phase), Count: int64(m.Count), Of: int64(m.Of), Bytes: max(m.Bytes, 0),
	}
	s := r.shares[share{m.At, m.Phase}]
	if s == nil && (m.Kind == exec.Brings || m.Kind == exec.Arrives && m.Bytes > 0) {
		s = &shared{}
		r.shares[share{m.At, m.Phase}] = s
	}
	switch {
	case m.Kind == exec.Brings:
		s.left -= out.Bytes
		if m.Bytes < 0 {
			s.meets, s.touches, s.parts, s.all = append(s.meets, out), append(s.touches, t), append(s.parts, -m.Bytes), s.all-m.Bytes
		}
		s.divide()
	case m.Kind == exec.Arrives && m.Bytes > 0:
		s.left += m.Bytes
		s.divide()
	}
	return out
}

// share is a phase of a barrier that waits for bytes.
type share struct {
	at    uint64
	phase int
}

// shared are the copies of tiles, whose sizes only tensor maps tell, that share the bytes of a phase.
type shared struct {
	left    int64
	meets   []*timing.Meet
	touches []*timing.Touched
	parts   []int64 // of each copy: as many as blocks get it
	all     int64   // parts
}

// divide gives each copy its equal parts.
func (s *shared) divide() {
	for i, m := range s.meets {
		one := max(s.left+s.all-1, 0) / s.all
		m.Bytes = one * s.parts[i]
		if t := s.touches[i]; t != nil {
			t.Unknown = int(one / sectorBytes)
			t.Waves = max(one/passBytes, 1)
		}
	}
}

// bulk is the access of a bulk copy to global memory: a row of bytes, or a tile that is not known.
func bulk(accesses []exec.Access, tile *exec.Tile) *timing.Touched {
	if tile.Times > 0 {
		return tiled(tile)
	}
	if len(accesses) == 0 {
		return nil
	}
	a := &accesses[0]
	t := &timing.Touched{Space: timing.GlobalSpace, Width: int64(a.Bytes), Store: len(accesses) == 1 && a.Bytes > 0, Copy: true, Past: true}
	t.Waves = max(t.Width/passBytes, 1)
	if a.Known != 0 {
		t.Lanes = []int64{int64(a.Address[bits.TrailingZeros32(a.Known)])}
	} else {
		t.Unknown = a.Bytes / sectorBytes
	}
	return t
}

// tiled is the access of a copy that a tensor map describes.
func tiled(tile *exec.Tile) *timing.Touched {
	t := &timing.Touched{
		Space: timing.GlobalSpace, Width: int64(tile.Bytes), Store: tile.Store, Copy: true, Past: true, Waves: max(int64(tile.All)/passBytes, 1),
		Times: int64(tile.Times),
	}
	inRow := true
	for i, from := range tile.Rows {
		t.Lanes = append(t.Lanes, int64(from))
		inRow = inRow && int64(from)-t.Lanes[0] == int64(i)*t.Width
	}
	if n := len(t.Lanes); n > 1 && inRow {
		t.Lanes, t.Width = t.Lanes[:1], t.Width*int64(n)
	}
	return t
}

// meetAgain does at barriers what the iterations would do that are skipped: others wait for that.
func (r *recorder) meetAgain(body []timing.Node, moved movement, times int64) {
	var each func(nodes []timing.Node, trips []int64)
	each = func(nodes []timing.Node, trips []int64) {
		for i := range nodes {
			for _, e := range nodes[i].Events {
				m := e.Meet
				if m == nil {
					continue
				}
				at := m.Phase
				for level, s := range m.Steps {
					at += s * trips[level]
				}
				r.w.Repeat(&exec.Meeting{Kind: meetsOf[m.Kind], At: uint64(m.At), Phase: int(at), Count: int(m.Count), Bytes: m.Bytes}, int(moved.meets[m]), times)
			}
			for trip := range nodes[i].Times {
				each(nodes[i].Body, append(trips[:len(trips):len(trips)], trip))
			}
		}
	}
	each(body, nil)
}

var meetsOf = map[timing.MeetKind]exec.Meets{
	timing.Arrive: exec.Arrives, timing.ArriveCopies: exec.ArrivesCopies, timing.Await: exec.Awaits, timing.Bring: exec.Brings,
	timing.BringCopies: exec.BringsCopies, timing.Sync: exec.Syncs, timing.Signal: exec.Signals,
}
