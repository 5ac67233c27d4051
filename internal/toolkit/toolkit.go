// Package toolkit finds the programs and libraries of CUDA's toolkit.
package toolkit

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"gpuperf/internal/lists"
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

// Libraries are the places of a library, best first: in the toolkit that CUDA_HOME names; where the system looks for libraries, and in the usual place of
// toolkits. A CUDA_HOME that is no folder says that there is no toolkit: the library is in none of the places.
func Libraries(names ...string) []string {
	named := os.Getenv("CUDA_HOME")
	if named == "" {
		return slices.Concat(names, in("/usr/local/cuda/lib64", names))
	}
	places := slices.Concat(in(filepath.Join(named, "lib64"), names), in(filepath.Join(named, "lib"), names))
	if at, err := os.Stat(named); err != nil || !at.IsDir() {
		return places
	}
	return slices.Concat(places, names)
}

func in(folder string, names []string) (paths []string) {
	return lists.Map(names, func(name string) string { return filepath.Join(folder, name) })
}

// home is a pattern for the folders of toolkits.
func home() string {
	if named := os.Getenv("CUDA_HOME"); named != "" {
		return named
	}
	return "/usr/local/cuda*"
}
