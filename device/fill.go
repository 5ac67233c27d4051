package device

import (
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"sync"
)

// Fill writes the data that a buffer starts from: dst holds elements of the dtype, little-endian. Element i depends only
// on the seed and on i, so that every holder of the seed has the same data:
//
//	floating point  1/2 + k/2^m, uniform in [1/2, 3/2) and exact; m is 10, 23, 32 for 16, 32, 64 bits
//	integers        1 to 16, uniform
//
// Data is never zero: devices draw less power on zeros and then run faster, and products of zeros hide errors.
// An unknown dtype, or a dst that is no whole number of elements, is a programmer's error and panics.
func Fill(dtype string, dst []byte, seed uint64) { FillAt(dtype, dst, seed, 0) }

// FillAt is Fill for a part of a buffer that starts at the element first.
func FillAt(dtype string, dst []byte, seed uint64, first int64) {
	size := DTypeSize(dtype)
	if size == 0 || int64(len(dst))%size != 0 {
		panic(fmt.Sprintf("device.Fill: %d bytes of dtype %q", len(dst), dtype))
	}
	const chunk = 1 << 20 // bytes; a multiple of every size
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for at := 0; at < len(dst); at += chunk {
		part := dst[at:min(at+chunk, len(dst))]
		start := uint64(first) + uint64(at)/uint64(size)
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			fillers[dtype](part, seed, start)
		})
	}
	wg.Wait()
}

var fillers = map[string]func(dst []byte, seed, i uint64){
	"int8":    fillInt8,
	"uint8":   fillInt8,
	"int16":   fillInt16,
	"uint16":  fillInt16,
	"int32":   fillInt32,
	"uint32":  fillInt32,
	"int64":   fillInt64,
	"uint64":  fillInt64,
	"float16": fillFloat16,
	"float32": fillFloat32,
	"float64": fillFloat64,
}

// mix gives element i of the random sequence of a seed: SplitMix64 (Steele, Lea and Flood, Fast splittable
// pseudorandom number generators, 2014) with the counter as state.
func mix(seed, i uint64) uint64 {
	z := seed*0xd1342543de82ef95 + (i+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func smallInt(seed, i uint64) uint64 { return 1 + mix(seed, i)>>60 }

func fillInt8(dst []byte, seed, i uint64) {
	for k := range dst {
		dst[k] = byte(smallInt(seed, i+uint64(k)))
	}
}

func fillInt16(dst []byte, seed, i uint64) {
	for ; len(dst) >= 2; dst, i = dst[2:], i+1 {
		binary.LittleEndian.PutUint16(dst, uint16(smallInt(seed, i)))
	}
}

func fillInt32(dst []byte, seed, i uint64) {
	for ; len(dst) >= 4; dst, i = dst[4:], i+1 {
		binary.LittleEndian.PutUint32(dst, uint32(smallInt(seed, i)))
	}
}

func fillInt64(dst []byte, seed, i uint64) {
	for ; len(dst) >= 8; dst, i = dst[8:], i+1 {
		binary.LittleEndian.PutUint64(dst, smallInt(seed, i))
	}
}

func fillFloat16(dst []byte, seed, i uint64) {
	for ; len(dst) >= 2; dst, i = dst[2:], i+1 {
		binary.LittleEndian.PutUint16(dst, half(mix(seed, i)>>54))
	}
}

// half returns the bits of the binary16 number 1/2 + k/1024, for k under 1024.
func half(k uint64) uint16 {
	if k < 512 {
		return 14<<10 | uint16(2*k) // exponent -1: steps of 1/2048
	}
	return 15<<10 | uint16(k-512) // exponent 0: steps of 1/1024
}

func fillFloat32(dst []byte, seed, i uint64) {
	for ; len(dst) >= 4; dst, i = dst[4:], i+1 {
		v := 0.5 + float32(mix(seed, i)>>41)*(1.0/(1<<23))
		binary.LittleEndian.PutUint32(dst, math.Float32bits(v))
	}
}

func fillFloat64(dst []byte, seed, i uint64) {
	for ; len(dst) >= 8; dst, i = dst[8:], i+1 {
		v := 0.5 + float64(mix(seed, i)>>32)*(1.0/(1<<32))
		binary.LittleEndian.PutUint64(dst, math.Float64bits(v))
	}
}
