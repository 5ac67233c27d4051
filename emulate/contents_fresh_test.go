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
	return c.folder
}
