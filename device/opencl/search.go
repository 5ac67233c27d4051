package opencl

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"

	"gpuperf/device/dl"
)

// Search says where to look for OpenCL. The zero value is the default; an empty list that is not nil means nowhere.
type Search struct {
	Loaders []string // shared libraries that bring all platforms together
	Drivers []string // vendors' libraries, opened where no loader brought them
	Vendors []string // directories of .icd files, read where there is no loader
}

// loaders are tried in this order.
var loaders = map[string][]string{
	"linux":   {"libOpenCL.so.1", "libOpenCL.so"},
	"darwin":  {"/System/Library/Frameworks/OpenCL.framework/OpenCL"},
	"freebsd": {"libOpenCL.so.1", "libOpenCL.so"},
	"windows": {"OpenCL.dll"},
}

// Loaders are the names under which this system has OpenCL's loader, in the order in which they are tried.
func Loaders() []string { return loaders[runtime.GOOS] }

// drivers are those of the vendors whose containers and packages are known to leave out the .icd file or the loader.
var drivers = map[string][]string{
	"linux": {
		"libnvidia-opencl.so.1",
		"/usr/local/nvidia/lib64/libnvidia-opencl.so.1",
		"libamdocl64.so",
		"/opt/rocm/lib/libamdocl64.so",
		"libigdrcl.so",
		"/usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so",
		"/usr/lib64/intel-opencl/libigdrcl.so",
	},
}

// ErrNone is wrapped by the error of a search that found no platform.
var ErrNone = errors.New("no OpenCL platform was found")

// InstallHint says which packages bring OpenCL.
const InstallHint = `install an OpenCL runtime, on Debian and Ubuntu:
  any CPU      apt install ocl-icd-libopencl1 pocl-opencl-icd
  NVIDIA GPU   apt install ocl-icd-libopencl1 nvidia-opencl-icd   (in a container: run it with --gpus all)
  AMD GPU      apt install ocl-icd-libopencl1 mesa-opencl-icd     (or ROCm's rocm-opencl-runtime)
  Intel GPU    apt install ocl-icd-libopencl1 intel-opencl-icd`

// platform is a vendor's OpenCL with the functions to use it.
type platform struct {
	*api
	id                    object
	name, vendor, version string
}

// platforms finds the platforms. What could not be opened is told only where nothing was found.
func (s Search) platforms() ([]platform, error) {
	orDefault := func(given, standard []string) []string {
		if given != nil {
			return given
		}
		return standard
	}
	var found []platform
	var notes []error
	load := func(name string, platformsOf func(string, uintptr) ([]platform, error)) (ps []platform) {
		lib, err := dl.Open(name)
		if err == nil {
			ps, err = platformsOf(name, lib)
		}
		if err != nil {
			notes = append(notes, err)
		}
		return ps
	}
	for _, name := range orDefault(s.Loaders, loaders[runtime.GOOS]) {
		if found = load(name, fromLoader); len(found) > 0 {
			break
		}
	}
	loader := len(found) > 0
	names := slices.Clone(orDefault(s.Drivers, drivers[runtime.GOOS]))
	if !loader {
		icd, err := icdFiles(orDefault(s.Vendors, vendorDirs()))
		if err != nil {
			notes = append(notes, err)
		}
		names = append(icd, names...)
	}
	for _, name := range names {
		// A driver that is in memory already was brought by the loader.
		if loader && dl.Resident(name) {
			continue
		}
		for _, p := range load(name, fromDriver) {
			if !slices.ContainsFunc(found, func(q platform) bool {
				return q.name == p.name && q.vendor == p.vendor && q.version == p.version
			}) {
				found = append(found, p)
			}
		}
	}
	if len(found) == 0 {
		var tried strings.Builder
		for _, n := range notes {
			fmt.Fprintf(&tried, "\n  %v", n)
		}
		return nil, fmt.Errorf("%w; tried:%s\n%s", ErrNone, tried.String(), InstallHint)
	}
	return found, nil
}

// fromLoader takes the functions by name.
func fromLoader(name string, lib uintptr) ([]platform, error) {
	a := &api{library: name, find: func(f function) uintptr {
		address, _ := dl.Symbol(lib, f.name) // 0 for a function that is missing
		return address
	}}
	ids, err := a.platformIDs()
	if err != nil {
		return nil, err
	}
	return describe(ids, func(object) *api { return a })
}

// fromDriver takes the functions of each platform from its dispatch table, which is reached, as cl_khr_icd
// lays down, by the entry points clGetExtensionFunctionAddress and clIcdGetPlatformIDsKHR.
func fromDriver(name string, lib uintptr) ([]platform, error) {
	const icdEntry = "clIcdGetPlatformIDsKHR"
	entry, err := dl.Symbol(lib, icdEntry)
	if err != nil {
		address, err := dl.Symbol(lib, "clGetExtensionFunctionAddress")
		if err != nil {
			return nil, fmt.Errorf("%s is no OpenCL driver: %w", name, err)
		}
		text := append([]byte(icdEntry), 0)
		entry, _, _ = purego.SyscallN(address, uintptr(unsafe.Pointer(&text[0])))
		runtime.KeepAlive(text)
		if entry == 0 {
			return nil, fmt.Errorf("%s is no OpenCL driver that can be used without a loader: it lacks %s", name, icdEntry)
		}
	}
	// The entry point has the signature of clGetPlatformIDs.
	ids, err := (&api{library: name, find: func(function) uintptr { return entry }}).platformIDs()
	if err != nil {
		return nil, err
	}
	return describe(ids, func(id object) *api {
		return &api{library: name, find: func(f function) uintptr {
			table := word(uintptr(id))
			if table == 0 {
				return 0
			}
			return word(table + f.slot*unsafe.Sizeof(table))
		}}
	})
}

func (a *api) platformIDs() ([]object, error) {
	ids, err := a.list(getPlatformIDs, platformNotFound)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.library, err)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("%s offers no platform", a.library)
	}
	return ids, nil
}

// describe keeps the platforms that tell their names; those that cannot even do that are errors.
func describe(ids []object, functionsOf func(object) *api) (out []platform, err error) {
	const version, name, vendor = 0x0901, 0x0902, 0x0903 // CL_PLATFORM_VERSION, CL_PLATFORM_NAME, CL_PLATFORM_VENDOR
	for _, id := range ids {
		if id == 0 {
			continue
		}
		p := platform{api: functionsOf(id), id: id}
		var first error
		text := func(param uint32) string {
			b, err := p.query(getPlatformInfo, param, id)
			first = cmp.Or(first, err)
			return str(b)
		}
		p.name, p.vendor, p.version = text(name), text(vendor), text(version)
		if first != nil {
			err = fmt.Errorf("%s: %w", p.library, first)
			continue
		}
		out = append(out, p)
	}
	if len(out) > 0 {
		err = nil
	}
	return out, err
}

// vendorDirs are where loaders look for .icd files, each loader with a variable of its own.
func vendorDirs() []string {
	for _, env := range []string{"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"} {
		if dir := os.Getenv(env); dir != "" {
			return []string{dir}
		}
	}
	return []string{"/etc/OpenCL/vendors"}
}

// icdFiles returns the libraries that the .icd files name, in the order of the files' names.
func icdFiles(dirs []string) (libraries []string, err error) {
	for _, dir := range dirs {
		files, globErr := filepath.Glob(filepath.Join(dir, "*.icd"))
		err = errors.Join(err, globErr)
		if strings.HasSuffix(dir, ".icd") {
			files = []string{dir}
		}
		for _, f := range files {
			text, readErr := os.ReadFile(f)
			err = errors.Join(err, readErr)
			if lib, _, _ := strings.Cut(string(text), "\n"); strings.TrimSpace(lib) != "" {
				libraries = append(libraries, strings.TrimSpace(lib))
			}
		}
	}
	return libraries, err
}
