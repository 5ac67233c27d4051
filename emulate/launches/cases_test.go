package launches

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"gpuperf/device/facts"
)

func TestCases(t *testing.T) {
	dir := os.Getenv("CASES")
	if dir == "" {
		t.Skip()
	}
	f, _ := os.Open(filepath.Join(dir, "measured.csv"))
	rows, _ := csv.NewReader(f).ReadAll()
	d, _ := facts.Sheet("NVIDIA H200")
	var errs []float64
	read, over := 0, 0
	for _, r := range rows[1:] {
		if only := os.Getenv("ONLY"); only != "" && r[0] != only {
			continue
		}
		us, _ := strconv.ParseFloat(r[2], 64)
		s, err := Load(filepath.Join(dir, r[0]+".yaml"), nil)
		if err != nil {
			t.Log(r[0], err)
			continue
		}
		l, err := s.Compile(context.Background(), "sm_90")
		if err != nil {
			fmt.Printf("%-28s %v\n", r[0], err)
			over++
			errs = append(errs, 1)
			continue
		}
		rep, err := s.Run(context.Background(), l, Options{Device: d})
		if err != nil {
			fmt.Printf("%-28s %v\n", r[0], err)
			over++
			errs = append(errs, 1)
			continue
		}
		read++
		e := math.Abs(rep.Seconds()*1e6/(us-1.2) - 1)
		if !rep.Status().Finite() {
			e = 1
		}
		errs = append(errs, e)
		if e > 0.5 {
			over++
		}
		fmt.Printf("%-28s %9.1f %9.1f  %5.2f  regs %d %v\n", r[0], rep.Seconds()*1e6, us-1.2, rep.Seconds()*1e6/(us-1.2), l.Functions[0].Registers, rep.Status())
	}
	slices.Sort(errs)
	sum, geo := 0.0, 0.0
	for _, e := range errs {
		sum += e
		geo += math.Log(max(e, 1e-3))
	}
	n := float64(len(errs))
	fmt.Printf("%d of %d read; geometric %.1f mean %.1f median %.1f; over half %d\n", read, len(errs), 100*math.Exp(geo/n), 100*sum/n, 100*errs[len(errs)/2], over)
}
