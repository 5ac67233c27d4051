package jsonvalue_test

import (
	"encoding/json"
	"math"
	"testing"

	"gpuperf/internal/jsonvalue"
)

// TestObject: members keep their order, whatever they are, and what is not finite is null.
func TestObject(t *testing.T) {
	const text = `{"b":16,"a":"x","c":null}`
	var o jsonvalue.Object[any]
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(o); string(got) != text || err != nil {
		t.Errorf("%s is %s, %v", text, got, err)
	}
	if got, err := json.Marshal(jsonvalue.Object[float64]{{"t", 1.5}, {"n", math.NaN()}, {"i", math.Inf(1)}}); string(got) != `{"t":1.5,"n":null,"i":null}` || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	for text, want := range map[string]string{
		`[1]`:           `expected an object, as in {"name": …}`,
		`{"a":{"b":1}}`: "a: json: cannot unmarshal object into Go value of type int",
	} {
		if err := json.Unmarshal([]byte(text), new(jsonvalue.Object[int])); err == nil || err.Error() != want {
			t.Errorf("%s gave %v, want %s", text, err, want)
		}
	}
}
