package device

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"os"

	"gpuperf/internal/parallel"
)

// Fill writes the data that a buffer starts from: dst holds elements of the dtype, little-endian. Element i depends only
// on the seed and on i, so that every holder of the seed has the same data:
//
//	floating point  1/2 + k/2^m, uniform in [1/2, 3/2) and exact; m is 10, 23, 32 for 16, 32, 64 bits
//	integers        1 to 16, uniform
//
// Such data is never zero: devices draw less power on zeros and then run faster, and products of zeros hide errors.
// An unknown dtype, or a dst that is no whole number of elements, is a programmer's error and panics.
func Fill(dtype string, dst []byte, seed uint64) { Arg{DType: dtype, Seed: seed}.Fill(dst, 0) }

// SeedOf gives each buffer data of its own, by its name: the same in every run.
func SeedOf(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// Fill writes the data that the buffer of the argument starts from into dst, which holds its elements from first on.
func (a Arg) Fill(dst []byte, first int64) {
	t := dtypes[a.DType]
	if t.size == 0 || int64(len(dst))%t.size != 0 {
		panic(fmt.Sprintf("device.Fill: %d bytes of dtype %q", len(dst), a.DType))
	}
	const chunk = 1 << 20 // bytes; a multiple of every size
	parallel.For((len(dst)+chunk-1)/chunk, func(n int) {
		at := n * chunk
		a.fillChunk(dst[at:min(at+chunk, len(dst))], t.size, t.float, uint64(first)+uint64(at)/uint64(t.size))
	})
}

// Load is Fill, for a buffer whose data may lie in a file.
func (a Arg) Load(dst []byte, first int64) error {
	if a.File == nil {
		a.Fill(dst, first)
		return nil
	}
	f, err := os.Open(a.File.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	from := first * DTypeSize(a.DType)
	if has := a.File; has.Part() {
		clear(dst)
		lo, hi := max(from, has.At), min(from+int64(len(dst)), has.At+has.Bytes)
		if lo >= hi {
			return nil
		}
		dst, from = dst[lo-from:hi-from], lo-has.At
	}
	_, err = f.ReadAt(dst, a.File.Offset+from)
	if err == io.EOF {
		err = fmt.Errorf("%s has fewer elements than when it was opened", a.File.Path)
	}
	return err
}

// fillChunk writes the elements from number i on.
func (a Arg) fillChunk(dst []byte, size int64, float bool, i uint64) {
	if a.DType == "float32" && a.Sequence == nil && a.Formula == nil && !a.Signed { // most buffers are: a loop of their own takes two thirds of the time
		for ; len(dst) > 0; dst, i = dst[4:], i+1 {
			v := 0.5 + float32(mix(a.Seed, i)>>41)*(1.0/(1<<23))
			binary.LittleEndian.PutUint32(dst, math.Float32bits(v))
		}
	}
	var formula []step
	if a.Formula != nil {
		var err error
		if formula, err = a.Formula.parsed(); err != nil {
			panic(err) // the job was checked
		}
	}
	stack := make([]float64, 0, len(formula))
	for ; len(dst) > 0; dst, i = dst[size:], i+1 {
		v := mix(a.Seed, i)
		switch {
		case formula != nil:
			v = valueBits(at(formula, float64(i), stack), size, float)
		case a.Sequence != nil:
			v = numberBits(a.Sequence.At(int64(i)), size, float)
		case a.Signed:
			v = signedBits(v, a.DType)
		case !float:
			v = 1 + v>>60
		case a.DType == "bfloat16":
			v = bfloat(v >> 57)
		case size == 2:
			v = half(v >> 54)
		default:
			v = math.Float64bits(0.5 + float64(v>>32)*(1.0/(1<<32)))
		}
		switch size {
		case 1:
			dst[0] = byte(v)
		case 2:
			binary.LittleEndian.PutUint16(dst, uint16(v))
		case 4:
			binary.LittleEndian.PutUint32(dst, uint32(v))
		default:
			binary.LittleEndian.PutUint64(dst, v)
		}
	}
}

// mix gives element i of the random sequence of a seed: SplitMix64 (Steele, Lea and Flood, Fast splittable
// pseudorandom number generators, 2014) with the counter as state.
func mix(seed, i uint64) uint64 {
	z := seed*0xd1342543de82ef95 + (i+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// numberBits returns the bits of an integer as an element of a size; of float16 there is 0 alone.
func numberBits(v, size int64, float bool) uint64 {
	switch {
	case float && size == 8:
		return math.Float64bits(float64(v))
	case float && size == 4:
		return uint64(math.Float32bits(float32(v)))
	}
	return uint64(v)
}

// valueBits returns the bits of a number as an element of a size: integers are rounded down, and wrap around.
func valueBits(v float64, size int64, float bool) uint64 {
	switch {
	case !float:
		return uint64(int64(math.Floor(v)))
	case size == 8:
		return math.Float64bits(v)
	}
	return uint64(math.Float32bits(float32(v)))
}

// signedBits are random numbers of both signs: of floating point, one of 16 is 0 and one denormal, and the magnitude of others
// is in [1/2, 2); integers are from -16 to 16, those without a sign from 0.
func signedBits(random uint64, dtype string) uint64 {
	t := dtypes[dtype]
	if !t.float {
		if t.min == 0 || dtype == "uint64" {
			return random % 17
		}
		return uint64(int64(random%33) - 16)
	}
	// The bits of the significand, and of the sign.
	m, sign := map[int64]uint{2: 10, 4: 23, 8: 52}[t.size], uint(8*t.size-1)
	if dtype == "bfloat16" {
		m = 7
	}
	bits := random >> 8 & (1<<m - 1)
	switch random & 15 {
	case 0:
		bits = 0
	case 1: // denormal: the exponent is 0
	default:
		bias := uint64(1)<<(sign-m-1) - 1
		bits |= (bias - random>>4&1) << m // in [1/2, 2)
	}
	return bits | random>>5&1<<sign
}

// half returns the bits of the binary16 number 1/2 + k/1024, for k under 1024.
func half(k uint64) uint64 {
	if k < 512 {
		return 14<<10 | 2*k // exponent -1: steps of 1/2048
	}
	return 15<<10 | (k - 512) // exponent 0: steps of 1/1024
}

// bfloat returns the bits of the bfloat16 number 1/2 + k/128, for k under 128.
func bfloat(k uint64) uint64 {
	if k < 64 {
		return 126<<7 | 2*k
	}
	return 127<<7 | (k - 64)
}
