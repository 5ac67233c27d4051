// Package toolkit finds the programs of CUDA's toolkit.
package toolkit

import (
	"os"
	"os/exec"
	"path/filepath"
)

// Find is the path of a program: on the PATH, else in the toolkit that CUDA_HOME names, else, where it names none, in the newest one that an
// installer has put in its usual place, else where one of the patterns matches. It is "" for a program that is in none.
func Find(name string, elsewhere ...string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	for _, pattern := range append([]string{filepath.Join(home(), "bin", name)}, elsewhere...) {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return found[len(found)-1]
		}
	}
	return ""
}

// home is a pattern for the folders of toolkits.
func home() string {
	if named := os.Getenv("CUDA_HOME"); named != "" {
		return named
	}
	return "/usr/local/cuda*"
}
