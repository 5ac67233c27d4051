package emulate

import "math"

// records are tables of rows: keys and where a hash table that is half full has half of them, days, begins of runs, groups and letters.
func (c *contents) records() {
	const places, keys, known = 1 << 20, 1 << 22, 1 << 19
	table, key := make([]uint32, 2*places), make([]uint32, known)
	for i := range key {
		key[i] = c.next() | 1
		at := key[i] * 2654435769 >> 8 & (places - 1)
		for table[2*at] != 0 {
			at = (at + 1) & (places - 1)
		}
		table[2*at], table[2*at+1] = key[i], uint32(i)
	}
	wanted := numbered(keys, func(int) uint32 {
		if c.next()&1 != 0 {
			return key[c.below(known)]
		}
		return c.next() | 1
	})
	c.put("table.bin", table)
	c.put("keys.bin", wanted)
	c.put("days.bin", numbered(1<<23, func(int) int32 { return int32(c.below(30000)) }))
	at := int32(0)
	c.put("begins.bin", numbered(200000, func(int) int32 {
		begin := at
		at += 1 + int32(c.below(83))
		return begin
	}))
	c.put("groups.bin", numbered(1<<24, func(int) byte { return byte(c.below(64)) }))
	c.put("rows.bin", numbered(48<<20, func(int) byte { return "abcdefgh"[c.below(8)] }))
	c.put("word.bin", []byte("abcdef"))
	first, length, line := make([]int32, 80), make([]int32, 80), int32(1)
	for i := range first {
		first[i], length[i] = line, int32(2+i*28/80)
		line = min(line+length[i]/2, 480)
	}
	c.put("first.bin", first)
	c.put("length.bin", length)
}

// boxes are 8192 in a square and 512 regions of a picture.
func (c *contents) boxes() {
	box := func(side, least, more float32) func(i int) [4]float32 {
		return func(int) [4]float32 {
			x, y := side*c.unit(), side*c.unit()
			return [4]float32{x, y, x + least + more*c.unit(), y + least + more*c.unit()}
		}
	}
	c.put("boxes.bin", numbered(8192, box(1000, 10, 90)))
	c.put("rois.bin", numbered(512, box(150, 5, 40)))
}

// splats are gaussians by tiles of 16 by 16 places.
func (c *contents) splats() {
	const across, down, room = 64, 48, 800000
	begin, centres, shapes := []int32{}, make([][4]float32, 0, room), make([][4]float32, 0, room)
	for t := range across * down {
		begin = append(begin, int32(len(centres)))
		for range 50 + c.below(400) {
			x, y := float32(16*(t%across))+32*c.unit()-8, float32(16*(t/across))+32*c.unit()-8
			centres = append(centres, [4]float32{x, y, c.unit()})
			shapes = append(shapes, [4]float32{0.01 + 0.1*c.unit(), 0, 0.01 + 0.1*c.unit(), 0.05 + 0.5*c.unit()})
		}
	}
	c.put("tiles.bin", append(begin, int32(len(centres))))
	c.put("centres.bin", centres[:room])
	c.put("shapes.bin", shapes[:room])
}

// tree is one over boxes of 64 by 32 by 32 cells in the order of interleaved bits, and rays through them.
func (c *contents) tree() {
	const leaves, side = 1 << 16, 1024
	lo, hi := make([][4]float32, 2*leaves-1), make([][4]float32, 2*leaves-1)
	for i := range leaves {
		var cell [3]int
		for bit := range 16 {
			cell[bit%3] |= i >> bit & 1 << (bit / 3)
		}
		for d := range cell {
			at := float32(cell[d]) + c.unit()
			lo[leaves-1+i][d], hi[leaves-1+i][d] = at-0.1, at+0.1
		}
	}
	for i := leaves - 2; i >= 0; i-- {
		for d := range lo[i] {
			lo[i][d], hi[i][d] = min(lo[2*i+1][d], lo[2*i+2][d]), max(hi[2*i+1][d], hi[2*i+2][d])
		}
	}
	c.put("lo.bin", lo)
	c.put("hi.bin", hi)
	c.put("rays.bin", numbered(side*side, func(i int) [8]float32 {
		x, y := float32(i%side)/side-0.5, float32(i/side)/side-0.5
		return [8]float32{-40, 16.1, 16.2, 0, 1, 0.8*x + 1e-4, 0.8*y + 1e-4, 0}
	}))
}

// directions are rotations, lengths, places on the earth and atoms.
func (c *contents) directions() {
	for _, name := range []string{"qa.bin", "qb.bin"} {
		c.put(name, numbered(1<<21, func(int) (q [4]float32) {
			n := float32(0)
			for d := range q {
				q[d] = 2*c.unit() - 1
				n += q[d] * q[d]
			}
			for d := range q {
				q[d] /= float32(math.Sqrt(float64(n + 1e-9)))
			}
			return q
		}))
	}
	c.put("lengths.bin", numbered(1<<21, func(int) byte { return byte(1 + c.below(8)) }))
	c.put("places.bin", numbered(1<<23, func(int) [2]float32 { return [2]float32{360*c.unit() - 180, 180*c.unit() - 90} }))
	c.put("atoms.bin", numbered(2048, func(int) [4]float32 {
		return [4]float32{20 * c.unit(), 20 * c.unit(), 20 * c.unit(), 1 + c.unit()}
	}))
}
