package sass_test

import (
	"fmt"
	"log"

	"gpuperf/sass"
)

// A kernel as nvdisasm lists it: what each instruction defines and uses, and what the code says at a glance.
func Example() {
	listing, err := sass.Parse(`
	.headerflags	@"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
	.section	.text.twice,"ax",@progbits
        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/                   ULDC.64 UR4, c[0x0][0x208] ;
        /*0020*/                   LDC.64 R2, c[0x0][0x210] ;
        /*0030*/                   IMAD.WIDE R2, R0, 0x4, R2 ;
        /*0040*/                   LDG.E R4, desc[UR4][R2.64] ;
        /*0050*/                   FADD R5, R4, R4 ;
        /*0060*/                   STG.E desc[UR4][R2.64], R5 ;
        /*0070*/                   EXIT ;
`)
	if err != nil {
		log.Fatal(err)
	}
	f := listing.Functions[0]
	facts := f.Facts()
	fmt.Printf("%s: %d instructions, registers up to R%d, %d loops\n", f.Name, facts.Instructions, facts.Named-1, len(facts.Loops))
	for _, a := range facts.Accesses {
		fmt.Printf("%+v\n", a)
	}
	fadd := f.Instructions[5]
	fmt.Println(fadd.Text, "defines", fadd.Defines(), "and uses", fadd.Uses())
	// Output:
	// twice: 8 instructions, registers up to R5, 0 loops
	// {Space:constant Action:load Bytes:8 Instructions:2}
	// {Space:global Action:load Bytes:4 Instructions:1}
	// {Space:global Action:store Bytes:4 Instructions:1}
	// FADD R5, R4, R4 defines [R5] and uses [R4]
}
