package calibrate

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/internal/golden"
	"gpuperf/internal/source"
	"gpuperf/models"
)

const table = `# measured yesterday
kernel, f_mem_access_global_float32_load_lstrides:{0:1;1:>15}_gstrides:{0:0}_afr:>1,note,f_t
a,1e6,first,0.5
b,2000000,"second, and last",1
`

func TestTable(t *testing.T) {
	m := model(t, "expression: p_a * f_mem_access_global_float32_load_lstrides:{0:1;1:>15}_gstrides:{0:0}_afr:>1\n")
	tab, err := ReadTable("t.csv", []byte(table))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := tab.Rows(m)
	if err != nil {
		t.Fatal(err)
	}
	name := m.FeatureNames()[0]
	want := []Row{
		{Kernel: "a", Features: map[string]float64{name: 1e6}, Output: 0.5, Label: "t.csv:3"},
		{Kernel: "b", Features: map[string]float64{name: 2e6}, Output: 1, Label: "t.csv:4"},
	}
	if d := cmp.Diff(want, rows); d != "" {
		t.Error(d)
	}
}

func TestOutputOfTheModelsOwn(t *testing.T) {
	m := model(t, "expression: p_a * f_x\nfeatures: {f_t: 2 * f_a + f_b}\n")
	tab, err := ReadTable("", []byte("f_a,f_b,f_x\n1,2,3\n"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := tab.Rows(m)
	if err != nil || rows[0].Output != 4 {
		t.Errorf("%+v, %v", rows, err)
	}
}

// TestTableMistakes reads testdata/mistakes.txt: tables separated by lines of =, each followed by -- and the error it gives with the
// model p_a * f_x, output f_t.
func TestTableMistakes(t *testing.T) {
	m := model(t, "expression: p_a * f_x\n")
	golden.Mistakes(t, "testdata/mistakes.txt", func(text string) error {
		tab, err := ReadTable("t.csv", []byte(text))
		if err == nil {
			_, err = tab.Rows(m)
		}
		return err
	})
}

func TestTimesArePositive(t *testing.T) {
	m, err := models.Parse("", []byte("version: 1\nname: m\noutput: f_cl_wall_time\nexpression: p_a * f_sub_groups\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, time := range []string{"0", "-2"} {
		tab, err := ReadTable("t.csv", []byte("f_sub_groups,f_cl_wall_time\n1,2\n2,"+time+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = tab.Rows(m); err == nil || !strings.HasPrefix(err.Error(), "t.csv:3:3: the time of this row is "+time+": a time is greater than 0") {
			t.Errorf("%s: %v", time, err)
		}
	}
}

func TestTableOfManyColumns(t *testing.T) {
	_, err := ReadTable("t.csv", []byte(strings.Repeat("f_x,", 100_000)+"f_t\n"))
	if err == nil || !strings.Contains(err.Error(), "t.csv:1:16385: this line has 100001 cells, and a table has at most 4096 columns") {
		t.Errorf("%.200v", err)
	}
}

// FuzzTable: whatever the table, rows or an error with its place.
func FuzzTable(f *testing.F) {
	f.Add(table)
	f.Add("f_x,f_t\n1,2\n")
	f.Add("f_x,\"f_t\n1\",2\n")
	m := model(f, "expression: p_a * f_x\n")
	f.Fuzz(func(t *testing.T, text string) {
		tab, err := ReadTable("t.csv", []byte(text))
		if err == nil {
			_, err = tab.Rows(m)
		}
		var e *source.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("an error without a place: %v", err)
		}
	})
}
