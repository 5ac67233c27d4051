package machine_test

import (
	"math"
	"testing"

	"gpuperf/device"
	"gpuperf/device/facts"
	"gpuperf/device/machine"
	"gpuperf/samples"
)

// Every data sheet is a machine: what it lacks is as typical devices have it, and a device that is not known at all is a GPU.
func TestOf(t *testing.T) {
	_, names := facts.Named("none of that name")
	for _, name := range names {
		m, err := machine.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		if m.Name == "" || m.Multiprocessors < 1 || m.Schedulers < 1 || m.Subgroup != 32 || m.Line != 128 || m.MostLocal < 48<<10 || m.MostItems != 1024 {
			t.Errorf("%s: %+v", name, m)
		}
		w := machine.Work{Launches: 1, Groups: 1000, Group: machine.Group{Items: 256, Registers: 32, Subgroup: 32}, Rounds: 10, Issue: 100}
		if s := m.Seconds(w); !(s > 1e-6 && s < 1e-3) {
			t.Errorf("%s: 1000 small work-groups take %g s", name, s)
		}
	}
	if m := machine.Of(nil); m.Name != machine.Usual {
		t.Errorf("without a name: %s", m.Name)
	}
	cpu := machine.Told(device.Info{Fingerprint: samples.Fingerprint{Interface: samples.OpenCL, Type: "cpu", Platform: "Portable Computing Language", ComputeUnits: 2, LocalMem: 16 << 10, MaxWorkGroup: 256}})
	if cpu.Name != machine.Usual || cpu.MostLocal != 16<<10 || cpu.MostItems != 256 {
		t.Errorf("of a CPU: %+v", cpu)
	}
}

// More work takes no less, whatever is more of it; and a work-group that no multiprocessor has room for takes for ever.
func TestSeconds(t *testing.T) {
	m := machine.Of(nil)
	base := machine.Work{Launches: 1, Groups: 500, Group: machine.Group{Items: 128, Registers: 40, Local: 8 << 10, Subgroup: 32}, Issue: 1e4, Rounds: 20, Barriers: 5, Lines: 1e3, Bytes: 1e5, GlobalBytes: 1e7}
	least := m.Seconds(base)
	for name, more := range map[string]func(*machine.Work){
		"launches": func(w *machine.Work) { w.Launches++ }, "groups": func(w *machine.Work) { w.Groups *= 3 }, "registers": func(w *machine.Work) { w.Registers = 255 },
		"local": func(w *machine.Work) { w.Local = 100 << 10 }, "issue": func(w *machine.Work) { w.Issue *= 2 }, "rounds": func(w *machine.Work) { w.Rounds++ },
		"barriers": func(w *machine.Work) { w.Barriers++ }, "lines": func(w *machine.Work) { w.Lines *= 2 }, "bytes": func(w *machine.Work) { w.Bytes *= 2 }, "global bytes": func(w *machine.Work) { w.GlobalBytes = 1e12 },
	} {
		w := base
		more(&w)
		if s := m.Seconds(w); !(s > least) {
			t.Errorf("more %s: %g s, and %g with less", name, s, least)
		}
	}
	none := base
	none.Local = 1 << 20
	if s := m.Seconds(none); !math.IsInf(s, 1) {
		t.Errorf("a work-group that fits nowhere takes %g s", s)
	}
}

// What a work-group that is alone does one after the other takes the sum of the times, and what it does three times three times as long.
func TestThenAndTimes(t *testing.T) {
	m := machine.Of(nil)
	a := machine.Work{Issue: 100, Rounds: 3, Lines: 7}
	b := machine.Work{Rounds: 1, Barriers: 2, Bytes: 4096, Lines: 50}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"one after the other", m.Seconds(a.Then(b)), m.Seconds(a) + m.Seconds(b)},
		{"three times", m.Seconds(a.Then(b).Times(3)), 3 * (m.Seconds(a) + m.Seconds(b))},
	} {
		if math.Abs(c.got/c.want-1) > 1e-12 {
			t.Errorf("%s: %g s, want %g", c.name, c.got, c.want)
		}
	}
}
