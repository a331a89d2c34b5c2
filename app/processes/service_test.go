//go:build linux

package processes

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/app/feature"
	"parley/backend/claude"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/platform/process"
)

// processRig is a ledger with fake sessions.
type processRig struct {
	*Service
	sessions  []event.Session
	suspended []string
	works     string // the session that refuses to be suspended
	log       strings.Builder
}

func newProcessRig(t *testing.T, folder string) *processRig {
	t.Helper()
	r := &processRig{}
	r.Service = New(Config{
		Data:     folder,
		Sessions: func() []event.Session { return r.sessions },
		Suspend: func(_ context.Context, id string) error {
			if r.works == id {
				return errors.New("it works")
			}
			r.suspended = append(r.suspended, id)
			return nil
		},
		Relieve: func(context.Context) {},
		Log:     slog.New(slog.NewTextHandler(&r.log, nil)),
	})
	if r.ledger == nil {
		t.Fatal(r.log.String())
	}
	return r
}

// sleeper is a process with an owner's marks; gone is closed when it ends.
func sleeper(t *testing.T, owner process.ID, session string) (pid int, gone chan struct{}) {
	t.Helper()
	cmd := exec.Command("sleep", "300")
	if owner.PID > 0 {
		cmd.Env = []string{
			fmt.Sprintf("%s=%d", claude.MarkOwner, owner.PID), fmt.Sprintf("%s=%d", claude.MarkStarted, owner.Start),
			claude.MarkSession + "=" + session,
		}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	becomes(t, cmd)
	gone = make(chan struct{})
	go func() {
		defer close(gone)
		_ = cmd.Wait() // how it ended does not matter
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-gone
	})
	return cmd.Process.Pid, gone
}

// becomes waits until a started process executes the program: before that it looks like this one,
// or like none.
func becomes(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/", cmd.Process.Pid)
	for end := time.Now().Add(10 * time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		args, err := os.ReadFile(dir + "cmdline")
		env, other := os.ReadFile(dir + "environ")
		if err == nil && other == nil && len(env) > 0 && string(args) == strings.Join(cmd.Args, "\x00")+"\x00" {
			return
		}
	}
	t.Fatalf("%v does not begin", cmd.Args)
}

func ended(gone chan struct{}) bool {
	select {
	case <-gone:
		return true
	case <-time.After(10 * time.Minute):
		return false
	}
}

func TestProcesses(t *testing.T) {
	r := newProcessRig(t, t.TempDir())
	root, rootGone := sleeper(t, r.self, "s1")
	busy, busyGone := sleeper(t, r.self, "s2")
	tool, toolGone := sleeper(t, r.self, "s1")
	probe, _ := sleeper(t, r.self, "")
	window, windowGone := sleeper(t, process.ID{}, "")
	r.sessions = []event.Session{
		{ID: "s1", PID: root, Title: "One", Engine: "cli", State: "idle"},
		{ID: "s2", PID: busy, Title: "Two", Engine: "sdk", State: "running"},
		{ID: "s3", State: "idle"},
		{ID: "s4", PID: 1, State: "running"}, // whose pid was reused
	}
	list, err := r.List(t.Context(), feature.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[int]ProcessInfo{}
	for _, p := range list.Processes {
		if p.Bytes <= 0 || p.StartedAt < time.Now().Add(-time.Minute).UnixMilli() || p.Name == "" {
			t.Errorf("%+v", p)
		}
		p.Bytes, p.StartedAt, p.CPUPercent, p.CPUMs, p.Name = 0, 0, 0, 0, ""
		got[p.PID] = p
	}
	want := map[int]ProcessInfo{
		root:   {PID: root, Kind: "cli", SessionID: "s1", Title: "One", Engine: "cli", State: "idle"},
		busy:   {PID: busy, Kind: "cli", SessionID: "s2", Title: "Two", Engine: "sdk", State: "running"},
		tool:   {PID: tool, Kind: "descendant", SessionID: "s1", Title: "One", Engine: "cli", State: "idle"},
		probe:  {PID: probe, Kind: "probe"},
		window: {PID: window, Kind: "parley"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if self := list.Self; self.PID != os.Getpid() || self.Kind != "parley" || self.SessionID != "" || self.Bytes < 1<<20 {
		t.Errorf("self: %+v", self)
	}

	for _, tt := range []struct {
		pid  int
		code fault.Code
	}{{os.Getpid(), fault.Invalid}, {window, fault.Invalid}, {os.Getppid(), fault.NotFound}, {1, fault.NotFound}, {0, fault.NotFound}, {-1, fault.NotFound}} {
		if _, err := r.End(t.Context(), ProcessEndParams{PID: tt.pid}); fault.CodeOf(err) != tt.code {
			t.Errorf("ending %d: %v, want %s", tt.pid, err, tt.code)
		}
	}
	end := func(pid int) {
		t.Helper()
		if _, err := r.End(t.Context(), ProcessEndParams{PID: pid}); err != nil {
			t.Error(err)
		}
	}
	end(tool)
	r.works = "s2"
	end(busy)
	if !ended(toolGone) || !ended(busyGone) || len(r.suspended) > 0 {
		t.Errorf("the tool or the CLI lives; suspended %v", r.suspended)
	}
	// An idle session ends its process itself, even if the list still says that it works; what it
	// leaves is ended.
	r.sessions[0].State = "running"
	end(root)
	if diff := cmp.Diff([]string{"s1"}, r.suspended); diff != "" {
		t.Error(diff)
	}
	if !ended(rootGone) {
		t.Error("the CLI lives")
	}
	select {
	case <-windowGone:
		t.Error("a part of Parley was ended")
	default:
	}
}

func TestOrphansOfACrash(t *testing.T) {
	folder := t.TempDir()
	gonePID, over := sleeper(t, process.ID{}, "")
	crashed := process.ID{PID: gonePID, Start: 1}
	other := process.ID{PID: gonePID, Start: 2}
	if p, err := os.FindProcess(gonePID); err != nil || p.Kill() != nil || !ended(over) {
		t.Fatal(err)
	}
	if err := (owners{folder}).write([]process.ID{crashed}); err != nil {
		t.Fatal(err)
	}
	_, left := sleeper(t, crashed, "s1")
	_, alsoLeft := sleeper(t, crashed, "s2")
	_, foreign := sleeper(t, other, "s1")
	r := newProcessRig(t, folder)
	_, own := sleeper(t, r.self, "s1")
	r.Start()
	if !ended(left) || !ended(alsoLeft) {
		t.Error("what was left behind lives")
	}
	list, err := r.List(t.Context(), feature.Empty{})
	if err != nil || list.Orphans != 2 {
		t.Errorf("%d orphans, %v", list.Orphans, err)
	}
	noted, err := (owners{folder}).read()
	if err != nil || len(noted) == 0 || noted[len(noted)-1] != r.self {
		t.Errorf("noted: %v, %v", noted, err)
	}
	r.Close(true)
	if n := strings.Count(r.log.String(), "Stopped the processes left by an earlier Parley"); n != 1 {
		t.Errorf("log: %s", &r.log)
	}
	for name, gone := range map[string]chan struct{}{"another Parley's": foreign, "its own": own} {
		select {
		case <-gone:
			t.Errorf("%s process was ended", name)
		default:
		}
	}
	if noted, err := (owners{folder}).read(); err != nil || noted != nil {
		t.Errorf("after an orderly end: %v, %v", noted, err)
	}
}

// A crashed Parley is recorded for the next one, and so are earlier ones that could not be cleaned
// up.
func TestOwners(t *testing.T) {
	folder := t.TempDir()
	first := newProcessRig(t, folder)
	first.Start()
	first.Close(false)
	if noted, err := first.owners.read(); err != nil || len(noted) != 1 || noted[0] != first.self {
		t.Errorf("%v %v", noted, err)
	}
	if err := first.owners.write(nil); err != nil {
		t.Fatal(err)
	}
	var many []process.ID
	for i := range 20 {
		many = append(many, process.ID{PID: i + 1, Start: 1})
	}
	if err := first.owners.write(many); err != nil {
		t.Fatal(err)
	}
	if noted, err := first.owners.read(); err != nil || len(noted) != maxOwners || noted[0].PID != 13 {
		t.Errorf("%v %v", noted, err)
	}
	if err := os.WriteFile(filepath.Join(folder, "owners.json"), []byte(`[{"pid`), 0o600); err != nil {
		t.Fatal(err)
	}
	damaged := newProcessRig(t, folder)
	damaged.Start()
	damaged.Close(true)
	if !strings.Contains(damaged.log.String(), "Couldn't read which processes an earlier Parley owned") {
		t.Errorf("log: %s", &damaged.log)
	}
}

func TestReadMark(t *testing.T) {
	for env, want := range map[string]process.Mark{
		"PARLEY_PID=12\x00PARLEY_STARTED=345\x00PARLEY_SESSION=s\x00": {Owner: process.ID{PID: 12, Start: 345}, Group: "s"},
		"A=b\x00PARLEY_PID=12\x00":                                    {Owner: process.ID{PID: 12}},
		"PARLEY_PID=x\x00":                                            {},
		"XPARLEY_PID=12\x00":                                          {},
		"":                                                            {},
	} {
		got, ok := readMark([]byte(env))
		if got != want || ok != (want.Owner.PID > 0) {
			t.Errorf("%q: %+v %v", env, got, ok)
		}
	}
}
