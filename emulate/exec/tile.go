package exec

import (
	"encoding/binary"
	"math/bits"

	"gpuperf/sass"
)

// Tile is what a copy moves that a tensor map describes.
type Tile struct {
	Rows  []uint64 // where the rows begin that lie in the tensor, in global memory; nil where the map is not known
	Bytes int      // of a row
	All   int      // bytes of the whole box, what lies outside of the tensor too; 0 where the map is not known
	Store bool
	Times int // how many groups of the cluster get it; these are taken to give as much to this one
}

// A tensor map: the address of the tensor, a word about its kind, the distances of rows and of what lies further apart in units of 16 bytes with their
// upper bits together, sizes less one, and the steps and the sizes of a box less one (seen in what a driver encodes: testdata/h200/measurement/tensors.csv.gz). The numbers are offsets in bytes.
const (
	mapBytes  = 64
	mapKind   = 8
	mapApart  = 12
	mapUpper  = 28
	mapSizes  = 32
	mapSteps  = 52
	mapBox    = 55
	mostAxes  = 5
	apartUnit = 16
	typeBits  = 7 // where the type begins in the word about the kind, with four bits
	stepBits  = 3
)

// elementBytes are those of a number by its type.
var elementBytes = []int{1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2}

// tensor is what a map says.
type tensor struct {
	at         uint64
	element    int
	size, box  [mostAxes]int
	step       [mostAxes]int    // of which numbers or rows are copied: each, or every second and so on
	apart      [mostAxes]uint64 // bytes along each axis
	axes       int
	described  bool
	boxOfBytes int
}

// tensor reads the map at an address: in the bank of parameters, or in global memory.
func (w *Warp) tensor(at uint64, axes int) (t tensor) {
	var raw [mapBytes]byte
	for k := uint64(0); k < mapBytes; k += 8 {
		v, known := uint64(0), false
		if at >= constantAt && at < constantAt+windowSize {
			v, known = w.launch.constants.word(0, at-constantAt+k, 8)
		} else {
			x := w.Group.global.read(at+k, 8)
			v, known = uint64(x.value[0])|uint64(x.value[1])<<32, x.known&3 == 3
		}
		if !known {
			return t
		}
		binary.LittleEndian.PutUint64(raw[k:], v)
	}
	word := func(at int) uint64 { return uint64(binary.LittleEndian.Uint32(raw[at:])) }
	kind := int(word(mapKind) >> typeBits & 15)
	if kind >= len(elementBytes) || axes < 1 || axes > mostAxes {
		return t
	}
	t.at, t.element, t.axes = word(0)|word(4)<<32, elementBytes[kind], axes
	steps := word(mapSteps)
	t.apart[0] = uint64(t.element)
	t.boxOfBytes = t.element
	for d := range axes {
		step := int(steps>>(stepBits*d)&(1<<stepBits-1)) + 1
		t.size[d], t.box[d], t.step[d] = int(word(mapSizes+4*d))+1, int(raw[mapBox+d])+1, step
		t.boxOfBytes *= (t.box[d] + step - 1) / step
		if d > 0 {
			t.apart[d] = (word(mapApart+4*(d-1)) | word(mapUpper)>>(4*(d-1))&15<<32) * apartUnit
		}
	}
	t.described = t.boxOfBytes <= windowSize
	return t
}

// rows are where the rows of the box at some coordinates begin that lie in the tensor, and how many bytes of each do.
func (t *tensor) rows(from [mostAxes]int) (rows []uint64, size int) {
	first, last := max(from[0], 0), min(from[0]+t.box[0], t.size[0])
	if last <= first {
		return nil, 0
	}
	rows = []uint64{t.at + uint64(first*t.element)}
	for d := 1; d < t.axes; d++ {
		first, last := max(from[d], 0), min(from[d]+t.box[d], t.size[d])
		var all []uint64
		for i := first; i < last; i += t.step[d] {
			for _, r := range rows {
				all = append(all, r+uint64(i)*t.apart[d])
			}
		}
		rows = all
	}
	return rows, (last - first) * t.element // what lies between is read as well
}

// axesOf is how many axes the tensor of an instruction has; 0 where its rows do not follow each other.
func axesOf(in *sass.Instruction) int {
	for _, m := range in.Modifiers {
		if m == "IM2COL" {
			return 0
		}
		if len(m) == 2 && m[1] == 'D' {
			return int(m[0] - '0')
		}
	}
	return 0
}

// tile is the box that an instruction of the tensor map moves: the coordinates are in the registers behind that of the place in local memory, and, for a
// load, of its barrier.
func (w *Warp) tile(o *op, one uint32, before int) (t Tile) {
	f := w.path.file
	i := active(one)
	t.Times = 1
	at, known := o.access.parts[1].at(f, i)
	terms := o.access.parts[0].terms
	axes := axesOf(o.in)
	if !known || len(terms) == 0 || axes == 0 {
		return t
	}
	m := w.tensor(at, axes)
	var from [mostAxes]int
	for d := range axes {
		n := terms[0].row + before + d
		m.described = m.described && f.known[n]>>i&1 != 0
		from[d] = int(int32(f.rows[n][i]))
	}
	if !m.described {
		return t
	}
	t.Rows, t.Bytes = m.rows(from)
	t.All = m.boxOfBytes
	return t
}

// leastTile is how much of local memory is not known any more after the copy of a tile that is not known.
const leastTile = 1024

// copyTile copies a tile that a tensor map describes to local memory. Its values are not followed.
func copyTile(w *Warp, o *op, lanes uint32) {
	one := lanes & -lanes
	t := w.tile(o, one, 2)
	t.Times = w.shared(o, one)
	var to Access
	o.access.parts[0].all(w.path.file, one, &to)
	size := max(t.All, leastTile)
	if to.Known == 0 {
		w.Group.shared.forget()
	} else if !w.launch.addresses {
		w.Group.shared.blur(to.Address[active(one)]&(windowSize-1), uint64(size))
	}
	w.step.Tile = t
	if t.All == 0 {
		w.brings(o, one, -int64(t.Times))
		return
	}
	w.brings(o, one, int64(t.All*t.Times))
}

// shared is how many groups of the cluster get a copy: as many bits as the mask has, in the upper half of its register.
func (w *Warp) shared(o *op, one uint32) int {
	if !o.in.Has("MULTICAST") || len(o.access.values) == 0 {
		return 1
	}
	v, known := o.access.values[len(o.access.values)-1].first(w.path.file, one)
	if !known {
		c := w.launch.cluster
		return int(c[0] * c[1] * c[2])
	}
	return max(bits.OnesCount32(uint32(v)>>16), 1)
}

// storeTile copies a tile from local memory to global memory. Its values are not followed.
func storeTile(w *Warp, o *op, lanes uint32) {
	w.step.Tile = w.tile(o, lanes&-lanes, 1)
	w.step.Tile.Store = true
}
