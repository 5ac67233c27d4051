package machine_test

import (
	"compress/gzip"
	"encoding/csv"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"testing"

	"gpuperf/device/machine"
)

// As many work-groups run at once as the CUDA runtime says of kernels with many numbers of registers, work-groups and bytes of shared memory
// (scripts/occupancy.cu).
func TestResidentIsThatOfCUDA(t *testing.T) {
	const path = "../../testdata/h200/occupancy.csv.gz"
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s has not been recorded", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(z).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	none, registers := 0, map[int64]bool{}
	for _, row := range rows[1:] {
		var n [4]int64
		for i, text := range row {
			if n[i], err = strconv.ParseInt(text, 10, 64); err != nil {
				t.Fatal(err)
			}
		}
		g := machine.Group{Items: n[1], Registers: n[0], Local: n[2], Subgroup: 32}
		if got := machine.Held(h200, g); got != n[3] {
			t.Errorf("%+v: %d work-groups at once, and CUDA says %d", g, got, n[3])
		}
		if (machine.Fits(h200, g) == "") != (n[3] > 0) {
			t.Errorf("%+v: %q, and CUDA says %d", g, machine.Fits(h200, g), n[3])
		}
		registers[n[0]] = true
		if n[3] == 0 {
			none++
		}
	}
	if len(registers) < 16 || none == 0 {
		t.Errorf("%d numbers of registers, and %d launches that cannot be", len(registers), none)
	}
}
