package emulate

import (
	"fmt"
	"math/bits"
	"os"
	"testing"
)

// withPrograms copies the launches of programsFolder to a temporary folder, and writes the files of data beside them that they name: each is named by how many bytes of a row of
// numbers it has.
func withPrograms(t *testing.T) string {
	c := &contents{t, t.TempDir() + "/", contentsSeed}
	if err := os.CopyFS(c.folder, os.DirFS(programsFolder)); err != nil {
		t.Fatal(err)
	}
	const m = 1 << 20
	for _, n := range []int{256, m / 16, m / 4, m, 4 * m} {
		c.put(sized("bits", 4*n), numbered(n, func(i int) uint32 { return uint32(scattered(i)) }))
	}
	for _, n := range []int{m / 4, 2 * m, 4 * m} {
		c.put(sized("unit", 4*n), numbered(n, unit))
	}
	for _, b := range []int{18, 20, 22} {
		c.put(fmt.Sprintf("perm%d-%d.bin", b, 4<<b), numbered(1<<b, func(i int) int32 { return permuted(i, b) }))
	}
	c.put(sized("iota20", 4*m), numbered(m, func(i int) int32 { return int32(i) }))
	c.put(sized("pairs", 32*m), numbered(4*m, func(i int) uint64 { return uint64(i / 2) }))
	c.put(sized("table16", 4<<16), hashed(16, 32768))
	c.put(sized("table23", 4<<23), hashed(23, 4*m))
	c.put(sized("sorted", 8*m), numbered(2*m, func(i int) float32 {
		cell := i / 2 / 4 % 512
		if i%2 == 1 {
			cell = i / 2 / 4 / 512
		}
		return float32((float64(cell) + float64(scattered(i)>>8)/(1<<24)) / 512)
	}))
	c.splitBoxes()
	c.rowsOfNumbers()
	return c.folder
}

func sized(name string, bytes int) string { return fmt.Sprintf("%s-%d.bin", name, bytes) }

func unit(i int) float32 { return float32(scattered(i)>>8) / (1 << 24) }

// permuted is where i comes in a permutation of 1<<b numbers.
func permuted(i, b int) int32 {
	x := i ^ i>>(b/2)
	x = x * 0x2c1b3c6d & (1<<b - 1)
	x ^= x >> (b/2 - 1)
	x = x * 0x297a2d39 & (1<<b - 1)
	return int32(x ^ x>>(b/2))
}

// hashed is a table of 1<<b places in which so many keys lie, each at its own alone.
func hashed(b, keys int) []uint32 {
	table := make([]uint32, 1<<b)
	for i := range keys {
		k := uint32(scattered(i)) | 1
		x := k ^ k>>16
		x *= 0x7feb352d
		x ^= x >> 15
		x *= 0x846ca68b
		x ^= x >> 16
		table[x&(1<<b-1)] = k
	}
	return table
}

// splitBoxes draws the corners of a tree of boxes of the unit square, which are halved along both axes in turn.
func (c *contents) splitBoxes() {
	const n, around = 8192, 1. / 512
	low, high := make([][2]float64, n), make([][2]float64, n)
	high[1] = [2]float64{1, 1}
	for k := 2; k < n; k++ {
		p, axis := k/2, bits.Len(uint(k))%2
		low[k], high[k] = low[p], high[p]
		if middle := (low[p][axis] + high[p][axis]) / 2; k%2 == 1 {
			low[k][axis] = middle
		} else {
			high[k][axis] = middle
		}
	}
	corner := func(of [][2]float64, by float64, depth float64) []float32 {
		return numbered(4*n, func(i int) float32 {
			switch {
			case i%4 < 2:
				return float32(of[i/4][i%4] + by)
			case i%4 == 2 && i >= 4:
				return float32(depth + by)
			}
			return float32(by)
		})
	}
	c.put(sized("low", 16*n), corner(low, -around, 0))
	c.put(sized("high", 16*n), corner(high, around, 1))
}

// rowsOfNumbers draws sparse matrices, a graph and runs of equal numbers.
func (c *contents) rowsOfNumbers() {
	const m = 1 << 20
	c.put(sized("begin", m+4), numbered(m/4+1, func(i int) int32 { return int32(24*i + scattered(i)%24) }))
	c.put(sized("col", 96*(m/4+1)), numbered(24*(m/4+1), func(i int) int32 { return int32((i/24 + scattered(i)%4000 - 2000 + m/4) % (m / 4)) }))
	c.put(sized("ends", 4*m+4), numbered(m+1, func(i int) int32 { return int32(16*i + scattered(i)%16) }))
	c.put(sized("edges", 64*(m+1)), numbered(16*(m+1), func(i int) int32 { return int32(scattered(i) % m) }))
	c.put(sized("levels", 4*m), numbered(m, func(i int) int32 {
		if scattered(i)%3 == 0 {
			return 1
		}
		return 0
	}))
	c.put(sized("seen", m/8), numbered(m/32, func(i int) uint32 { return uint32(scattered(i) & scattered(m+i)) }))
	for _, n := range []int{m / 4, 4 * m} {
		c.put(sized("runs", 4*n), numbered(n, func(i int) int32 { return int32(scattered(i/5) % 3) }))
	}
}
