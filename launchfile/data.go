package launchfile

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"gpuperf/device"
	"gpuperf/internal/source"
	"gpuperf/internal/yamlfile"
)

// data is a file with the elements of a buffer.
type data struct {
	dtype string // "" where the file does not say
	bytes int64
	file  device.File
}

const npySuffix = ".npy"

// data opens the file that a node names.
func (f *File) data(n *yamlfile.Node) (data, error) {
	path := f.near(n.Text)
	if d, ok := f.opened[path]; ok {
		return d, nil
	}
	d, err := openData(path)
	var failed *npyError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return d, n.Errorf("there is no file %s", path)
	case errors.As(err, &failed):
		return d, n.Errorf("%s: %v", path, err)
	case err != nil:
		return d, err
	}
	f.opened[path] = d
	return d, nil
}

func openData(path string) (d data, err error) {
	in, err := source.Open(path)
	if err != nil {
		return d, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return d, err
	}
	d.bytes = info.Size()
	if d.file.Path, err = filepath.Abs(path); err != nil {
		return d, err
	}
	if strings.HasSuffix(path, npySuffix) {
		if err := d.header(in); err != nil {
			return d, err
		}
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return d, err
	}
	h := sha256.New()
	if _, err := io.Copy(h, in); err != nil {
		return d, err
	}
	d.file.Hash = hex.EncodeToString(h.Sum(nil))
	return d, nil
}

// npyError is what is wrong with a file in NumPy's format.
type npyError struct{ msg string }

func (e *npyError) Error() string { return e.msg }

func npyf(format string, args ...any) error { return &npyError{fmt.Sprintf(format, args...)} }

var (
	npyMagic = "\x93NUMPY"
	npyType  = regexp.MustCompile(`'descr':\s*'([<>|=]?)([a-z])(\d+)'`)
	npyOrder = regexp.MustCompile(`'fortran_order':\s*True`)
	npyShape = regexp.MustCompile(`'shape':\s*\(([0-9, ]*)\)`)
)

// npyKinds are the letters of types.
var npyKinds = map[string]string{"f": "float", "i": "int", "u": "uint", "b": "uint"}

// header reads the header of a file of NumPy (numpy.lib.format, versions 1 to 3).
func (d *data) header(file *os.File) error {
	in := bufio.NewReader(file)
	start := make([]byte, len(npyMagic)+2)
	if _, err := io.ReadFull(in, start); err != nil || string(start[:len(npyMagic)]) != npyMagic {
		return npyf("it is not in the format of NumPy")
	}
	length, word := int64(0), make([]byte, 4)
	if start[len(npyMagic)] == 1 {
		word = word[:2]
	}
	if _, err := io.ReadFull(in, word); err != nil {
		return npyf("its header is not complete")
	}
	length = int64(binary.LittleEndian.Uint32(append(word, 0, 0)))
	const limit = 1 << 20
	text := make([]byte, min(length, limit))
	if _, err := io.ReadFull(in, text); err != nil || length > limit {
		return npyf("its header is not complete")
	}
	d.file.Offset = int64(len(start)+len(word)) + length
	d.bytes -= d.file.Offset
	return d.elements(string(text))
}

// elements reads from the header what the elements are, and checks that they are there.
func (d *data) elements(header string) error {
	m, shape := npyType.FindStringSubmatch(header), npyShape.FindStringSubmatch(header)
	if m == nil || shape == nil {
		return npyf("its elements are not plain numbers")
	}
	bytes, err := strconv.ParseInt(m[3], 10, 64)
	if err != nil || bytes > 8 || npyKinds[m[2]] == "" {
		return npyf("elements of type %s%s are not supported", m[2], m[3])
	}
	d.dtype = npyKinds[m[2]] + strconv.FormatInt(8*bytes, 10)
	count := int64(1)
	for _, part := range strings.FieldsFunc(shape[1], func(c rune) bool { return c == ',' || c == ' ' }) {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil || n != 0 && count > math.MaxInt64/8/n {
			return npyf("its shape is too large")
		}
		count *= n
	}
	switch {
	case device.DTypeSize(d.dtype) == 0:
		return npyf("elements of type %s%s are not supported", m[2], m[3])
	case m[1] == ">":
		return npyf("its elements are big-endian")
	case npyOrder.MatchString(header):
		return npyf("its elements are in the order of Fortran; save it by numpy.ascontiguousarray")
	case d.bytes != count*bytes:
		return npyf("it has %d bytes of elements, and its shape stands for %d", d.bytes, count*bytes)
	}
	return nil
}
