package capture

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"gpuperf/internal/throw"
)

//go:embed inject/*.c inject/*.h
var inject embed.FS

var (
	compilers = []string{"cc", "gcc", "clang"}
	flags     = []string{"-std=gnu11", "-O1", "-fPIC", "-shared"}
	linked    = []string{"-ldl", "-lpthread"}
)

// built are the paths of the libraries.
type built struct{ cuda, opencl string }

// libraries compiles the libraries, unless the folder of the cache has them.
func libraries(ctx context.Context, cache string) (_ built, err error) {
	defer throw.Catch(&err)
	files := throw.Get(inject.ReadDir("inject"))
	h := sha256.New()
	fmt.Fprint(h, flags)
	for _, f := range files {
		text := throw.Get(inject.ReadFile("inject/" + f.Name()))
		fmt.Fprintf(h, "%s %d\n%s", f.Name(), len(text), text)
	}
	folder := throw.Get(filepath.Abs(filepath.Join(cache, hex.EncodeToString(h.Sum(nil))[:16])))
	if _, err := os.Stat(folder); err != nil {
		compileInto(ctx, folder)
	}
	return built{filepath.Join(folder, "cuda.so"), filepath.Join(folder, "opencl.so")}, nil
}

// compileInto fills a folder beside the one that is wanted, and renames it, so that no half-made one is ever found.
func compileInto(ctx context.Context, folder string) {
	cc := compiler()
	throw.If(os.MkdirAll(filepath.Dir(folder), 0o777))
	work := throw.Get(os.MkdirTemp(filepath.Dir(folder), "new-*"))
	defer os.RemoveAll(work)
	throw.If(os.CopyFS(work, inject))
	for _, name := range []string{"cuda", "opencl"} {
		args := slices.Concat(flags, []string{"-o", filepath.Join(work, name+".so"), filepath.Join(work, "inject", name+".c")}, linked)
		if out, err := exec.CommandContext(ctx, cc, args...).CombinedOutput(); err != nil {
			panic(throw.Errorf("%s cannot compile the library that captures: %w\n%s", cc, err, out))
		}
	}
	if err := os.Rename(work, folder); err != nil {
		if _, there := os.Stat(folder); there != nil {
			throw.If(err)
			return
		}
	}
}

// compiler finds the C compiler of the machine.
func compiler() string {
	names := compilers
	if own := os.Getenv("CC"); own != "" {
		names = []string{own}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	panic(throw.Errorf("there is no C compiler, which makes the small library that captures: %v were not found\n    "+
		"install one (Debian and Ubuntu: apt install gcc libc6-dev), or name one by CC", names))
}

// cuptiPlaces are where CUDA's installers and Python's packages put CUPTI.
var cuptiPlaces = []string{
	"$CUDA_HOME/extras/CUPTI/lib64", "$CUDA_PATH/extras/CUPTI/lib64", "/usr/local/cuda/extras/CUPTI/lib64", "/usr/local/cuda/lib64",
	"/usr/local/cuda-*/extras/CUPTI/lib64", "/opt/cuda/extras/CUPTI/lib64", "/usr/lib/*-linux-gnu",
	"$VIRTUAL_ENV/lib/python3*/site-packages/nvidia/*/lib", "/usr/local/lib/python3*/*-packages/nvidia/*/lib",
}

// findCUPTI looks for libcupti; "" leaves it to the loader's own places.
func findCUPTI() string {
	for _, place := range cuptiPlaces {
		if found, _ := filepath.Glob(filepath.Join(os.ExpandEnv(place), "libcupti.so*")); len(found) > 0 {
			return found[len(found)-1]
		}
	}
	return ""
}
