package main

import (
	"os"
	"path/filepath"
	"strings"

	"gpuperf/samples"
)

// dataDir is where profiles and samples are kept unless the user names files: $PERF_DATA, else perf in the XDG data
// directory.
func dataDir() (string, error) {
	if dir := os.Getenv("PERF_DATA"); dir != "" {
		return dir, nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "perf"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "share", "perf"), nil
}

// deviceFile is the path of a device's own file in the data directory: "profiles/nvidia-h200-8580fdbb.yaml".
func deviceFile(folder string, f samples.Fingerprint, ext string) (string, error) {
	dir, err := dataDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, folder, deviceSlug(f)+ext), nil
}

// deviceSlug is the device's name in letters, digits and hyphens, with the start of its UUID where it has one.
func deviceSlug(f samples.Fingerprint) string {
	words := strings.FieldsFunc(strings.ToLower(f.Name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	slug := strings.Join(words, "-")
	if len(f.UUID) >= 8 {
		slug += "-" + f.UUID[:8]
	}
	return slug
}
