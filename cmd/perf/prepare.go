package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"gpuperf/device"
	"gpuperf/measure"
	"gpuperf/workload"
)

// leastAhead is the number of programs from which on they are built ahead, by several workers.
const leastAhead = 8

// tasks makes what is measured of cases. Everything that can be done by several processors is done here, before any time is
// taken: sources are generated, programs built, results compared with the reference. What the journal has needs none of it.
func (s *session) tasks(cases []*workload.Case) ([]measure.Task, error) {
	tasks := make([]measure.Task, len(cases))
	err := parallel(len(cases), s.options.jobs, func(i int) error {
		job, err := cases[i].Job(device.Policy{Trials: s.options.trials})
		job.Mode = s.mode
		tasks[i] = measure.Task{Job: job, Tags: cases[i].Tags}
		return err
	})
	if err != nil || s.journal == nil {
		return tasks, err
	}
	sweep := s.sweep()
	var pending []*workload.Case
	var jobs []device.Job
	for i, t := range tasks {
		if sweep.Pending(t) {
			pending, jobs = append(pending, cases[i]), append(jobs, t.Job)
		}
	}
	start := time.Now()
	if err := s.buildAhead(jobs); err != nil {
		return nil, err
	}
	s.spent.building += time.Since(start)
	start = time.Now()
	s.verify(pending)
	s.spent.verifying += time.Since(start)
	for i, c := range cases {
		if err := s.verified[c.Kernel]; err != nil {
			tasks[i].Check = func(map[string][]byte) error { return err }
		}
	}
	return tasks, nil
}

// buildAhead builds the programs of the jobs where they are many.
func (s *session) buildAhead(jobs []device.Job) error {
	if !s.ahead {
		return nil
	}
	start, built := time.Now(), 0
	ahead := measure.Ahead{
		Options: s.workers, Jobs: s.options.jobs, Least: leastAhead,
		Progress: func(done, total int) {
			if built = done; done == 1 {
				note(s.cmd, "building %d programs", total)
			}
		},
	}
	err := ahead.Run(s.cmd.Context(), s.device.Info(), jobs)
	if err != nil && s.cmd.Context().Err() == nil {
		note(s.cmd, "warning: programs are built one by one: %v", err)
		err = nil
	}
	if built > 0 {
		note(s.cmd, "built %d programs in %v", built, time.Since(start).Round(10*time.Millisecond))
	}
	return err
}

// verify compares the results of the kernels of the cases with the reference interpreter, each once, at a small size, and keeps
// what is wrong with them.
func (s *session) verify(cases []*workload.Case) {
	var todo []*workload.Case
	seen := map[*workload.Kernel]bool{}
	for _, c := range cases {
		if _, done := s.verified[c.Kernel]; c.Verify && !done && !seen[c.Kernel] {
			seen[c.Kernel] = true
			todo = append(todo, c)
		}
	}
	outcomes := make([]error, len(todo))
	dev := &oneAtATime{Device: s.device}
	parallel(len(todo), s.options.jobs, func(i int) error {
		outcomes[i] = workload.Verify(s.cmd.Context(), dev, todo[i])
		return nil
	})
	for i, c := range todo {
		if errors.Is(outcomes[i], workload.ErrUnverified) {
			note(s.cmd, "warning: %s: %v", c.Program(), outcomes[i])
			outcomes[i] = nil
		}
		s.verified[c.Kernel] = outcomes[i]
	}
}

// oneAtATime lets several share a device. They wait for each other; nothing is timed.
type oneAtATime struct {
	mu sync.Mutex
	device.Device
}

func (d *oneAtATime) Run(ctx context.Context, job device.Job) (*device.Result, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.Device.Run(ctx, job)
}

// parallel calls f for 0 to n-1, some at once, and returns the error of the lowest that has one.
func parallel(n, jobs int, f func(int) error) error {
	errs := make([]error, n)
	slots := make(chan struct{}, max(jobs, 1))
	var wg sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			errs[i] = f(i)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
