package interp

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"gpuperf/internal/round"
	"gpuperf/kernel/expr"
)

// Buffer is an array in memory: integers (and bool) as int64, floats as float64 that hold values of the element type
// exactly. Elements that were never written are undefined, and reading them is an error.
type Buffer struct {
	DType   expr.DType
	ints    []int64
	floats  []float64
	errs    []float64 // bounds of the rounding errors of floats
	defined []bool
	sparse  *sparse // nil where all elements are there
}

// NewBuffer makes a buffer of n undefined elements.
func NewBuffer(t expr.DType, n int) *Buffer {
	b := &Buffer{DType: t, defined: make([]bool, n)}
	if t.IsFloat() {
		b.floats, b.errs = make([]float64, n), make([]float64, n)
	} else {
		b.ints = make([]int64, n)
	}
	return b
}

// FromBytes makes a buffer of elements in the device's representation, little-endian, all of them defined.
func FromBytes(t expr.DType, data []byte) (*Buffer, error) {
	size := int(t.Size())
	if size == 0 || t.IsComplex() || len(data)%size != 0 {
		return nil, fmt.Errorf("%d bytes are no array of %s", len(data), t)
	}
	b := NewBuffer(t, len(data)/size)
	b.decode(0, data)
	return b, nil
}

// decode gives the elements from first on the values in data.
func (b *Buffer) decode(first int, data []byte) {
	size := int(b.DType.Size())
	for at := range len(data) / size {
		i := first + at
		var bits uint64
		for j := size - 1; j >= 0; j-- {
			bits = bits<<8 | uint64(data[at*size+j])
		}
		b.defined[i] = true
		switch t := b.DType; t {
		case expr.Float64:
			b.floats[i] = math.Float64frombits(bits)
		case expr.Float32:
			b.floats[i] = float64(math.Float32frombits(uint32(bits)))
		case expr.Float16:
			b.floats[i] = round.FromHalf(uint16(bits))
		case expr.BFloat16:
			b.floats[i] = float64(math.Float32frombits(uint32(bits) << 16))
		default:
			b.ints[i] = t.Wrap(int64(bits))
		}
	}
}

// Bytes gives the elements in the device's representation, little-endian; undefined ones are zero.
func (b *Buffer) Bytes() []byte {
	size := int(b.DType.Size())
	out := make([]byte, 0, size*len(b.defined))
	for i := range b.defined {
		var bits uint64
		switch b.DType {
		case expr.Float64:
			bits = math.Float64bits(b.floats[i])
		case expr.Float32:
			bits = uint64(math.Float32bits(float32(b.floats[i])))
		case expr.Float16:
			bits = uint64(round.ToHalf(b.floats[i], round.Nearest))
		case expr.BFloat16:
			bits = uint64(math.Float32bits(float32(b.floats[i])) >> 16)
		default:
			bits = uint64(b.ints[i])
		}
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], bits)
		out = append(out, word[:size]...)
	}
	return out
}

// Len is the number of elements.
func (b *Buffer) Len() int {
	if b.sparse != nil {
		return int(b.sparse.n)
	}
	return len(b.defined)
}

// Defined reports whether element i has a value.
func (b *Buffer) Defined(i int) bool { return b.defined[i] }

// Set gives element i the value, rounded or wrapped to the element type.
func (b *Buffer) Set(i int, v float64) {
	b.defined[i] = true
	if b.floats != nil {
		b.floats[i] = rounded(b.DType, v)
	} else {
		b.ints[i] = b.DType.Wrap(int64(v))
	}
}

// SetInt gives element i of a buffer of integers the value, wrapped to the element type.
func (b *Buffer) SetInt(i int, v int64) {
	if b.floats != nil {
		b.Set(i, float64(v))
		return
	}
	b.defined[i] = true
	b.ints[i] = b.DType.Wrap(v)
}

// At is element i as a float.
func (b *Buffer) At(i int) float64 {
	i = int(b.place(int64(i)))
	switch {
	case b.floats != nil:
		return b.floats[i]
	case b.DType == expr.Uint64:
		return float64(uint64(b.ints[i]))
	}
	return float64(b.ints[i])
}

// Int is element i of a buffer of integers; uint64 as the int64 of the same bits.
func (b *Buffer) Int(i int) int64 {
	i = int(b.place(int64(i)))
	if b.floats != nil {
		return int64(b.floats[i])
	}
	return b.ints[i]
}

// Err is a bound of the rounding error of element i.
func (b *Buffer) Err(i int) float64 {
	if b.errs == nil {
		return 0
	}
	return b.errs[b.place(int64(i))]
}

// bound notes the bound of the rounding error of the element at a place.
func (b *Buffer) bound(at int64, err float64) {
	if b.errs != nil {
		b.errs[at] = err
	}
}

// Clone copies the buffer.
func (b *Buffer) Clone() *Buffer {
	c := *b
	c.ints, c.floats, c.errs, c.defined = slices.Clone(b.ints), slices.Clone(b.floats), slices.Clone(b.errs), slices.Clone(b.defined)
	return &c
}
