package samples

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMain(m *testing.M) {
	if path := os.Getenv("PERF_TEST_APPEND"); path != "" {
		os.Exit(appendForever(path))
	}
	os.Exit(m.Run())
}

// indexOften has the index written after so many bytes of records.
func indexOften(t *testing.T, bytes int64) {
	old := indexEvery
	indexEvery = bytes
	t.Cleanup(func() { indexEvery = old })
}

// TestIndex damages the index or the journal: what is found is what a journal without an index has.
func TestIndex(t *testing.T) {
	indexOften(t, 1)
	before := []Record{record(1, OK), record(2, Crash), record(1, OK), record(3, Interrupted), record(4, OK)}
	before[2].BuildTime = 99
	path := write(t, before...)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(path + indexSuffix)
	if err != nil {
		t.Fatal(err)
	}
	half := bytes.IndexByte(text, '\n') + 1
	other := record(9, OK)
	check := func(name string, text, index []byte, used bool) {
		t.Helper()
		for name, text := range map[string][]byte{path: text, path + indexSuffix: index} {
			if err := os.WriteFile(name, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		tried := &Set{Path: path, text: file, file: file}
		if tried.restore(int64(len(text))); tried.saved > 0 != used {
			t.Errorf("%s: that the index is used is %v", name, !used)
		}
		s, err := Load(path)
		plain, want := load(path, string(text))
		if fmt.Sprint(err) != fmt.Sprint(want) {
			t.Fatalf("%s: %v, want %v", name, err, want)
		}
		if err != nil {
			return
		}
		defer s.Close()
		if diff := cmp.Diff(all(t, plain), all(t, s)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for _, r := range append(before, other) {
			got, state, err := s.Find(r)
			want, wantState, _ := plain.Find(r)
			if diff := cmp.Diff(want, got); diff != "" || state != wantState || err != nil {
				t.Errorf("%s: %s: %v, want %v (%v)\n%s", name, r.Kernel, state, wantState, err, diff)
			}
		}
	}
	check("as written", text, index, true)
	check("empty index", text, nil, false)
	for cut := range index {
		check(fmt.Sprintf("index cut at %d", cut), text, index[:cut], false)
		wrong := bytes.Clone(index)
		wrong[cut] ^= 1
		check(fmt.Sprintf("index changed at %d", cut), text, wrong, false)
	}
	later := bytes.Replace(index[:len(index)-crc32.Size], []byte("samples 1"), []byte("samples 2"), 1)
	check("index of a later version", text, binary.LittleEndian.AppendUint32(later, crc32.Checksum(later, checksums)), false)
	check("index with a tail", text, append(bytes.Clone(index), 0), false)
	check("index twice", text, append(bytes.Clone(index), index...), false)
	edit := func(old, new string) []byte { return bytes.Replace(text, []byte(old), []byte(new), 1) }
	check("edited, as long as before", edit(`"n":4`, `"n":9`), index, false)
	check("edited, shorter", edit(`,"perf":"devel"`, ``), index, false)
	check("an invalid edit", edit(`"status":"crash"`, `"status":"trash"`), index, false)
	check("a record removed", text[half:], index, false)
	check("cut", text[:len(text)-1], index, false)
	check("an empty journal", nil, index, false)
	check("a torn line behind", append(bytes.Clone(text), text[:99]...), index, true)
	check("blank lines behind", append(bytes.Clone(text), "\n \n"...), index, true)
	check("a line behind that is no record", append(bytes.Clone(text), "x\n"...), index, true)
	check("a record behind", append(bytes.Clone(text), text[:half]...), index, true)
	check("a record before", append(bytes.Clone(text[:half]), text...), index, false)
}

// TestIndexCounts lines for errors behind the index.
func TestIndexCounts(t *testing.T) {
	indexOften(t, 1)
	path := write(t, record(1, OK), record(2, OK))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fmt.Fprint(f, "\nx\n")
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "s.jsonl:4:1: not a sample") {
		t.Error(err)
	}
}

// TestIndexIsOptional: a journal whose folder cannot be written to is read all the same, and small ones have no index.
func TestIndexIsOptional(t *testing.T) {
	path := write(t, record(1, OK))
	stored(t, path)
	if _, err := os.Stat(path + indexSuffix); err == nil {
		t.Error("a small journal has an index")
	}
	indexOften(t, 1)
	if err := os.Mkdir(path+indexSuffix, 0o755); err != nil { // nothing can replace it
		t.Fatal(err)
	}
	if got := stored(t, path); len(got) != 1 {
		t.Errorf("%d records", len(got))
	}
}

// TestReadersAndAWriter at once: each reader finds the records that were there when it began, or more.
func TestReadersAndAWriter(t *testing.T) {
	indexOften(t, 5000)
	path := filepath.Join(t.TempDir(), "s.jsonl")
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	var wg sync.WaitGroup
	for n := range int64(100) {
		if err := j.Append(record(n, OK)); err != nil {
			t.Fatal(err)
		}
		if n%10 != 0 {
			continue
		}
		for range 3 {
			wg.Go(func() {
				s, err := Load(path)
				if err != nil {
					t.Error(err)
					return
				}
				defer s.Close()
				for k := range n + 1 {
					if _, state, err := s.Find(record(k, OK)); state != Fresh || err != nil {
						t.Errorf("record %d of %d is %v (%v)", k, n+1, state, err)
					}
				}
			})
		}
	}
	wg.Wait()
}

// appendForever tells of each record once it is kept.
func appendForever(path string) int {
	indexEvery = 5000
	j, err := Open(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for n := int64(len(j.entries)); ; n++ {
		if err := j.Append(record(n, OK)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(n)
	}
}

// TestKill kills a process that appends, again and again (with LONG=1 more often): what it told of is there.
func TestKill(t *testing.T) {
	indexOften(t, 5000)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	rng := rand.New(rand.NewSource(1))
	kills := 25
	if os.Getenv("LONG") != "" {
		kills = 300
	}
	for kill := range kills {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "PERF_TEST_APPEND="+path)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines, last := bufio.NewScanner(out), ""
		for n := rng.Intn(40); n >= 0 && lines.Scan(); n-- {
			last = lines.Text()
		}
		time.Sleep(time.Duration(rng.Intn(1000)) * time.Microsecond)
		cmd.Process.Kill()
		for lines.Scan() {
			last = lines.Text()
		}
		cmd.Wait()
		s, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		n := len(s.entries)
		s.Close()
		if told := fmt.Sprint(n - 1); told != last && fmt.Sprint(n-2) != last { // the last may be kept and not told of
			t.Fatalf("kill %d: %d records are there, the last that was told of is %s", kill, n, last)
		}
	}
}

// TestOpenJournalIsSmall: an open journal holds places, not records.
func TestOpenJournalIsSmall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	const n = 5000
	generate(t, path, n)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	s, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if each := (heap() - before) / n; each > 150 {
		t.Errorf("%d bytes for each record", each)
	}
	s.Close()
}
