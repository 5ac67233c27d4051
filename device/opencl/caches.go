package opencl

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"gpuperf/internal/lists"
	"gpuperf/samples"
)

// cacheFolder is where Linux lists the caches of the first processor (Documentation/ABI/testing/sysfs-devices-system-cpu).
const cacheFolder = "sys/devices/system/cpu/cpu0/cache"

// listCaches are the caches of data that the operating system lists below root, innermost first; none where it lists none.
func listCaches(root fs.FS) []samples.Cache {
	folders, _ := fs.Glob(root, path.Join(cacheFolder, "index*"))
	type level struct {
		number int64
		samples.Cache
	}
	var levels []level
	for _, folder := range folders {
		read := func(name string) string {
			text, _ := fs.ReadFile(root, path.Join(folder, name))
			return strings.TrimSpace(string(text))
		}
		number := func(name string) int64 {
			n, _ := strconv.ParseInt(read(name), 10, 64)
			return n
		}
		one := level{number("level"), samples.Cache{Bytes: kibibytes(read("size")), LineBytes: number("coherency_line_size"), Units: listed(read("shared_cpu_list"))}}
		if read("type") != "Instruction" && one.number > 0 && one.Bytes > 0 && one.LineBytes > 0 && one.Units > 0 {
			levels = append(levels, one)
		}
	}
	slices.SortFunc(levels, func(a, b level) int { return cmp.Compare(a.number, b.number) })
	return lists.Map(levels, func(l level) samples.Cache { return l.Cache })
}

// kibibytes reads a size such as 48K as bytes, 0 where it is none.
func kibibytes(text string) int64 {
	digits, found := strings.CutSuffix(text, "K")
	n, err := strconv.ParseInt(digits, 10, 64)
	if !found || err != nil {
		return 0
	}
	return n << 10
}

// listed is how many numbers a list such as 0-3,8 has, 0 where it is none.
func listed(text string) (n int64) {
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		from, err := strconv.ParseInt(first, 10, 64)
		to := from
		if err == nil && isRange {
			to, err = strconv.ParseInt(last, 10, 64)
		}
		if err != nil || to < from {
			return 0
		}
		n += to - from + 1
	}
	return n
}
