package emulate

// fourth draws what buffers of the launches of the fourth round in blindFolder held.
func (c *contents) fourth() {
	fourthOf(c, "words", 1<<22, func(int) uint32 { return c.next() })
	fourthOf(c, "hops", 1<<24, func(int) uint16 {
		if c.below(8) > 0 {
			return uint16(c.below(64))
		}
		return 1<<15 | uint16(c.below(1024))
	})
	fourthOf(c, "frames", 16385, sums(func(i int) int { return 32 * (4 + i*7%17) }))
	fourthOf(c, "codes", 1<<20, func(i int) uint32 { return uint32(i)*4096 + c.next()%4096 })
	fourthOf(c, "points", 65536, func(int) int32 { return int32(32 + c.below(1856) + (32+c.below(1016))*1920) })
	fourthOf(c, "pairs", 1024, func(int) int8 { return int8(c.below(32) - 16) })
	pose := [12]float32{0.98, 0, 0.199, 0.1, 0, 1, 0, -0.05, -0.199, 0, 0.98, 0.4}
	fourthOf(c, "pose", 12, func(i int) float32 { return pose[i] })
	fourthOf(c, "balls", 64, func(i int) float32 {
		least, more := [4]float64{-3, -1, 3, 0.3}, [4]float64{6, 2, 6, 0.7}
		return float32(more[i%4]*c.real() + least[i%4])
	})
	fourthOf(c, "links", 1<<21, func(i int) int32 { return int32((i/2048*2+i%2)*1024 + i%2048/2) })
	fourthOf(c, "pages", 2048, func(i int) int32 { return int32((i*1237 + 11) % 2048) })
	fourthOf(c, "lengths", 32, func(i int) int32 { return int32(256 + i*97%768) })
	common := func(int) int32 { u := c.real(); return int32(u * u * u * 100000) }
	fourthOf(c, "left", 65536, common)
	fourthOf(c, "right", 6*65536, common)
	fourthOf(c, "samples", 1<<22, func(i int) int32 {
		if i%2 == 1 {
			return int32(c.below(65536))
		}
		return int32(i / 64)
	})
	fourthOf(c, "word", 1<<20, func(int) int32 { return int32(c.below(10000)) })
	fourthOf(c, "doc", 1<<20, func(i int) int32 { return int32(i / 210) })
	fourthOf(c, "ratings", 16385, sums(func(i int) int { return 16 + i*37%100 }))
	fourthOf(c, "items", 1200000, func(int) int32 { return int32(c.below(50000)) })
	fourthOf(c, "swings", 262144, func(int) float32 { return float32(4*c.real() - 2) })
	fourthOf(c, "bands", 82, func(i int) int32 { return int32(i * i * 1024 / 6561) })
	fourthOf(c, "picks", 2048, func(int) int32 { return int32(c.below(65536)) })
}

// sums are what all before a number add up to.
func sums(of func(i int) int) func(i int) int32 {
	sum := int32(0)
	return func(i int) int32 {
		before := sum
		sum += int32(of(i))
		return before
	}
}

func fourthOf[T any](c *contents, name string, n int, one func(i int) T) {
	drawFile(c, "fourth-"+name, n, one)
}
