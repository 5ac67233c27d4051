package emulate

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// contents draws what buffers of the launches in blindFolder held when they were measured.
type contents struct {
	t      *testing.T
	folder string
	state  uint64
}

// contentsSeed is what the programs began with that drew contents.
const contentsSeed = 88172645463325252

// withContents copies a folder of launches to a temporary one, and writes the files of data beside them that they name.
func withContents(t *testing.T, folder string) string {
	c := &contents{t, t.TempDir() + "/", contentsSeed}
	if err := os.CopyFS(c.folder, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	c.random()
	c.pictures()
	c.tables()
	c.graphs()
	c.places()
	c.state = contentsSeed // the second of two programs that drew them
	c.records()
	c.boxes()
	c.splats()
	c.tree()
	c.directions()
	c.third()
	c.fourth()
	c.fifth()
	return c.folder
}

func (c *contents) next() uint32 {
	c.state ^= c.state << 13
	c.state ^= c.state >> 7
	c.state ^= c.state << 17
	return uint32(c.state >> 16)
}

func (c *contents) below(n uint32) int { return int(c.next() % n) }

// unit is between 0 and 1.
func (c *contents) unit() float32 { return float32(c.next()>>8) / (1 << 24) }

// put writes a slice of numbers.
func (c *contents) put(name string, numbers any) {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, numbers); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.folder, name), b.Bytes(), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// numbered are n values, one after the other.
func numbered[T any](n int, one func(i int) T) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = one(i)
	}
	return all
}

func (c *contents) random() {
	words := numbered(1<<22, func(int) uint32 { return c.next() })
	b := make([]byte, 4*len(words))
	for i, w := range words {
		binary.LittleEndian.PutUint32(b[4*i:], w)
	}
	for name, part := range map[string][]byte{
		"rs.bin": b[:28*524288], "packed.bin": b[:13<<20], "dna.bin": b[:8<<20+64], "curves.bin": b[:32*32*256], "shuffle.bin": b[:256],
		"ofa.bin": b[:32*32768], "ofb.bin": b[4096000:][:32*4096], "base.bin": b[:8<<20],
	} {
		c.put(name, part)
	}
	c.put("bones.bin", numbered(4<<20, func(i int) byte { return byte((i/4/4096 + c.below(6)) % 64) }))
}

// pictures are a smooth one with noise and the same 9 places to the left, marks, and areas with their labels.
func (c *contents) pictures() {
	const side = 2048
	left := numbered(side*side, func(i int) byte { return byte(((i % side * 7 / 16) ^ (i / side * 5 / 16)) + c.below(8)) })
	c.put("left.bin", left)
	c.put("right.bin", numbered(side*side, func(i int) byte { return left[i/side*side+(i%side+9)%side] }))
	c.put("mark.bin", numbered(side*side, func(int) byte { return byte(c.next()) }))
	c.put("areas.bin", numbered(side*side, func(i int) byte {
		flip := 0
		if c.below(64) == 0 {
			flip = 1
		}
		return byte((i%side/24 + i/side/40 + flip) & 1)
	}))
	c.put("labels.bin", numbered(side*side, func(i int) int32 { return int32(i) }))
}

// tables are powers and logarithms of a field of 256 elements.
func (c *contents) tables() {
	t, v := make([]byte, 768), 1
	for k := range 255 {
		t[k], t[k+255], t[512+v] = byte(v), byte(v), byte(k)
		if v <<= 1; v > 255 {
			v ^= 0x11d
		}
	}
	c.put("tables.bin", t)
}

// graphs are one of 131072 nodes with 4 to 28 neighbours, most of them near, and a sparse matrix of 65536 rows with 2 to 18 blocks near the diagonal.
func (c *contents) graphs() {
	const nodes, edges = 1 << 17, 1 << 21
	var begin, next, from []int32
	for i := range nodes {
		begin = append(begin, int32(len(next)))
		for range 4 + c.below(25) {
			from = append(from, int32(i))
			if c.next()%4 > 0 {
				next = append(next, int32((i+c.below(64)-32+nodes)%nodes))
			} else {
				next = append(next, int32(c.below(nodes)))
			}
		}
		slices.Sort(next[begin[i]:])
	}
	begin = append(begin, int32(len(next)))
	last := int32(min(len(next), edges))
	for i := range begin {
		begin[i] = min(begin[i], last)
	}
	none := make([]int32, edges-last)
	c.put("begin.bin", begin)
	c.put("next.bin", append(next[:last:last], none...))
	c.put("from.bin", append(from[:last:last], none...))
	const rows = 1 << 16
	var first, column []int32
	for i := range rows {
		first = append(first, int32(len(column)))
		for range 2 + c.below(17) {
			column = append(column, int32((i+c.below(512)-256+rows)%rows))
		}
	}
	c.put("blockrows.bin", append(first, int32(len(column))))
	c.put("blockcols.bin", append(column, make([]int32, 700000-len(column))...))
}

// places are a grid that is turned by 10 degrees, particles in the order of 64³ cells, labels of speech, states of a gas and a ball in a field.
func (c *contents) places() {
	const side, cells, particles, states = 1024, 64, 1 << 20, 1 << 22
	c.put("grid.bin", numbered(2*side*side, func(i int) float32 {
		x, y := 2*float32(i/2%side)/(side-1)-1, 2*float32(i/2/side)/(side-1)-1
		if i%2 == 0 {
			return 0.985*x - 0.174*y
		}
		return 0.174*x + 0.985*y
	}))
	at := make([]float32, 3*particles)
	for i := range particles {
		cell := i * cells * cells * cells / particles
		for axis, place := range []int{cell % cells, cell / cells % cells, cell / cells / cells} {
			at[axis*particles+i] = (float32(place) + c.unit()) / cells
		}
	}
	c.put("particles.bin", at)
	c.put("speech.bin", numbered(64*256, func(int) int32 { return 1 + int32(c.below(255)) }))
	speed := func(int) float32 { return 2*c.unit() - 1 }
	c.put("velocity.bin", numbered(states, speed))
	c.put("density.bin", numbered(states, func(int) float32 { return 0.5 + c.unit() }))
	c.put("pressure.bin", numbered(states, func(int) float32 { return 0.5 + c.unit() }))
	f := numbered(states, speed)
	c.put("speeds.bin", f[:3<<20])
	c.put("electric.bin", f[:1<<20])
	c.put("magnetic.bin", f[12345:][:1<<20])
	const n = 128
	c.put("field.bin", numbered(n*n*n, func(i int) float32 {
		x, y, z := i%n-n/2, i/n%n-n/2, i/n/n-n/2
		return float32(x*x+y*y+z*z) / 2500
	}))
}
