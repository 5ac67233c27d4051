package warning

// Info says what a kind of warning means, and what to do.
type Info struct {
	Kind    Kind
	Stays   bool // with --quiet: a number is not to be trusted, or is missing
	Meaning string
	Remedy  string
}

// The kinds of warnings. Kinds says what each means.
const (
	Extrapolation  Kind = "extrapolation"
	DoesNotApply   Kind = "does-not-apply"
	NoCost         Kind = "no-cost"
	AbovePeak      Kind = "above-peak"
	Undetermined   Kind = "undetermined"
	NotConverged   Kind = "not-converged"
	Negative       Kind = "negative"
	OtherDevice    Kind = "other-device"
	OtherCaches    Kind = "other-caches"
	FewRows        Kind = "few-rows"
	ZeroFeature    Kind = "zero-feature"
	AtBound        Kind = "at-bound"
	Correlated     Kind = "correlated"
	TwoSolutions   Kind = "two-solutions"
	Outlier        Kind = "outlier"
	CrossGaps      Kind = "cross-gaps"
	Noisy          Kind = "noisy"
	Timer          Kind = "timer"
	OneTrial       Kind = "one-trial"
	NotCold        Kind = "not-cold"
	Drift          Kind = "drift"
	NoSentinel     Kind = "no-sentinel"
	Unverified     Kind = "unverified"
	Changed        Kind = "changed"
	LeftOut        Kind = "left-out"
	NoMatch        Kind = "no-match"
	NotMeasured    Kind = "not-measured"
	Estimated      Kind = "estimated"
	NotCounted     Kind = "not-counted"
	UnknownFacts   Kind = "unknown-facts"
	Ranker         Kind = "ranker"
	IncompleteFile Kind = "incomplete-file"
	SlowBuild      Kind = "slow-build"
)

// Kinds says what each kind means: first those of predictions, then of fits, of measurements, of counts, and of files.
var Kinds = []Info{
	{
		Extrapolation, true,
		"a feature of the kernel, or a size, lies outside the range of the kernels that the model was fitted to",
		"calibrate with sizes on both sides of yours: `perf calibrate --for KERNEL -p n=SMALL,LARGE`, or `--tag n:...` for a model file",
	},
	{
		DoesNotApply, true,
		"the model has no cost for a main part of the kernel's work: the time predicted is only a lower bound",
		"take another model of the profile (`--model auto`), or make one for the kernel: `perf calibrate --for KERNEL`",
	},
	{
		NoCost, false,
		"the model has no cost for a minor part of the kernel's work, which then counts as free",
		"none is needed where that part is small; `perf explain` shows how much it is; `perf calibrate --for KERNEL` prices it if it can",
	},
	{
		AbovePeak, true,
		"the model is faster than the device can be; a prediction is raised to the least time that the device needs",
		"the work may be served by a cache, or a cost was fitted too low: look at `perf explain`, and calibrate with larger sizes",
	},
	{
		Undetermined, true,
		"the measurements determine a parameter only together with others, hardly, or not at all",
		"add measurement kernels that differ in the work that the parameter prices, or remove the term from the model",
	},
	{
		NotConverged, true,
		"the fit ended before it found a minimum: its parameters, and predictions with them, are arbitrary",
		"give start values and bounds in the model file, remove terms, or measure more kernels; `perf fit --verbose` shows the steps",
	},
	{
		Negative, true,
		"the model predicts a negative time",
		"bound its parameters by `min: 0`, and calibrate again",
	},
	{
		OtherDevice, true,
		"the profile is for another device than the one that was measured on",
		"choose the device's own profile (leave out --profile), or calibrate on this device",
	},
	{
		OtherCaches, true,
		"the model was calibrated with warm caches and compared with times of cold ones, or the other way round",
		"give the same --cache to both commands",
	},
	{
		FewRows, true,
		"there are hardly more measurements than parameters, so that nothing tells a good fit from a bad one",
		"measure more kernels or sizes: add values to the tags of the model file",
	},
	{
		ZeroFeature, false,
		"no measured kernel has any of the work that a term of the model prices",
		"add a measurement kernel that has it, or remove the term",
	},
	{
		AtBound, false,
		"the fit stopped at a bound that the model file sets for the parameter; at 0 its work is hidden, or costs nothing measurable",
		"none is needed at 0 where other work hides it; elsewhere widen the bound, and see whether the value is plausible",
	},
	{
		Correlated, false,
		"the measurements hardly tell two parameters apart: each may be wrong, while their sum is right",
		"do not read the single values as rates; add measurement kernels in which the two kinds of work differ",
	},
	{
		TwoSolutions, true,
		"quite different parameters fit the measurements as well",
		"add measurement kernels, or bound the parameters to what is plausible",
	},
	{
		Outlier, false,
		"one measurement is far from the fit, compared with the others",
		"measure it again (`--remeasure` with its tags); if it stays, the model misses something that this kernel does",
	},
	{
		CrossGaps, false,
		"some kernels could not be held out to judge the fit, as no other kernel determines their parameters",
		"add a second kernel for each such parameter, if the error on held-out kernels matters to you",
	},
	{
		Noisy, true,
		"the times of a kernel differ much from trial to trial, or did not become steady",
		"stop other work on the device, fix its clocks, measure larger sizes, then `--remeasure 5%`",
	},
	{
		Timer, true,
		"the time is too short for the device's timer, or its timer disagrees with that of the host",
		"measure larger sizes, for example with `--time-range 100us..1s`",
	},
	{
		OneTrial, false,
		"the kernel is so slow that it was run once, without warming up",
		"none is needed where only the order of kernels matters; else raise --limit, or take a smaller size",
	},
	{
		NotCold, true,
		"the device's memory did not suffice to flush its caches between trials",
		"free memory of the device, or measure with `--cache warm`",
	},
	{
		Drift, true,
		"a small kernel that runs between the others, the sentinel, takes another time than before: clocks or other work have changed",
		"stop other work, let the device cool, fix its clocks, and measure again: `--remeasure all`",
	},
	{
		NoSentinel, false,
		"the sentinel kernel cannot run on this device, so that a change of its speed would not be noticed",
		"repeat a measurement at the end, and compare",
	},
	{
		Unverified, false,
		"the results of a kernel were not compared with those of the reference interpreter, so that it may compute something wrong",
		"give a size at which it can be interpreted in reasonable time, or the meaning of its functions beside their OpenCL C",
	},
	{
		Changed, true,
		"a recorded time is of another source or launch of the kernel than the present one",
		"measure again on the device, or take the kernel as it was when it was recorded",
	},
	{
		LeftOut, true,
		"a kernel, a size or a point is missing from the result, mostly because it failed or was refused",
		"the warning ends with the reason; statuses are explained in docs/troubleshooting.md; `--retry` runs failed kernels again",
	},
	{
		NoMatch, true,
		"a tag or a choice that you gave matches nothing",
		"compare it with the names that the warning, or `perf show KERNEL`, lists",
	},
	{
		NotMeasured, false,
		"an optional measurement was left out, because it cannot be made from this kernel",
		"none: what depends on it is not printed, or the model does without",
	},
	{
		Estimated, false,
		"a count is estimated: it depends on data, or was taken from a sample of the work-items",
		"give typical data or averages in the kernel where that is possible, and allow for a larger error",
	},
	{
		NotCounted, true,
		"part of the kernel cannot be counted, so that features that need it fail",
		"the warning ends with the reason, mostly a bound or an index that is not affine; rewrite it, or leave those features out",
	},
	{
		UnknownFacts, false,
		"facts of the device, such as the size of its caches, are not known, so that what needs them is left out",
		"add them to device/facts/facts.yaml with their source; `perf card` shows what is known",
	},
	{
		Ranker, false,
		"variants were ordered by another ranker than the usual one, or not by a ranker at all",
		"let it run more points, or train it with samples of other programs",
	},
	{
		IncompleteFile, false,
		"the last line of a samples file was cut off, because a run was killed while writing it",
		"none: the line is dropped, and what it held is measured again",
	},
	{
		SlowBuild, false,
		"programs could not be built in parallel, and are built one at a time",
		"none: only the start takes longer",
	},
}
