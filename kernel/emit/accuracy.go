package emit

// Accuracy is how exact division and square roots of float32 are where a source is compiled: what the language of a program promises, which may be
// another one than that of the source.
type Accuracy string

// The accuracies.
const (
	// Usual is what compilers of the source's language do where nothing is said: OpenCL C's is AsOpenCL, CUDA C's is Exact.
	Usual Accuracy = ""
	// AsOpenCL is what OpenCL C promises (The OpenCL C Specification, "Relative Error as ULPs"): a quotient is within 2.5 units in the last place of
	// the exact one, a square root within 3. CUDA's cheap ones are within 2 and 1, before compute capability 5.2 within 3
	// (CUDA C++ Programming Guide, "Single-Precision Floating-Point Functions").
	AsOpenCL Accuracy = "opencl"
	// Exact is rounded correctly, as IEEE 754 has it.
	Exact Accuracy = "exact"
)

// Options are what a compiler of a language is told for the accuracy; "" where it has that by itself.
func (a Accuracy) Options(l Language) string { return dialects[l].accuracy[a] }
