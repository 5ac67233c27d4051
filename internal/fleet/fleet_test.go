package fleet

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gpuperf/device"
	"gpuperf/samples"
)

// Every device does what each device does; of the rest each part has one shard. The shards that a shard is split into do what it does.
func TestUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &File{}
		dealt, each := 0, 0
		for range rapid.IntRange(1, 6).Draw(t, "items") {
			k := &kinds[rapid.IntRange(0, len(kinds)-1).Draw(t, "kind")]
			w := Work{Kind: k, Of: []string{"a.star"}, Parts: 1}
			if k.EachDevice {
				each++
			} else {
				w.Parts = rapid.IntRange(1, 9).Draw(t, "parts")
				dealt += w.Parts
			}
			f.Work = append(f.Work, w)
		}
		n, split := rapid.IntRange(1, 7).Draw(t, "shards"), rapid.IntRange(1, 3).Draw(t, "split")
		seen := map[string]int{}
		for i := range n {
			for _, s := range (Shard{i, n}).Split(split) {
				for _, u := range f.Units(s) {
					seen[u.Name]++
				}
			}
		}
		if len(seen) != dealt+each {
			t.Fatalf("%d units of %d", len(seen), dealt+each)
		}
		for _, u := range f.Units(Shard{0, 1}) {
			want := 1
			if u.Work.Kind.EachDevice {
				want = n * split
			}
			if seen[u.Name] != want {
				t.Fatalf("%s is done %d times, not %d", u.Name, seen[u.Name], want)
			}
		}
	})
}

func TestParseShard(t *testing.T) {
	for text, ok := range map[string]bool{"0/1": true, "3/16": true, "16/16": false, "-1/2": false, "1": false, "a/b": false, "0/0": false, "1/2/3": false} {
		s, err := ParseShard(text)
		if (err == nil) != ok || ok && s.String() != text {
			t.Errorf("%s: %v, %v", text, s, err)
		}
	}
}

// gpu is a device of the tests.
func gpu(host string, index int, uuid, driver string) Device {
	return Device{host, index, samples.Fingerprint{Name: "GPU", Platform: "Test", Driver: driver, UUID: uuid, Interface: samples.CUDA}}
}

// test is a campaign in a folder, with workers whose commands are a function here.
type test struct {
	*testing.T
	file *File
	runs []string // commands that ran, with the folder of the device
	fail map[string]bool
	stop func() // ends the worker in its next command, as a signal does
}

func newTest(t *testing.T, text string) *test {
	f, err := Parse(filepath.Join(t.TempDir(), "c.yaml"), []byte("version: 1\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return &test{T: t, file: f, fail: map[string]bool{}}
}

// trial is a sample as a command of the tests writes it.
func trial(d Device, n, at int64) samples.Record {
	trials := []float64{1e-3, 1e-3, 1e-3}
	summary := samples.Summarize(trials)
	return samples.Record{
		Version: samples.Version, Kernel: samples.Identity{Source: "a.star", Sizes: map[string]int64{"n": n}}, SourceHash: strings.Repeat("0", 64),
		Entry: "a", Global: []int64{n}, Mode: samples.Warm, Status: samples.OK, Trials: trials, Summary: &summary,
		Device: d.Fingerprint, Time: time.Unix(at, 0).UTC(),
	}
}

// worker runs one, which measures two samples in each command.
func (t *test) worker(shard string, d Device) (Outcome, error) {
	t.Helper()
	s, err := ParseShard(shard)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := &Worker{File: t.file, Shard: s, Device: d, Note: t.Logf}
	w.Run = func(ctx context.Context, data string, args []string) ([]byte, error) {
		t.runs = append(t.runs, filepath.Base(data)+": "+strings.Join(args, " "))
		path := filepath.Join(data, "samples", "gpu.jsonl")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := samples.Add(path, []samples.Record{trial(d, 1, 100), trial(d, int64(2+len(t.runs)), 101)}); err != nil {
			return nil, err
		}
		if t.stop != nil {
			cancel()
			return nil, ctx.Err()
		}
		if t.fail[args[0]] {
			return nil, errors.New("it does not build")
		}
		return []byte(`{"models": [{"model": "m", "parameters": {"p_a": {"value": 2, "unit": "ns"}}}], "best": [{"seconds": 0.5, "configuration": [{"choice": "b", "option": "1"}]}]}`), nil
	}
	return w.Work(ctx)
}

func (t *test) status(count int, tasks Tasks) map[string]State {
	t.Helper()
	s, err := t.file.Status(count, tasks, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]State{}
	for _, one := range s.Shards {
		states[one.Shard] = one.State
	}
	return states
}

const each = "work: [{calibrate: m}, {measure: a.star, sizes: n=1}]\n"

// TestResume: a worker that was stopped does what is left; a shard that never started is told as such.
func TestResume(t *testing.T) {
	c, d := newTest(t, each), gpu("h1", 0, "aaaaaaaa11", "1.0")
	c.stop = func() {}
	out, err := c.worker("0/2", d)
	if err != nil || out.Err() == nil || out.Waiting != 2 {
		t.Fatalf("%+v, %v", out, err)
	}
	if got, want := c.status(2, nil), (map[string]State{"0/2": Stopped, "1/2": NotStarted}); !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if got := c.status(2, Tasks{1: "pending, Priority"}); got["1/2"] != Queued {
		t.Errorf("%v", got)
	}
	c.stop = nil
	for i, want := range []Outcome{{Done: 2}, {Before: 2}} {
		out, err := c.worker("0/2", d)
		if err != nil || out.Done != want.Done || out.Before != want.Before || out.Err() != nil {
			t.Errorf("%d: %+v, %v", i, out, err)
		}
	}
	if got := c.status(2, nil); got["0/2"] != Complete {
		t.Errorf("%v", got)
	}
	// With other flags it is other work.
	c.file.Work[0].Flags = []Flag{{Name: "trials", Value: "5"}}
	if out, err := c.worker("0/2", d); err != nil || out.Done != 1 || out.Before != 1 {
		t.Errorf("%+v, %v", out, err)
	}
}

// TestKilled: of a worker that is killed there is no end in its journal, and perhaps a part of a line.
func TestKilled(t *testing.T) {
	c, d := newTest(t, each), gpu("h1", 0, "aaaaaaaa11", "1.0")
	folder := Shard{0, 1}.folder(c.file.Output)
	j, err := openJournal(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.append(Event{Event: Started, Device: &d, Job: "7_0"}), j.append(Event{Event: Begun, Unit: "1-calibrate-m"})); err != nil {
		t.Fatal(err)
	}
	if _, err := openJournal(folder); err == nil {
		t.Error("two workers have one shard")
	}
	for _, tasks := range []struct {
		Tasks
		want State
	}{{nil, Running}, {Tasks{0: "running"}, Running}, {Tasks{0: "pending, BeginTime"}, Queued}, {Tasks{}, Stopped}} {
		if got := c.status(1, tasks.Tasks); got["0/1"] != tasks.want {
			t.Errorf("%v: %v", tasks, got)
		}
	}
	j.file.WriteString(`{"time":"2026-`)
	j.close()
	c.file.Host = "h1" // where it is known at once that the worker is gone
	if got := c.status(1, nil); got["0/1"] != Stopped {
		t.Errorf("%v", got)
	}
	c.file.Host = ""
	if got := c.status(1, nil); got["0/1"] != Running {
		t.Errorf("%v", got)
	}
	late := time.Now().Add(-beatGone)
	os.Chtimes(j.path, late, late)
	if got := c.status(1, nil); got["0/1"] != Stopped {
		t.Errorf("%v", got)
	}
	if out, err := c.worker("0/1", d); err != nil || out.Done != 2 {
		t.Errorf("%+v, %v", out, err)
	}
	if got := c.status(1, nil); got["0/1"] != Complete {
		t.Errorf("%v", got)
	}
}

// TestFailed: what fails is told, the rest is done, and the next worker tries it again.
func TestFailed(t *testing.T) {
	c, d := newTest(t, each), gpu("h1", 0, "aaaaaaaa11", "1.0")
	c.fail["calibrate"] = true
	out, err := c.worker("0/1", d)
	if err != nil || out.Done != 1 || len(out.Failed) != 1 || !strings.Contains(out.Err().Error(), "it does not build") {
		t.Fatalf("%+v, %v", out, err)
	}
	if got := c.status(1, nil); got["0/1"] != Broken {
		t.Errorf("%v", got)
	}
	c.fail["calibrate"] = false
	if out, err := c.worker("0/1", d); err != nil || out.Done != 1 || out.Before != 1 {
		t.Errorf("%+v, %v", out, err)
	}
	if got := c.status(1, nil); got["0/1"] != Complete {
		t.Errorf("%v", got)
	}
}

// TestDevices: a device that another shard has done is done; other hosts, places and drivers are other devices, and nothing of them is pooled.
func TestDevices(t *testing.T) {
	c := newTest(t, each+"shards: 6\n")
	for i, run := range []struct {
		d    Device
		done int
	}{
		{gpu("h1", 0, "aaaaaaaa11", "1.0"), 2},
		{gpu("h1", 0, "aaaaaaaa11", "1.0"), 0}, // the same, for another shard
		{gpu("h2", 1, "aaaaaaaa11", "1.0"), 0}, // by UUID: moved to another host
		{gpu("h1", 1, "bbbbbbbb22", "1.0"), 2},
		{gpu("h1", 0, "aaaaaaaa11", "2.0"), 2}, // its driver was changed
		{gpu("h1", 0, "", "1.0"), 2},           // without UUID
		{gpu("h1", 1, "", "1.0"), 2},
		{gpu("h2", 0, "", "1.0"), 2},
	} {
		out, err := c.worker(fmt.Sprintf("%d/8", i), run.d)
		if err != nil || out.Done != run.done || out.Before != 2-run.done {
			t.Errorf("%d: %+v, %v", i, out, err)
		}
	}
	m, err := c.file.Merge(8)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Devices) != 6 || len(m.Missing) != 0 || len(m.Warnings) != 1 || !strings.Contains(m.Warnings[0], "drivers: 1.0, 2.0") {
		t.Errorf("%d devices, missing %q, warnings %q", len(m.Devices), m.Missing, m.Warnings)
	}
	for _, d := range m.Devices {
		set, err := samples.Load(d.Samples[0])
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for r, err := range set.All() {
			if err != nil || r.Device.Driver != d.Driver || r.Device.UUID != d.UUID {
				t.Errorf("%s: %v, %v", d.Key, r, err)
			}
			n++
		}
		if set.Close(); n != 3 || d.Count != n { // n=1 was measured by both commands
			t.Errorf("%s: %d samples, told %d", d.Key, n, d.Count)
		}
	}
	if len(m.Rows) == 0 || m.Rows[0].What != "m: p_a" || len(m.Rows[0].Values) != 6 || m.Rows[0].Spread() != 0 {
		t.Errorf("%+v", m.Rows)
	}
	// A second merge is the same.
	before := contents(t, m.Output)
	if again, err := c.file.Merge(8); err != nil || !maps.Equal(before, contents(t, again.Output)) {
		t.Errorf("a second merge differs: %v", err)
	}
}

// TestDealt: a part that any shard has done is done; of the parts the best counts.
func TestDealt(t *testing.T) {
	c := newTest(t, "work: [{tune: a.star, parts: 3}]\n")
	a, b := gpu("h1", 0, "aaaaaaaa11", "1.0"), gpu("h1", 1, "bbbbbbbb22", "1.0")
	for _, run := range []struct {
		shard string
		d     Device
		done  int
	}{{"0/2", a, 2}, {"1/2", b, 1}, {"0/1", b, 0}} {
		if out, err := c.worker(run.shard, run.d); err != nil || out.Done != run.done {
			t.Errorf("%s: %+v, %v", run.shard, out, err)
		}
	}
	want := []string{"--shard=0/3 --json --device=0", "--shard=2/3 --json --device=0", "--shard=1/3 --json --device=1"}
	for i, run := range c.runs {
		if !strings.HasSuffix(run, "tune a.star "+want[i]) {
			t.Errorf("%s, not %s", run, want[i])
		}
	}
	m, err := c.file.Merge(2)
	if err != nil || len(m.Rows) != 1 || *m.Rows[0].Values[1] != 0.5 || m.Rows[0].Choice[0] != "b=1" {
		t.Errorf("%+v, %v", m, err)
	}
}

// contents has the texts of the files below a folder.
func contents(t *testing.T, folder string) map[string]string {
	out := map[string]string{}
	for _, pattern := range []string{"*", "*/*", "*/*/*"} {
		paths, _ := filepath.Glob(filepath.Join(folder, pattern))
		for _, path := range paths {
			if text, err := os.ReadFile(path); err == nil {
				out[path] = string(text)
			}
		}
	}
	return out
}

// TestMergeTable: lines of tables in the order of their times.
func TestMergeTable(t *testing.T) {
	dir := t.TempDir()
	var tables []string
	for i, text := range []string{"{\"file\":\"a\"}\n{\"seconds\":3}\n{\"seconds\":1}\n", "{\"file\":\"a\"}\n{\"refused\":\"x\"}\n{\"seconds\":2}\n{\"seconds\":0."} {
		tables = append(tables, filepath.Join(dir, fmt.Sprint(i)))
		if err := os.WriteFile(tables[i], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "out")
	if err := mergeTable(out, tables); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(out); string(text) != "{\"seconds\":1}\n{\"seconds\":2}\n{\"seconds\":3}\n" {
		t.Errorf("%s", text)
	}
}

// TestCompare: many devices have a column for the least and the greatest.
func TestCompare(t *testing.T) {
	m := &Merged{Output: "out"}
	values := []*float64{}
	for i := range 6 {
		v := float64(1 + i)
		values = append(values, &v)
		m.Devices = append(m.Devices, MergedDevice{Device: gpu("h", i, "", "1"), Label: fmt.Sprint("d", i), Key: "k"})
	}
	m.Rows = []Row{{What: "m: p", Unit: "s", Values: values}}
	var text strings.Builder
	if err := m.Write(&text); err != nil {
		t.Fatal(err)
	}
	line := strings.Split(text.String(), "\n")[9]
	if got := strings.Join(strings.Fields(line), " "); got != "m: p 1 s 1 6 s 6 6 500.00 %" {
		t.Errorf("%q in\n%s", got, text.String())
	}
	r := Row{Values: values[:3], parts: [][]int{{0}, {0}, {0}}}
	if got := r.Spread(); got != 2 {
		t.Errorf("the same part: %v", got)
	}
	r.parts[1] = []int{1}
	if got := r.Spread(); !math.IsNaN(got) {
		t.Errorf("different parts: %v", got)
	}
}

func TestArgs(t *testing.T) {
	f, err := Parse("c.yaml", []byte("version: 1\nwork:\n  - {explore: dot.lift, sizes: [n=1024], parts: 2, with: {budget: 4, data: [a=1, b=2]}}\n  - {rank: 'a.star#k', parts: 2}"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, u := range f.Units(Shard{1, 2}) {
		got = append(got, u.Name+": "+strings.Join(u.args("T"), " "))
	}
	want := []string{
		"1-explore-dot-1-of-2: lift explore dot.lift --param=n=1024 --budget=4 --data=a=1 --data=b=2 --shard=1/2",
		"2-rank-a-k-1-of-2: rank a.star#k --shard=1/2 --tunables --table=T",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestChoose: workers have a device each, one for each piece of hardware, of the type and the interface of the first.
func TestChoose(t *testing.T) {
	info := func(d Device, typ string) device.Info {
		d.Type = typ
		return device.Info{Fingerprint: d.Fingerprint}
	}
	a, b := gpu("", 0, "aaaaaaaa11", "1"), gpu("", 0, "bbbbbbbb22", "1")
	opencl := func(d Device) Device { d.Interface = samples.OpenCL; return d }
	all := []device.Info{info(a, "gpu"), info(opencl(a), "gpu"), info(b, "gpu"), info(opencl(b), "gpu"), info(gpu("", 0, "", "1"), "cpu")}
	for _, c := range []struct {
		query string
		n     int
		want  []int
	}{{"", 0, []int{0, 2}}, {"", 1, []int{0}}, {"", 2, []int{0, 2}}, {"", 3, nil}, {"opencl:", 2, []int{1, 3}}, {"cpu", 0, []int{4}}, {"tpu", 1, nil}} {
		got, err := Choose(all, c.query, c.n)
		if !slices.Equal(got, c.want) || (err == nil) != (c.want != nil) {
			t.Errorf("%q %d: %v, %v", c.query, c.n, got, err)
		}
	}
}
