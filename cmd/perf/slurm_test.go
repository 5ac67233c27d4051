package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestSlurm runs the sessions of testdata/slurm on a cluster of Slurm: a controller and two nodes on this machine. scripts/packages.sh installs it.
func TestSlurm(t *testing.T) {
	for _, program := range []string{"munged", "slurmctld", "slurmd", "sbatch"} {
		if !slices.ContainsFunc([]string{"", "/usr/sbin/", "/sbin/"}, func(dir string) bool { _, err := exec.LookPath(dir + program); return err == nil }) {
			t.Skipf("there is no %s: scripts/packages.sh installs Slurm", program)
		}
	}
	conf, err := startCluster(t)
	if err != nil {
		t.Skipf("no cluster of Slurm can be started here: %v", err)
	}
	p := scripts(t, "testdata/slurm")
	t.Cleanup(func() { // before the daemons end, with which what runs would be left alone
		cmd := exec.Command("scancel", "--full", "--signal=KILL", "--partition=main")
		cmd.Env = append(os.Environ(), "SLURM_CONF="+conf)
		cmd.Run()
	})
	setup := p.Setup
	p.Setup = func(env *testscript.Env) error {
		env.Setenv("SLURM_CONF", conf)
		return setup(env)
	}
	p.Cmds["until"] = until
	testscript.Run(t, p)
}

// clusterConf is that of a cluster with two nodes of one processor each.
const clusterConf = `ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=%[3]d
AuthType=auth/munge
AuthInfo=socket=%[1]s/munge.sock
CredType=cred/munge
SlurmUser=%[2]s
SlurmdUser=%[2]s
StateSaveLocation=%[1]s/state
SlurmdSpoolDir=%[1]s/spool-%%n
SlurmctldPidFile=%[1]s/slurmctld.pid
SlurmdPidFile=%[1]s/slurmd-%%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
KillWait=2
NodeName=gpu01 NodeHostname=localhost NodeAddr=127.0.0.1 Port=%[4]d CPUs=1
NodeName=gpu02 NodeHostname=localhost NodeAddr=127.0.0.1 Port=%[5]d CPUs=1
PartitionName=main Nodes=gpu01,gpu02 Default=YES State=UP
`

// startCluster starts the daemons of a cluster, and returns the path of its configuration. They end with the test.
func startCluster(t *testing.T) (conf string, err error) {
	dir, err := os.MkdirTemp("", "slurm") // short: the path of a socket has at most 107 bytes
	if err != nil {
		return "", err
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	me, err := user.Current()
	if err != nil {
		return "", err
	}
	ports, err := freePorts()
	if err != nil {
		return "", err
	}
	conf = filepath.Join(dir, "slurm.conf")
	text := fmt.Sprintf(clusterConf, dir, me.Username, ports[0], ports[1], ports[2])
	key := bytes.Repeat([]byte("key of a test. "), 80)
	if err := errors.Join(os.Chmod(dir, 0o755), os.Mkdir(dir+"/state", 0o700), os.WriteFile(conf, []byte(text), 0o644), os.WriteFile(dir+"/key", key, 0o400)); err != nil {
		return "", err
	}
	for _, command := range []string{
		"munged --foreground --force --num-threads=2 --socket=D/munge.sock --key-file=D/key --pid-file=D/munge.pid --log-file=D/munge.log --seed-file=D/seed",
		"slurmctld -D", "slurmd -D -N gpu01", "slurmd -D -N gpu02",
	} {
		if err := daemon(t, dir, conf, strings.Fields(strings.ReplaceAll(command, "D/", dir+"/"))); err != nil {
			return "", err
		}
	}
	for limit := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		cmd := exec.Command("sinfo", "--noheader", "--Node", "--format=%T")
		cmd.Env = append(os.Environ(), "SLURM_CONF="+conf)
		out, _ := cmd.CombinedOutput()
		if string(out) == "idle\nidle\n" {
			return conf, nil
		}
		if time.Now().After(limit) {
			logs, _ := os.ReadFile(filepath.Join(dir, "log"))
			return "", fmt.Errorf("sinfo says %q\n%s", out, logs)
		}
	}
}

// freePorts are ports that nobody has.
func freePorts() (ports [3]int, err error) {
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return ports, err
		}
		defer l.Close()
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports, nil
}

// daemon starts a program of the cluster.
func daemon(t *testing.T, dir, conf string, command []string) error {
	log, err := os.OpenFile(filepath.Join(dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	path, err := exec.LookPath(command[0])
	if err != nil {
		path = "/usr/sbin/" + command[0]
	}
	cmd := exec.Command(path, command[1:]...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), "SLURM_CONF="+conf)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		late := time.AfterFunc(5*time.Second, func() { cmd.Process.Kill() })
		defer late.Stop()
		cmd.Wait()
	})
	return nil
}

// until runs a command again and again until its output matches: until 'done' perf fleet status c.yaml
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until PATTERN COMMAND...")
	}
	want, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	for limit := time.Now().Add(4 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		cmd := exec.Command(filepath.Join(strings.Split(ts.Getenv("PATH"), string(filepath.ListSeparator))[0], args[1]), args[2:]...)
		cmd.Dir, cmd.Env = ts.Getenv("WORK"), append(os.Environ(), "SLURM_CONF="+ts.Getenv("SLURM_CONF"))
		out, err := cmd.CombinedOutput()
		if err == nil && want.Match(out) {
			return
		}
		if time.Now().After(limit) {
			ts.Fatalf("%q has not come:\n%s", args[0], out)
		}
	}
}
