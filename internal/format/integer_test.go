package format

import "testing"

func TestParseInteger(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "-3": -3, "4096": 4096, "64k": 64000, "1M": 1e6, "1.5M": 1500000, "2G": 2e9, "1T": 1e12, "1Ki": 1024, "16Mi": 16 << 20,
		"0.5Ki": 512, "2^20": 1 << 20, "-2^3": -8, "10^3": 1000, "1e6": 1e6, "1.5e3": 1500, "9223372036854775807": 1<<63 - 1,
		"-9223372036854775808": -1 << 63,
	} {
		if got, ok := ParseInteger(text); !ok || got != want {
			t.Errorf("%s: %d %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", "x", "1.5", "1K", "1m", "1i", "k", "1e-3", "2^64", "2^-1", "2^99", "9223372036854775808", "1 k", "1e99", "0x10", "1/2", "1e6k4", "2^2k", "+-1",
	} {
		if got, ok := ParseInteger(text); ok {
			t.Errorf("%q is read as %d", text, got)
		}
	}
}
