package campaign

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"gpuperf/calibrate"
	"gpuperf/samples"
)

// TestAddToProfileTogether: of many that add to one profile at once, by its own name and by that of a link, none is lost.
func TestAddToProfileTogether(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "new", "p.yaml"), filepath.Join(dir, "link.yaml")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	device := samples.Fingerprint{Name: "d"}
	add := func(path string, i int) error {
		name := fmt.Sprintf("m%d", i)
		return AddToProfile(path, device, []calibrate.Calibration{{
			Fit:        calibrate.Fit{Model: name, Rows: 1, Parameters: []calibrate.Estimate{{Name: "p_a", Value: 1}}, FeatureRange: map[string][2]float64{}},
			Definition: "version: 1\nname: " + name + "\noutput: f_t\nexpression: p_a * f_x\n",
			Origin:     calibrate.Origin{Cache: string(samples.Warm)},
		}})
	}
	if err := add(path, 0); err != nil {
		t.Fatal(err)
	}
	const count = 20
	var wait sync.WaitGroup
	for i := 1; i < count; i++ {
		wait.Go(func() {
			if err := add([]string{path, link}[i%2], i); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	p, err := calibrate.LoadProfile(path)
	if err != nil || len(p.Models) != count {
		t.Errorf("%d models of %d: %v", len(p.Models), count, err)
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Errorf("%v, %v: files are left beside the profile", files, err)
	}
	if _, err := OpenProfile(path, device, samples.Cold); err == nil {
		t.Error("a profile for warm caches takes a model for cold ones")
	}
	if _, err := OpenProfile(path, samples.Fingerprint{Name: "other"}, samples.Warm); err == nil {
		t.Error("a profile takes a model of another device")
	}
}
