package compile

import (
	"context"
	"fmt"
	"os"
	"testing"
)

func TestShow(t *testing.T) {
	if os.Getenv("SHOW") == "" {
		t.Skip()
	}
	text, _ := os.ReadFile(os.Getenv("SHOW"))
	p, err := Kernel(context.Background(), string(text), os.Getenv("KERNEL"), nil, false, Options{Architecture: "sm_90"})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(p.Function.Registers)
	fmt.Println(p.Listing)
}
