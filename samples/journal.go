package samples

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// syncEvery is how long a finished record may wait until it is forced to the disk. A killed process loses none of them, as
// the system has them; only a machine that loses its power does. Forcing each costs more than a small kernel's trials.
const syncEvery = time.Second

// Journal is a samples file open for appending. It is not safe for concurrent use; a second process that opens the
// same file is refused.
type Journal struct {
	*Set             // the records, in the order of the file
	Path     string  // the name of the file
	Warnings []error // what was odd about the file when it was opened
	file     *os.File
	whole    int64     // bytes of whole lines
	torn     bool      // an incomplete line follows them
	synced   time.Time // when the file was last forced to the disk
	err      error     // a write failed: what the file holds is unknown
}

// Open opens the journal at path, or makes an empty one. What it holds must be readable by [ReadFile]; a last line that
// was cut off is one of its Warnings, and removed by the next Append.
func Open(path string) (*Journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening samples: %w", err)
	}
	j := &Journal{Path: path, file: f}
	if err := j.load(); err != nil {
		f.Close()
		return nil, err
	}
	return j, nil
}

func (j *Journal) load() error {
	if err := lock(j.file); err != nil {
		return fmt.Errorf("opening samples: %s is being written by another process: %w", j.Path, err)
	}
	data, err := io.ReadAll(j.file)
	if err != nil {
		return fmt.Errorf("reading samples: %w", err)
	}
	if isGzip(data) {
		return fmt.Errorf("opening samples: %s is compressed and can only be read; unpack it with gunzip to add to it", j.Path)
	}
	records, warnings, whole, err := parse(j.Path, data)
	if err != nil {
		return err
	}
	j.Warnings, j.whole, j.torn = warnings, whole, whole < int64(len(data))
	j.Set = NewSet(records)
	// A last record without its newline is whole; one more newline makes the file regular before the next record.
	if whole > 0 && data[whole-1] != '\n' {
		if err := j.write([]byte("\n")); err != nil {
			return err
		}
	}
	return nil
}

// Append writes the record as one line and returns once the system has it, which forces it to the disk once a second and at
// Close. It refuses a record that fails
// [Record.Check] and one of another device than the journal's, and then the file is as before.
func (j *Journal) Append(r Record) error {
	if err := r.Check(); err != nil {
		return fmt.Errorf("sample %s: %w", r.Kernel, err)
	}
	if dev, ok := j.Device(); ok && !dev.Same(r.Device) {
		return fmt.Errorf("%s holds samples of %v; a sample of %v does not belong there: keep one file for each device",
			j.Path, dev, r.Device)
	}
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("sample %s: %w", r.Kernel, err)
	}
	if err := j.write(append(line, '\n')); err != nil {
		return err
	}
	j.add(r)
	return nil
}

func (j *Journal) write(line []byte) error {
	if j.err != nil {
		return j.err
	}
	var err error
	if j.torn {
		err = j.file.Truncate(j.whole)
	}
	if err == nil {
		_, err = j.file.WriteAt(line, j.whole)
	}
	if err == nil && time.Since(j.synced) >= syncEvery {
		j.synced = time.Now()
		err = j.file.Sync()
	}
	if err != nil {
		j.err = fmt.Errorf("writing samples: %w", err)
		return j.err
	}
	j.whole, j.torn = j.whole+int64(len(line)), false
	return nil
}

// Close closes the file.
func (j *Journal) Close() error { return errors.Join(j.file.Sync(), j.file.Close()) }
