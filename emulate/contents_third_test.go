package emulate

import (
	"math"
)

// third draws what buffers of the last launches in blindFolder held: each file from the same state.
func (c *contents) third() {
	c.floats("price", 1<<20, func(int) float64 { return 80 + 40*c.real() })
	c.floats("coupon", 1<<20, func(int) float64 { return 1 + 8*c.real() })
	thirdOf(c, "periods", 1<<20, func(int) int32 { return 1 + int32(c.below(60)) })
	thirdOf(c, "strike", 512, func(int) float64 { return 50 + 100*c.real() })
	thirdOf(c, "params", 8192, func(i int) float64 {
		least, more := [4]float64{0.2, 0.3, -0.5, 0.3}, [4]float64{0.2, 0.6, 0.4, 0.4}
		return least[i%4] + more[i%4]*c.real()
	})
	c.floats("direction", 1440, func(i int) float64 {
		angle := float64(i/2) * math.Pi / 720
		return [2]float64{math.Cos(angle), math.Sin(angle)}[i%2]
	})
	c.floats("ray", 4*65536, func(i int) float64 {
		if i%4 < 2 {
			return 256 * c.real()
		}
		return c.real() - 0.4999
	})
	thirdOf(c, "quads", 4*262144, func(i int) int32 { return int32(i/16 + c.below(16)) })
	c.floats("atoms", 4*65600, func(int) float64 { return 10 * c.real() })
	c.floats("shells", 4*4096, func(i int) float64 {
		if i%4 == 3 {
			return 0.3 + 3*c.real()
		}
		return 6 * c.real()
	})
	thirdOf(c, "text", 1<<24, func(int) byte { return byte(c.next()) })
	thirdOf(c, "states", 4096, func(int) byte { return byte(c.next()) })
	thirdOf(c, "masks", 512, func(int) uint32 { return c.next() })
	thirdOf(c, "logits", 32768000, func(int) uint16 { return uint16(math.Float32bits(float32(8*c.real()-4)) >> 16) })
	thirdOf(c, "targets", 1024, func(int) int32 { return int32(c.below(32000)) })
	c.thirdPlaces()
	c.thirdColumns()
}

// thirdPlaces are those of games, radios, maps and particles.
func (c *contents) thirdPlaces() {
	var starts []uint32
	apart := func(a, b, by int) bool { return a != b && a-b != by && b-a != by }
	for a := range 12 {
		for b := range 12 {
			for d := range 12 {
				if apart(a, b, 1) && apart(b, d, 1) && apart(a, d, 2) {
					starts = append(starts, uint32(a|b<<4|d<<8))
				}
			}
		}
	}
	thirdOf(c, "queens", 1024, func(i int) uint32 { return starts[i%len(starts)] })
	thirdOf(c, "spins", 1<<24, func(int) int8 { return int8(2*(c.next()&1)) - 1 })
	thirdOf(c, "grains", 1<<22, func(int) int32 { return int32(c.below(8)) })
	c.floats("elements", 64, func(i int) float64 { return 0.3 * (float64(i) - 31.5) })
	degrees := int32(0)
	thirdOf(c, "degrees", 1025, func(i int) int32 {
		if i > 0 {
			degrees += int32(4 + (i-1)%13)
		}
		return degrees
	})
	const side = 2048
	thirdOf(c, "seeds", side*side, func(i int) int32 {
		if c.below(8) == 0 {
			return -1
		}
		x := (i%side + c.below(128)) % side
		return int32(x | (i/side+c.below(128))%side<<16)
	})
	latitude, longitude := func() float64 { return 1.4*c.real() - 0.7 }, func() float64 { return 6.28*c.real() - 3.14 }
	thirdOf(c, "place", 2*262144, func(i int) float64 {
		if i < 262144 {
			return latitude()
		}
		return longitude()
	})
	thirdOf(c, "town", 768, func(i int) float64 {
		switch i % 3 {
		case 0:
			return latitude()
		case 1:
			return longitude()
		}
		return 0.5 + 0.5*c.real()
	})
	c.floats("parts", 2000000, func(i int) float64 {
		if i%2 == 1 {
			return float64(i/8/500+4) + c.real()
		}
		return float64(i/8%500+4) + c.real()
	})
}

// thirdColumns are those of tables, trees and mixtures.
func (c *contents) thirdColumns() {
	thirdOf(c, "nodes", 2*256*128, func(i int) float32 {
		if i%2 == 1 {
			return float32(c.real())
		}
		return math.Float32frombits(0x3f000000 | uint32(c.below(32)))
	})
	c.floats("rows", 32*131072, func(int) float64 { return c.real() })
	c.floats("threes", 9<<20, func(int) float64 { return 2*c.real() - 1 })
	thirdOf(c, "mixture", 3*65536, func(i int) float64 {
		switch i / 65536 {
		case 0:
			return 0.5 + 0.5*c.real()
		case 1:
			return 1e-5 * c.real()
		}
		return 0.5 * c.real()
	})
	thirdOf(c, "days", 1<<24, func(int) int32 { return 8000 + int32(c.below(2500)) })
	thirdOf(c, "discount", 1<<24, func(int) byte { return byte(c.below(11)) })
	thirdOf(c, "quantity", 1<<24, func(int) byte { return 1 + byte(c.below(50)) })
	thirdOf(c, "keys", 1<<23, func(int) uint32 { return c.next() })
}

func (c *contents) real() float64 { return float64(c.next()>>8) / (1 << 24) }

func (c *contents) floats(name string, n int, one func(i int) float64) {
	thirdOf(c, name, n, func(i int) float32 { return float32(one(i)) })
}

func thirdOf[T any](c *contents, name string, n int, one func(i int) T) {
	drawFile(c, "third-"+name, n, one)
}

// drawFile draws a file from the same state as all others.
func drawFile[T any](c *contents, name string, n int, one func(i int) T) {
	c.state = contentsSeed
	c.put(name+".bin", numbered(n, one))
}
