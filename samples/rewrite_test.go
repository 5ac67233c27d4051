package samples

import (
	"errors"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

// TestRewrite: of each work the newest wanted record stays, in the order of the files, packed or not; a file may replace itself.
func TestRewrite(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	measured := func(n int64, hour int) Record {
		r := record(n, OK)
		r.Time = time.Date(2026, 1, 1, hour, 0, 0, 0, time.UTC)
		return r
	}
	for name, records := range map[string][]Record{
		"a.jsonl": {measured(1, 1), measured(2, 5), measured(3, 2)},
		"b.jsonl": {measured(2, 3), measured(1, 4), measured(4, 1)},
	} {
		if err := Add(at(name), records); err != nil {
			t.Fatal(err)
		}
	}
	check := func(path string, want ...[2]int64) {
		t.Helper()
		set, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		defer set.Close()
		var got [][2]int64
		for r, err := range set.All() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, [2]int64{r.Kernel.Sizes["n"], int64(r.Time.Hour())})
		}
		if len(got) != len(want) {
			t.Fatalf("%v, want %v", got, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%v, want %v", got, want)
			}
		}
	}
	files := []string{at("a.jsonl"), at("b.jsonl")}
	for _, name := range []string{"all.jsonl", "all.jsonl.gz"} {
		done, err := Rewrite(t.Context(), at(name), files, nil, nil)
		if err != nil || !reflect.DeepEqual(done, Rewritten{Kept: 4, Superseded: 2}) {
			t.Fatalf("%+v, %v", done, err)
		}
		check(at(name), [2]int64{2, 5}, [2]int64{3, 2}, [2]int64{1, 4}, [2]int64{4, 1})
	}
	done, err := Rewrite(t.Context(), at("a.jsonl"), files[:1], func(r *Record) bool { return r.Kernel.Sizes["n"] != 2 }, nil)
	if err != nil || !reflect.DeepEqual(done, Rewritten{Kept: 2, Dropped: 1}) {
		t.Fatalf("%+v, %v", done, err)
	}
	check(at("a.jsonl"), [2]int64{1, 1}, [2]int64{3, 2})

	// What a process adds that has the file open stays.
	j, err := Open(at("a.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Rewrite(t.Context(), at("a.jsonl"), files, nil, nil); err == nil {
		t.Error("a file was replaced while another process wrote it")
	}
	done, err = Rewrite(t.Context(), at("a.jsonl"), files[:1], nil, func(string) {
		if err := errors.Join(j.Append(measured(5, 6)), j.Close()); err != nil {
			t.Error(err)
		}
	})
	if err != nil || done.Kept != 3 {
		t.Errorf("%+v, %v", done, err)
	}
}
