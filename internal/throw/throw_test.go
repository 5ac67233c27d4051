package throw_test

import (
	"errors"
	"strconv"
	"testing"

	"gpuperf/internal/throw"
)

var errDeep = errors.New("deep")

func deep(n int) int {
	switch {
	case n == 0:
		panic(throw.Of(errDeep))
	case n < 0:
		panic("a fault")
	case n == 7:
		panic(throw.Errorf("at %d: %w", n, errDeep))
	case n > 9:
		return throw.Get(strconv.Atoi("12"))
	}
	return deep(n - 1)
}

func asked(n int) (v int, err error) {
	defer throw.Catch(&err)
	return deep(n), nil
}

func TestCatch(t *testing.T) {
	if v, err := asked(3); v != 0 || err != errDeep {
		t.Errorf("%d, %v, want 0, %v", v, err, errDeep)
	}
	if _, err := asked(8); !errors.Is(err, errDeep) || err.Error() != "at 7: deep" {
		t.Errorf("%v", err)
	}
	if v, err := asked(10); v != 12 || err != nil {
		t.Errorf("%d, %v, want 12", v, err)
	}
	if v, err := throw.Value(func() int { return deep(2) }); v != 0 || err != errDeep {
		t.Errorf("%d, %v, want 0, %v", v, err, errDeep)
	}
	if err := throw.Try(func() { throw.If(nil) }); err != nil {
		t.Error(err)
	}
	if err := throw.Try(func() { throw.Get2(1, 2, errDeep) }); err != errDeep {
		t.Error(err)
	}
}

// TestFaults: a panic that is no error passes.
func TestFaults(t *testing.T) {
	defer func() {
		if r := recover(); r != "a fault" {
			t.Errorf("recovered %v", r)
		}
	}()
	_, _ = asked(-1)
}
