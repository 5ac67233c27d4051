package opencl

import (
	"slices"
	"testing"
	"testing/fstest"

	"gpuperf/samples"
)

func TestListCaches(t *testing.T) {
	list := func(all ...[5]string) []samples.Cache {
		root := fstest.MapFS{}
		for i, one := range all {
			for j, name := range []string{"level", "type", "size", "coherency_line_size", "shared_cpu_list"} {
				if one[j] != "" {
					root[cacheFolder+"/index"+string(rune('0'+i))+"/"+name] = &fstest.MapFile{Data: []byte(one[j] + "\n")}
				}
			}
		}
		return listCaches(root)
	}
	l1, l2 := [5]string{"1", "Data", "48K", "64", "0,8"}, [5]string{"2", "Unified", "2048K", "64", "0,8"}
	for _, c := range []struct {
		name   string
		listed [][5]string
		want   []samples.Cache
	}{
		{"none", nil, nil},
		{
			"of two threads and of all",
			[][5]string{l1, {"1", "Instruction", "32K", "64", "0,8"}, l2, {"3", "Unified", "107520K", "64", "0-15"}},
			[]samples.Cache{{Bytes: 49152, LineBytes: 64, Units: 2}, {Bytes: 2097152, LineBytes: 64, Units: 2}, {Bytes: 110100480, LineBytes: 64, Units: 16}},
		},
		{"in another order", [][5]string{l2, l1}, []samples.Cache{{Bytes: 49152, LineBytes: 64, Units: 2}, {Bytes: 2097152, LineBytes: 64, Units: 2}}},
		{"of several ranges", [][5]string{{"3", "Unified", "1K", "128", "0-3,8,10-11"}}, []samples.Cache{{Bytes: 1024, LineBytes: 128, Units: 7}}},
		{"without a size, a line, sharers, or with those that are none", [][5]string{
			{"1", "Data", "", "64", "0"},
			{"1", "Data", "48K", "", "0"},
			{"1", "Data", "48K", "64", ""},
			{"1", "Data", "48M", "64", "0"},
			{"1", "Data", "48K", "64", "3-1"},
			{"1", "Data", "48K", "64", "0-x"},
			{"x", "Data", "48K", "64", "0"},
		}, nil},
	} {
		if got := list(c.listed...); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestLibraryCaches(t *testing.T) {
	levels := func(all ...int64) func(uintptr) int64 { // bytes and length of a line by turns
		return func(name uintptr) int64 {
			if i := int(name-cacheSizes[0]) / 3; 2*i < len(all) {
				return all[2*i+int(name-cacheSizes[i])/2]
			}
			return -1
		}
	}
	for _, c := range []struct {
		name   string
		levels []int64
		want   []samples.Cache
	}{
		{"none", nil, nil},
		{"not told", []int64{0, 0, 0, 0}, nil},
		{"three", []int64{49152, 64, 2097152, 64, 1 << 25, 128}, []samples.Cache{{Bytes: 49152, LineBytes: 64, Units: 1}, {Bytes: 2097152, LineBytes: 64, Units: 1}, {Bytes: 1 << 25, LineBytes: 128, Units: 4}}},
		{"two and one without lines", []int64{49152, 64, 2097152, 64, 1 << 25, 0}, []samples.Cache{{Bytes: 49152, LineBytes: 64, Units: 1}, {Bytes: 2097152, LineBytes: 64, Units: 4}}},
		{"one alone", []int64{49152, 64}, []samples.Cache{{Bytes: 49152, LineBytes: 64, Units: 1}}},
	} {
		if got := libraryCaches(levels(c.levels...), 4); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
