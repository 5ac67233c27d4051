package dl

import "github.com/ebitengine/purego"

// Resident reports whether a library is in memory already.
func Resident(name string) bool {
	const noload = 4 // RTLD_NOLOAD of glibc and musl
	lib, err := purego.Dlopen(name, purego.RTLD_NOW|noload)
	return err == nil && lib != 0
}
