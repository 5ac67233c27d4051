package warning

import (
	_ "embed"

	"gpuperf/internal/rows"
)

// Info is a kind, and whether --quiet keeps its warnings: those that say that a number is not to be trusted, or is missing.
type Info struct {
	Kind  Kind
	Stays bool
}

// The kinds of warnings. The page `warnings` of the reference says what each means and what to do.
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
	PoorFit        Kind = "poor-fit"
	SoftEdge       Kind = "soft-edge"
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
	Undefined      Kind = "undefined"
	Opaque         Kind = "opaque"
	MissingHeader  Kind = "missing-header"
	NoBinary       Kind = "no-binary"
	UnknownFacts   Kind = "unknown-facts"
	Ranker         Kind = "ranker"
	IncompleteFile Kind = "incomplete-file"
	OtherVersion   Kind = "other-version"
	SlowBuild      Kind = "slow-build"
	UnknownCode    Kind = "unknown-code"
)

//go:embed kinds.txt
var kinds string

// Kinds lists the kinds, as kinds.txt has them.
var Kinds = func() (list []Info) {
	for r := range rows.Of(kinds) {
		list = append(list, Info{Kind(r[0]), r.At(1) == "stays"})
	}
	return list
}()
