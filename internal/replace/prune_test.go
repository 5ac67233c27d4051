package replace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gpuperf/internal/replace"
)

func TestPrune(t *testing.T) {
	dir := t.TempDir()
	for i := range 10 {
		file := filepath.Join(dir, fmt.Sprintf("%d.program", i))
		when := time.Unix(int64(1000+(i*7)%10), 0)
		if err := os.WriteFile(file, make([]byte, 100), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, when, when); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "mine.txt"), make([]byte, 5000), 0o644); err != nil {
		t.Fatal(err)
	}
	count := func() int { all, _ := os.ReadDir(dir); return len(all) }
	if replace.Prune(dir, 1000, ".program"); count() != 11 {
		t.Errorf("%d files are left of what does not exceed the limit", count())
	}
	if replace.Prune(dir, 800, ".program"); count() != 5 {
		t.Errorf("%d files are left", count())
	}
	if _, err := os.Stat(filepath.Join(dir, "7.program")); err != nil { // the newest: 7*7 mod 10 = 9
		t.Error(err)
	}
}
