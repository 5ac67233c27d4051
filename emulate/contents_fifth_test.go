package emulate

import "math"

// fifth draws what buffers of the launches of the fifth round in blindFolder held, one after the other.
func (c *contents) fifth() {
	c.state = contentsSeed
	fifthOf(c, "latitudes", 384, func(i int) float64 { return (float64(i) - 191.5) / 192.5 })
	fifthOf(c, "bus_begin", 1<<20+1, sums(func(i int) int { return 2 + i*5%4 }))
	fifthOf(c, "bus_col", 4<<20, func(i int) int32 { return int32((i/4 + c.below(2000)) % (1 << 20)) })
	fifthOf(c, "gates", 3*8192, func(i int) uint32 {
		if i%3 == 2 {
			return uint32(c.below(4))
		}
		return uint32(c.below(8192))
	})
	fifthOf(c, "pin_begin", 2<<20+1, sums(func(i int) int { return 1 + i*7%4 }))
	fifthOf(c, "pins", 6<<20, func(i int) int32 { return int32(max(0, i/3-c.below(40000))) })
	fifthOf(c, "words", 1<<24, func(int) uint32 { return c.next() })
	sum := 0.0
	fifthOf(c, "weights", 1<<20, func(int) float32 {
		sum += c.real() * c.real()
		return float32(sum)
	})
	fifthOf(c, "edges", 65536, func(int) int32 { return int32(c.below(1024) + c.below(1024)<<10) })
	fifthOf(c, "directions", 360, func(i int) float32 {
		a := float64(i/2) * math.Pi / 180
		if i%2 == 1 {
			return float32(math.Sin(a))
		}
		return float32(math.Cos(a))
	})
	c.packed()
	fifthOf(c, "left", 1<<20, sums(func(int) int { return c.below(9) }))
	fifthOf(c, "right", 4<<20, sums(func(int) int { return c.below(3) }))
	fifthOf(c, "ghash", 4*4*131072, func(int) uint32 { return c.next() })
	fifthOf(c, "frequencies", 64, func(i int) float32 { return float32(math.Pow(10000, -float64(i)/64)) })
	fifthOf(c, "tokens", 16384, func(int) int32 { u := c.real(); return int32(u * u * u * 32000) })
	fifthOf(c, "charges", 4<<22, func(i int) float32 {
		cell := i / 4 / 16
		at := [3]int{cell % 64, cell / 64 % 64, cell / 4096}
		if i%4 == 3 {
			return 1
		}
		return float32(at[i%4]) + float32(c.real())
	})
	fifthOf(c, "near", 96<<18, func(i int) int32 { return int32((i/96 + c.below(4096) + (1 << 18) - 2048) % (1 << 18)) })
	fifthOf(c, "slice_start", 32769, sums(func(i int) int { return 32 * (20 + i%8) }))
	fifthOf(c, "slice_col", 27<<20, func(i int) int32 { return int32((i/27 + (i/32%3-1)*1024 + c.below(3) + (1 << 20)) % (1 << 20)) })
	fifthOf(c, "soft", 2*4096*512, func(int) int8 { return int8(c.below(32) - 16) })
	fifthOf(c, "delays", 64*256, func(i int) int32 { return int32((i / 256) * (255 - i%256) * (255 - i%256) * 30000 / (64 * 65025)) })
}

// packed draws numbers of variable length, and words of a stream with the symbols of its slots.
func (c *contents) packed() {
	ends := func(b byte) int { return int(1 - b>>7) }
	bytes := numbered(32<<19, func(i int) byte {
		b := byte(c.next() & 127)
		if i%32 != 31 && c.below(3) == 0 {
			b |= 128
		}
		return b
	})
	c.put("fifth-varints.bin", bytes)
	fifthOf(c, "varint_first", 1<<19, sums(func(i int) (n int) {
		for _, b := range bytes[32*i : 32*i+32] {
			n += ends(b)
		}
		return n
	}))
	fifthOf(c, "rans_words", 1<<25, func(int) uint16 { return uint16(c.next()) })
	fifthOf(c, "slots", 4096, func(i int) uint32 { return 16<<20 | uint32(i%16)<<8 | uint32(i/16) })
	fifthOf(c, "rans_start", 4096, func(i int) int32 { return int32(i * 8192) })
}

func fifthOf[T any](c *contents, name string, n int, one func(i int) T) {
	c.put("fifth-"+name+".bin", numbered(n, one))
}
