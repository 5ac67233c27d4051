package cuda

import (
	"bytes"
	"debug/elf"
	"regexp"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"gpuperf/internal/lists"
)

// declared finds the names of kernels and variables in PTX.
var declared = regexp.MustCompile(`\.(?:entry|global|const)\s+(?:\.\w+\s+(?:\d+\s+)?)*([\w$]+)`)

// names lists the kernels and variables of an image, as they are called in it: of machine code and PTX. Of a fat binary it lists none.
func names(image []byte) (list []string) {
	file, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		for _, m := range declared.FindAllSubmatch(image, -1) {
			list = append(list, string(m[1]))
		}
		return list
	}
	symbols, _ := file.Symbols()
	for _, s := range symbols {
		if t := elf.ST_TYPE(s.Info); (t == elf.STT_FUNC || t == elf.STT_OBJECT) && s.Section != elf.SHN_UNDEF {
			list = append(list, s.Name)
		}
	}
	return list
}

// symbol is what something is called in an image, by its name in CUDA C: as it stands there, without the parameters, or with them. It is
// the name itself where there is nothing else of that name, or more than one thing.
func symbol(image []byte, name string) string {
	all := names(image)
	if slices.Contains(all, name) {
		return name
	}
	found := slices.DeleteFunc(all, func(s string) bool { return !called(s, name) })
	if len(found) == 1 {
		return found[0]
	}
	return name
}

// called reports whether a symbol stands for a name in CUDA C.
func called(symbol, name string) bool {
	for _, options := range [][]demangle.Option{{demangle.NoParams}, nil} {
		if plain(demangle.Filter(symbol, options...)) == plain(name) {
			return true
		}
	}
	return false
}

// plain is a name without blanks, and without the result that begins the full name of an instance of a template.
func plain(name string) string { return strings.ReplaceAll(strings.TrimPrefix(name, "void "), " ", "") }

// readable lists the names of an image for a message.
func readable(image []byte) string {
	list := lists.Map(names(image), func(s string) string { return demangle.Filter(s, demangle.NoParams) })
	slices.Sort(list)
	return strings.Join(slices.Compact(list), ", ")
}
