package samples

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"gpuperf/internal/filelock"
	"gpuperf/internal/source"
)

// syncEvery is how long a finished record may wait until it is forced to the disk. A killed process loses none of them, as
// the system has them; only a machine that loses its power does. Forcing each costs more than a small kernel's trials.
const syncEvery = time.Second

// Journal is a samples file open for appending. It is not safe for concurrent use; a second process that opens the
// same file is refused.
type Journal struct {
	*Set
	torn   bool      // an incomplete line follows the records
	synced time.Time // when the file was last forced to the disk
	err    error     // a write failed: what the file holds is unknown
}

// Open opens the journal at path, or makes an empty one. What it holds must be readable by [Load]; a last line that
// was cut off is one of its Warnings, and removed by the next Append. A file that another process has open is refused.
func Open(path string) (*Journal, error) { return OpenInTurn(context.Background(), path, nil) }

// OpenInTurn is Open, but waits for another process that has the file open until ctx ends; waiting is told once who that is. Nil refuses as Open does.
func OpenInTurn(ctx context.Context, path string, waiting func(holder string)) (*Journal, error) {
	f, err := inTurn(ctx, path, os.O_CREATE, waiting)
	if err != nil {
		return nil, err
	}
	j := &Journal{Set: &Set{Path: path, text: f, file: f}}
	if err := j.open(); err != nil {
		f.Close()
		return nil, err
	}
	return j, nil
}

// inTurn opens the file at path to be written, once no other process has it open as OpenInTurn does. No other has it until it is closed.
func inTurn(ctx context.Context, path string, flag int, waiting func(holder string)) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|flag, 0o644)
		if err != nil {
			return nil, source.Unreadable(path, err)
		}
		if filelock.Held(filelock.Try(f)) { // with another error there are no locks
			if waiting == nil {
				err = fmt.Errorf("opening samples: %s is being written: %s", path, filelock.Holder(f))
				return nil, errors.Join(err, f.Close())
			}
			waiting(filelock.Holder(f))
			if err := filelock.Wait(ctx, f); err != nil {
				return nil, err
			}
		}
		if isAt(f, path) {
			return f, nil
		}
		f.Close() // it was rewritten meanwhile
	}
}

func (j *Journal) open() error {
	if isGzip(j.file) {
		return fmt.Errorf("opening samples: %s is compressed and can only be read; unpack it with gunzip to add to it", j.Path)
	}
	info, err := j.file.Stat()
	if err == nil {
		err = j.load(info.Size())
	}
	if err != nil {
		return err
	}
	j.torn = j.size < info.Size()
	// A last record without its newline is whole; one more newline makes the file regular before the next record.
	last := []byte("\n")
	if j.size > 0 {
		if _, err := j.file.ReadAt(last, j.size-1); err != nil {
			return fmt.Errorf("reading samples: %w", err)
		}
	}
	if last[0] != '\n' {
		return j.write(&line{text: []byte("\n")})
	}
	return nil
}

// Append writes the record as one line and returns once the system has it, which forces it to the disk once a second and at
// Close. It refuses a record that fails [Record.Check] and one of another device than the journal's, and then the file is as before.
func (j *Journal) Append(r Record) error {
	if err := r.Check(); err != nil {
		return fmt.Errorf("sample %s: %w", r.Kernel, err)
	}
	if err := j.admits(r); err != nil {
		return fmt.Errorf("%s: %w: keep one file for each device, and for each program that measured", j.Path, err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("sample %s: %w", r.Kernel, err)
	}
	if len(text) >= maxLine {
		return fmt.Errorf("sample %s: it has more than %d MB, the limit of a sample", r.Kernel, maxLine>>20)
	}
	if err := j.write(&line{text: append(text, '\n'), record: &r, entry: entryOf(&r)}); err != nil {
		return err
	}
	j.first = cmp.Or(j.first, &r)
	j.save()
	return nil
}

func (j *Journal) write(l *line) error {
	if j.err != nil {
		return j.err
	}
	var err error
	if j.torn {
		err = j.file.Truncate(j.size)
	}
	if err == nil {
		_, err = j.file.WriteAt(l.text, j.size)
	}
	if err == nil && time.Since(j.synced) >= syncEvery {
		j.synced = time.Now()
		err = j.file.Sync()
	}
	if err != nil {
		j.err = fmt.Errorf("writing samples: %w", err)
		return j.err
	}
	j.torn = false
	j.add(l)
	return nil
}

// Add appends records to the journal at a path.
func Add(path string, records []Record) error {
	j, err := Open(path)
	if err != nil {
		return err
	}
	for _, r := range records {
		if err := j.Append(r); err != nil {
			return errors.Join(err, j.Close())
		}
	}
	return j.Close()
}

// Beside is the path of a file with more about the samples of a file: samples.vectors.jsonl beside samples.jsonl, packed as that is.
func Beside(path, what string) string {
	base, packed := strings.CutSuffix(path, ".gz")
	path = strings.TrimSuffix(base, ".jsonl") + "." + what + ".jsonl"
	if packed {
		path += ".gz"
	}
	return path
}

// Close closes the file.
func (j *Journal) Close() error { return errors.Join(j.file.Sync(), j.file.Close()) }
