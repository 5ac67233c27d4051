package slurm

import (
	"maps"
	"path/filepath"
	"testing"

	"gpuperf/internal/fleet"
	"gpuperf/internal/golden"
)

func TestArray(t *testing.T) {
	for want, tasks := range map[string][]int{"0": {0}, "0-3,7": {0, 1, 2, 3, 7}, "1,3,5-6": {1, 3, 5, 6}, "": nil} {
		if got := Array(tasks); got != want {
			t.Errorf("%v: %s", tasks, got)
		}
	}
}

func TestRead(t *testing.T) {
	tasks := fleet.Tasks{}
	read("2|PENDING|Resources\n0|RUNNING|None\nN/A|PENDING|None\n3|PENDING|BeginTime\nnothing\n", tasks)
	if want := (fleet.Tasks{0: "running", 2: "pending, Resources", 3: "pending, BeginTime"}); !maps.Equal(tasks, want) {
		t.Errorf("%v", tasks)
	}
}

// TestScript compares the batch script with testdata/array.sh. UPDATE=1 writes it.
func TestScript(t *testing.T) {
	f, err := fleet.Parse("/home/u ser/spring.yaml", []byte(`version: 1
name: spring
shards: 4
devices: 2
work: [{calibrate: general}]
slurm:
  options: {partition: gpu, gpus-per-task: 2, time: "00:30:00", exclusive: true, comment: it's mine}
  setup: [module load cuda, export A=1]
`))
	if err != nil {
		t.Fatal(err)
	}
	got := Script(f, "/opt/it's/perf")
	golden.Check(t, filepath.Join("testdata", "array.sh"), got)
}
