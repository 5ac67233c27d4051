package format

import (
	"math"
	"testing"
)

func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		value float64
		unit  string
		want  string
	}{
		{1.12e10, "B/s", "11.2 GB/s"},
		{2.8e-12, "s/B", "2.8 ps/B"},
		{2.8004e-12, "s per 2 FLOP per lane", "2.8 ps per 2 FLOP per lane"},
		{1.12e9, "FLOP/s", "1.12 GFLOP/s"},
		{4.37e12, "B/s", "4.37 TB/s"},
		{999.96e9, "B/s", "1 TB/s"},
		{12, "groups/s", "12 groups/s"},
		{2.5e6, "groups/s", "2.5 M groups/s"},
		{2147483648, "", "2.147 G"},
		{20480, "", "20480"},
		{0.05, "", "0.05"},
		{1e-3, "groups", "0.001 groups"},
		{0, "s", "0 s"},
		{12345, "s", "12345 s"},
		{5e-12, "s", "5 ps"},
		{-3e-6, "s", "-3 µs"},
		{1e-21, "s", "1e-21 s"},
		{3e22, "op", "30000 Eop"},
		{math.Inf(1), "B/s", "+Inf B/s"},
		{math.NaN(), "s", "NaN s"},
	} {
		if got := Quantity(c.value, c.unit); got != c.want {
			t.Errorf("%g %s: %s, want %s", c.value, c.unit, got, c.want)
		}
	}
}

func TestUncertain(t *testing.T) {
	for _, c := range []struct {
		value, stderr          float64
		wantValue, wantError   string
		unit, wantUnit, reason string
	}{
		{9.79773e-12, 2.3e-14, "9.798", "0.023", "s per 4 B", "ps per 4 B", "the error is in the unit of the value"},
		{0, 3.14e-9, "0", "3.1", "s", "ns", "a value of 0 is in the unit of its error"},
		{1e-9, 1e-6, "1", "1000", "s", "ns", "an error larger than its value"},
		{1, 1e-20, "1", "< 0.000001", "s", "s", "a fit without noise"},
		{0.5, math.Inf(1), "0.5", "+Inf", "", "", "a parameter that nothing determines"},
	} {
		value, deviation, unit := Uncertain(c.value, c.stderr, c.unit)
		if value != c.wantValue || deviation != c.wantError || unit != c.wantUnit {
			t.Errorf("%s: %s, %s, %s; want %s, %s, %s", c.reason, value, deviation, unit, c.wantValue, c.wantError, c.wantUnit)
		}
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 64 << 20: "64 MiB", 141 << 30: "141 GiB", 1536: "1.5 KiB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
