package survey

import (
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"gpuperf/internal/replace"
)

// keep is a folder of results, each in a file that is named by a hash of all that it follows from: the launch, the device, the options and this program.
// A nil one keeps nothing.
type keep struct{ folder, with string }

// keptLimit bounds the bytes of the results that are kept, at some kilobytes each.
const keptLimit = 256 << 20

// mostKept is how large a result can be that was kept.
const mostKept = 64 << 20

// newKeep is nil where nothing can be kept: counts decide, a file describes the device, or this program does not tell its versions apart.
func newKeep(o Options) *keep {
	version := program()
	if o.Kept == "" || version == "" || o.Each.Counted != nil || o.Each.Device.Stated() {
		return nil
	}
	replace.Prune(o.Kept, keptLimit, ".gz")
	e := o.Each
	return &keep{o.Kept, fmt.Sprintf("%s\x00%s\x00%v %g %s %v", version, e.Device.Name(), e.Regions, e.ClockMHz, e.Paths, e.Advice)}
}

// program is what the linker calls this program, which is another with every change; "" is not known.
func program() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	file, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	note := file.Section(".note.go.buildid")
	if note == nil {
		return ""
	}
	id, err := note.Data()
	if err != nil {
		return ""
	}
	return string(id)
}

// path is where the result of a launch is.
func (k *keep) path(key string) string {
	sum := sha256.Sum256([]byte(k.with + "\x00" + key))
	return filepath.Join(k.folder, hex.EncodeToString(sum[:16])+".json.gz")
}

// load is nil where nothing was kept, or what was is not whole.
func (k *keep) load(key string) *Outcome {
	if k == nil {
		return nil
	}
	path := k.path(key)
	packed, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer packed.Close()
	text, err := gzip.NewReader(packed)
	if err != nil {
		return nil
	}
	all, err := io.ReadAll(io.LimitReader(text, mostKept))
	o := &Outcome{}
	if err != nil || json.Unmarshal(all, o) != nil {
		return nil
	}
	now := time.Now()
	os.Chtimes(path, now, now) // replace.Prune drops what was not used for long
	return o
}

// save keeps a result. Where that fails it is found out again.
func (k *keep) save(key string, o *Outcome) {
	if k != nil {
		replace.File(k.path(key), func(w io.Writer) error { return json.NewEncoder(w).Encode(o) })
	}
}
