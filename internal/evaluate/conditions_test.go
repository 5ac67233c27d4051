package evaluate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuperf/samples"
)

func TestConditions(t *testing.T) {
	capped := []string{"software power cap"}
	for name, tt := range map[string]struct {
		records []samples.Record
		want    []string
	}{
		"nothing": {[]samples.Record{{}, {}}, nil},
		"one": {
			[]samples.Record{{Sentinel: &samples.Sentinel{Seconds: 1.5e-4, Ratio: 1}, Clocks: &samples.Clocks{SM: 1980}}},
			[]string{"sentinel kernel 150 µs, 1.0000 times what it took first (1 of 1 samples)", "multiprocessors at 1980 MHz"},
		},
		"several": {
			[]samples.Record{
				{Sentinel: &samples.Sentinel{Seconds: 1.5e-4, Ratio: 1}, Clocks: &samples.Clocks{SM: 1980, Memory: 3201, Power: 300.4, Temperature: 35}},
				{Sentinel: &samples.Sentinel{Seconds: 1.6e-4, Ratio: 1.0667}, Clocks: &samples.Clocks{SM: 1755, Memory: 3201, Power: 699, Temperature: 61, Limits: capped}},
				{Clocks: &samples.Clocks{SM: 1800, Limits: capped}},
				{},
			},
			[]string{
				"sentinel kernel 150 µs to 160 µs, 1.0000 to 1.0667 times what it took first (2 of 4 samples)",
				"multiprocessors at 1755 to 1980 MHz", "memory at 3201 MHz", "power 300 to 699 W", "temperature 35 to 61 °C",
				"clocks limited by software power cap in 2 of 4 samples",
			},
		},
	} {
		if diff := cmp.Diff(tt.want, Conditions(tt.records)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
