package cuda

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/device"
	"gpuperf/device/opencl"
	"gpuperf/samples"
)

// listed is a backend that was asked for its devices once.
type listed []device.Info

func (l listed) Devices() ([]device.Info, error) { return l, nil }
func (l listed) Open(int) (device.Device, error) { panic("only listed") }

// byOpenCL are the GPUs under OpenCL where the conversation was recorded.
func byOpenCL(t *testing.T) (all listed) {
	t.Helper()
	const path = "testdata/opencl.json"
	if os.Getenv("RECORD") != "" {
		found, err := new(opencl.Backend).Devices()
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range found {
			if d.Type == "gpu" {
				all = append(all, d)
			}
		}
		text, _ := json.MarshalIndent(all, "", "\t")
		if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return all
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestDevices lists the devices of both interfaces, as `perf devices` does.
func TestDevices(t *testing.T) {
	backend := device.Backends{converse(t), byOpenCL(t)}
	all, err := backend.Describe()
	if err != nil {
		t.Fatal(err)
	}
	groups := device.Hardware(all)
	if len(groups) == 0 || len(groups[0]) != 2 || all[groups[0][0]].Interface != samples.CUDA || all[groups[0][1]].Interface != samples.OpenCL {
		t.Errorf("%v are one device", groups)
	}
	chosen, err := device.Select(all, "")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	device.Print(&got, all, chosen)
	const golden = "testdata/devices.txt"
	if os.Getenv("UPDATE") != "" || os.Getenv("RECORD") != "" {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Error(diff)
	}
}
