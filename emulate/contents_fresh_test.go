package emulate

import (
	"os"
	"testing"
)

// withFresh copies the launches of freshFolder to a temporary folder, and writes the files of data beside them that they name.
func withFresh(t *testing.T) string {
	c := &contents{t, t.TempDir() + "/", contentsSeed}
	if err := os.CopyFS(c.folder, os.DirFS(freshFolder)); err != nil {
		t.Fatal(err)
	}
	const n = 1 << 22
	c.put("odd.bin", numbered(n, func(i int) int32 { return int32(i * 104729 % n) }))
	c.put("near.bin", numbered(n, func(i int) int32 { return int32(i - i%64 + i*37%64) }))
	c.put("rows.bin", numbered(65536, func(i int) int32 { return int32(i * 7919 % 65536) }))
	c.put("rows4.bin", numbered(65536, func(i int) int32 { return int32(i * 7919 % 4096) }))
	c.put("ends.bin", numbered(65536, func(i int) int32 { return int32(64*i + 32) }))
	mixed := func(i int) uint32 { return uint32(i*2654435761 + i>>7*40503) }
	c.put("keys.bin", numbered(n, mixed))
	c.put("keys4.bin", numbered(4*n, mixed))
	c.second()
	return c.folder
}

// scattered is a number for i that looks random, the same on the device that measured: the finalizer of SplitMix (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
func scattered(i int) int {
	z := (uint64(i) + 1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) >> 32)
}

// second draws what the launches of report.txt need.
func (c *contents) second() {
	const m = 1 << 20
	c.put("bits.bin", numbered(4*m, func(i int) uint32 { return uint32(scattered(i)) }))
	c.put("sph.bin", numbered(8*m, func(i int) int32 { return int32((i%(m/4) + scattered(i)%2000 - 1000 + m/4) % (m / 4)) }))
	c.put("edges_from.bin", numbered(4*m, func(i int) int32 { return int32(i / 4) }))
	c.put("edges_to.bin", numbered(4*m, func(i int) int32 { return int32(scattered(i) % m) }))
	c.put("head.bin", numbered(65536, func(i int) int32 { return int32(scattered(i) % (4 * m)) }))
	c.put("text.bin", numbered(4*m, func(i int) byte { return byte('a' + scattered(i/16*7919%65536*16+i%16)%20) }))
	c.put("labels.bin", numbered(2048, func(i int) int32 { return int32(scattered(i) % 32000) }))
	c.put("slots.bin", numbered(8192, func(i int) int32 { return int32(i * 7919 % 8192) }))
	c.put("ids.bin", numbered(24*16385, func(i int) int32 {
		u := float64(scattered(i)) / (1 << 32)
		return int32(u * u * u * m)
	}))
	c.put("bags.bin", numbered(16385, func(i int) int32 { return int32(24*i + scattered(i)%24) }))
	c.put("values.bin", numbered(16384*1000, func(i int) float32 { return float32(scattered(i)>>8) / (1 << 24) }))
}

// TestDraw writes the launches and their data to the folder that DRAWN names, for perf: those of freshFolder, or with OF=programs of programsFolder.
func TestDraw(t *testing.T) {
	to := os.Getenv("DRAWN")
	if to == "" {
		t.Skip("DRAWN names no folder")
	}
	draw := withFresh
	if os.Getenv("OF") == "programs" {
		draw = withPrograms
	}
	if err := os.CopyFS(to, os.DirFS(draw(t))); err != nil {
		t.Fatal(err)
	}
}
