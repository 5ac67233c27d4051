// Package jsonvalue has values that encoding/json has no form for: numbers that are not finite, and objects whose members are in an order.
package jsonvalue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// Finite is a number as JSON has it: nil, which is written null, for an infinity or NaN.
func Finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// Member is a member of an object.
type Member[T any] struct {
	Name  string
	Value T
}

// Object is an object with its members in order.
type Object[T any] []Member[T]

// MarshalJSON writes the members in order; numbers that are not finite are null. Whether < and > are escaped is for the encoder around it to say.
func (o Object[T]) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	out.WriteByte('{')
	for i, m := range o {
		value := any(m.Value)
		if v, ok := value.(float64); ok {
			value = Finite(v)
		}
		if i > 0 {
			out.WriteByte(',')
		}
		encoder.Encode(m.Name)
		out.WriteByte(':')
		if err := encoder.Encode(value); err != nil {
			return nil, err
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// UnmarshalJSON reads the members in order; numbers of no known type are of type json.Number. The error of a value names its member.
func (o *Object[T]) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.New("expected an object, as in {\"name\": …}")
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		m := Member[T]{Name: name.(string)}
		if err := d.Decode(&m.Value); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		*o = append(*o, m)
	}
	return nil
}
