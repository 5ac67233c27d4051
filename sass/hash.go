package sass

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Hash tells functions apart: by their instructions with their encodings and lines, and by what the listing or the cubin says beside them.
func (f *Function) Hash() string {
	h := sha256.New()
	for i := range f.Instructions {
		in := &f.Instructions[i]
		fmt.Fprintf(h, "%x %v %s %s:%d\n", in.Address, in.Guard, in.Text, in.Source.File, in.Source.Line)
		if in.Code != nil {
			fmt.Fprintf(h, "%x %x\n", in.Code.Low, in.Code.High)
		}
	}
	facts, _ := json.Marshal([]any{f.Name, f.Target, f.Registers, f.Parameters, f.Constants, f.Addresses, f.Held, f.Variables})
	h.Write(facts)
	return hex.EncodeToString(h.Sum(nil))
}
