package nvml_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/device/dl"
	"gpuperf/device/nvml"
	"gpuperf/samples"
)

// standIn is a library with the functions of NVIDIA's, of which one device is known.
const standIn = `
#include <string.h>
static int device;
int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
int nvmlSystemGetDriverVersion(char *text, unsigned size) { strncpy(text, "580.159.04", size); return 0; }
int nvmlDeviceGetHandleByUUID(const char *uuid, void **d) {
  if (strcmp(uuid, "GPU-5f4dd1a4-085a-b3e1-1fbc-41608d751f41")) return 6;
  *d = &device; return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, void **d) {
  if (strcmp(pci, "0000:00:06.0")) return 6;
  *d = &device; return 0;
}
int nvmlDeviceGetClockInfo(void *d, int type, unsigned *mhz) {
  if (d != &device) return 2;
  *mhz = type == 1 ? 1980 : type == 2 ? 3201 : 0; return 0;
}
int nvmlDeviceGetPowerUsage(void *d, unsigned *milliwatts) { *milliwatts = 412500; return 0; }
int nvmlDeviceGetTemperature(void *d, int sensor, unsigned *t) { if (sensor != 0) return 2; *t = 41; return 0; }
#ifdef LIMITS
int nvmlDeviceGetTotalEnergyConsumption(void *d, unsigned long long *mj) { *mj = 123456789012ull; return d != &device; }
int nvmlDeviceGetCurrentClocksThrottleReasons(void *d, unsigned long long *bits) { *bits = 0x24; return 0; }
#endif
`

func buildStandIn(t *testing.T, flags ...string) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler to build a stand-in for NVIDIA's library")
	}
	dir := t.TempDir()
	source, lib := filepath.Join(dir, "nvml.c"), filepath.Join(dir, "libnvidia-ml.so.1")
	if err := os.WriteFile(source, []byte(standIn), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cc, append(flags, "-shared", "-fPIC", "-o", lib, source)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return lib
}

func TestNVML(t *testing.T) {
	const uuid, pci = "5f4dd1a4085ab3e11fbc41608d751f41", "0000:00:06.0"
	full, old := buildStandIn(t, "-DLIMITS"), buildStandIn(t)
	want := samples.Clocks{SM: 1980, Memory: 3201, Power: 412.5, Temperature: 41}
	limited := want
	limited.Limits = []string{"software power cap", "software thermal slowdown"}
	for name, tt := range map[string]struct {
		libraries []string
		uuid, pci string
		want      *samples.Clocks
	}{
		"by UUID":        {[]string{full}, uuid, "", &limited},
		"by PCI":         {[]string{full}, "", pci, &limited},
		"unknown UUID":   {[]string{full}, "00000000000000000000000000000000", pci, &limited},
		"old library":    {[]string{old}, uuid, pci, &want},
		"second of two":  {[]string{"/no/such/library.so", full}, uuid, pci, &limited},
		"other device":   {[]string{full}, "00000000000000000000000000000000", "0000:00:07.0", nil},
		"no device":      {[]string{full}, "", "", nil},
		"no library":     {[]string{"/no/such/library.so"}, uuid, pci, nil},
		"other library":  {[]string{"libc.so.6"}, uuid, pci, nil},
		"no UUID at all": {[]string{full}, "zz", "", nil},
	} {
		n := nvml.Open(func([]string) (*dl.Library, error) { return dl.OpenFirst(tt.libraries) }, tt.uuid, tt.pci)
		if diff := cmp.Diff(tt.want, n.Clocks()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		joules, ok := n.Energy()
		if told := tt.want != nil && tt.want.Limits != nil; ok != told || told && joules != 123456789.012 {
			t.Errorf("%s: %v J, %v", name, joules, ok)
		}
		n.Close()
	}
}

func TestDriver(t *testing.T) {
	for library, want := range map[string]string{buildStandIn(t): "580.159.04", "libc.so.6": "", "/no/such/library.so": ""} {
		if got := nvml.Driver(func([]string) (*dl.Library, error) { return dl.OpenFirst([]string{library}) }); got != want {
			t.Errorf("%s: %q, want %q", library, got, want)
		}
	}
}
