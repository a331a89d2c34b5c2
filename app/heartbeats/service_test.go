//go:build unix

package heartbeats

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"parley/app/heartbeats/ledger"
	"parley/backend/event"
	"parley/backend/heartbeat"
	"parley/backend/paths"
	"parley/backend/store"
	"parley/backend/store/model"
	"parley/backend/store/schema"
)

// deadly is a ledger that kills the process at one of its writes, before or after it.
type deadly struct {
	heartbeat.Ledger
	at     int
	before bool
	n      int
}

func (d *deadly) Write(e heartbeat.LedgerEntry) (map[string]bool, error) {
	d.n++
	if d.n == d.at && d.before {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	known, err := d.Ledger.Write(e)
	if d.n == d.at {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	return known, err
}

// noting are sessions that record the prompts sent, and answer after a while.
type noting struct {
	service *heartbeat.Service
	log     string
	n       atomic.Int64
}

func (s *noting) Open(_ context.Context, p heartbeat.Place) (string, bool, error) {
	return fmt.Sprintf("%s-%d-%d", p.Name, os.Getpid(), s.n.Add(1)), true, nil
}

func (s *noting) Send(_ context.Context, sessionID, promptID, _ string) (string, error) {
	f, err := os.OpenFile(s.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	_, err = fmt.Fprintln(f, promptID)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	head := event.Head{SessionID: sessionID, TurnID: "turn"}
	go func() {
		s.service.Observe(&event.Processing{Head: head, PromptID: promptID})
		time.Sleep(5 * time.Second)
		s.service.Observe(&event.Result{Head: head, Text: "Done.", CostUSD: 0.5, NumTurns: 1})
		s.service.Observe(&event.Done{Head: head, PromptID: promptID, Reason: "completed"})
	}()
	return "turn", nil
}

func (s *noting) Stop(context.Context, string, string, string) error              { return nil }
func (s *noting) EndRunSession(context.Context, heartbeat.RunSession, bool) error { return nil }
func (s *noting) Fold(string, bool) error                                         { return nil }
func (s *noting) Used(_ context.Context, _, _ string) int64                       { return 0 }

// childOf tells the process below what to do: the folder, the write to die at (0 for none),
// "before" or "after", and the time.
const childOf = "PARLEY_TEST_HEARTBEAT"

// TestHeartbeatChild is the process that dies, and its successor.
func TestHeartbeatChild(t *testing.T) {
	args := strings.Split(os.Getenv(childOf), "|")
	if len(args) != 4 {
		t.Skip("this is the child of another test")
	}
	at, err := strconv.Atoi(args[1])
	if err != nil {
		t.Fatal(err)
	}
	late, err := time.ParseDuration(args[3])
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		log := slog.New(slog.DiscardHandler)
		db, err := schema.Open(filepath.Join(args[0], "parley.db"), schema.Config{Logger: log})
		if err != nil {
			t.Fatal(err)
		}
		sessions := &noting{log: filepath.Join(args[0], "sent")}
		s, err := heartbeat.New(heartbeat.Config{
			Path: filepath.Join(args[0], paths.HeartbeatsFile), Home: args[0], Zone: time.UTC,
			Ledger: &deadly{Ledger: ledger.New(db), at: at, before: args[2] == "before"}, Sessions: sessions,
			Workspace: filepath.Base, Publish: func(event.Event) {}, Notify: func(heartbeat.Notice) {},
			Now: func() time.Time { return time.Now().Add(late) }, Unwatched: true, Logger: log,
		})
		if err != nil {
			t.Fatal(err)
		}
		sessions.service = s
		s.Start()
		time.Sleep(150 * time.Second)
		s.Close()
		time.Sleep(time.Minute)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func child(t *testing.T, dir string, at int, when, late string) error {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestHeartbeatChild$", "-test.count=1")
	cmd.Env = append(os.Environ(), childOf+"="+strings.Join([]string{dir, strconv.Itoa(at), when, late}, "|"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if err != nil && at == 0 {
		t.Fatalf("%v: %s", err, &out)
	}
	return err
}

// Parley is killed before and after each of its writes. The next one accounts for every due time
// exactly once, and nothing is sent twice.
func TestLongHeartbeatsSurviveKills(t *testing.T) {
	t.Parallel()
	const file = `heartbeats:
  a:
    prompt: Look.
    folder: ~/w
    schedule: {every: 1m}
    missed: %s
  b:
    prompt: Look.
    folder: ~/w
    schedule: {every: 1m, once: true}
`
	const points = 14
	for _, policy := range []string{"once", "all"} {
		for at := 1; at <= points; at++ {
			for _, when := range []string{"before", "after"} {
				t.Run(fmt.Sprintf("%s/%d/%s", policy, at, when), func(t *testing.T) {
					t.Parallel()
					if testing.Short() && at%3 != 0 {
						t.Skip("short")
					}
					dir := t.TempDir()
					if err := os.WriteFile(filepath.Join(dir, paths.HeartbeatsFile), fmt.Appendf(nil, file, policy), 0o600); err != nil {
						t.Fatal(err)
					}
					var exit *exec.ExitError
					if err := child(t, dir, at, when, "0s"); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
						t.Fatalf("the first was not killed: %v", err)
					}
					_ = child(t, dir, 0, "", "10m")
					accounted(t, dir, at)
				})
			}
		}
	}
}

// accounted checks the ledger and the sent prompts of two Parleys, of which the second started at
// 00:10 and ended at 00:12:30.
func accounted(t *testing.T, dir string, at int) {
	t.Helper()
	db, err := schema.Open(filepath.Join(dir, "parley.db"), schema.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	all, err := db.Beats.List(store.Query{Index: "time"})
	if err != nil {
		t.Fatal(err)
	}
	var sent []string
	if raw, err := os.ReadFile(filepath.Join(dir, "sent")); err == nil {
		sent = strings.Fields(string(raw))
	}
	for i, id := range sent {
		if slices.Contains(sent[:i], id) {
			t.Errorf("%s was sent twice", id)
		}
	}
	begun := map[string]bool{}
	due := map[string]int64{}
	for _, b := range all {
		switch {
		case b.Open || b.State == "due" || b.State == "started":
			t.Errorf("not over: %+v", b)
		case b.State == "failed" && b.Code != "crash":
			t.Errorf("failed: %+v", b)
		case b.Code == "crash" && (b.SessionID == "" || b.EndedAt == 0):
			t.Errorf("without proof: %+v", b)
		}
		if b.SessionID != "" {
			begun[b.ID] = true
		}
		due[b.Name] += max(1, b.Count)
	}
	for _, id := range sent {
		if !begun[id] {
			t.Errorf("%s was sent, and the ledger does not know of it", id)
		}
	}
	minutes := int64(12)
	if at == 1 {
		// The first did not even record the heartbeat: then it is new at 00:10.
		if due["a"] != minutes && due["a"] != 2 {
			t.Errorf("%d due times", due["a"])
		}
	} else if due["a"] != minutes {
		t.Errorf("%d due times of a, want %d: %s", due["a"], minutes, told(all))
	}
	runs := 0
	for _, b := range all {
		if b.Name == "b" && b.SessionID != "" {
			runs++
		}
	}
	if runs != 1 {
		t.Errorf("b ran %d times: %s", runs, told(all))
	}
	hearts, err := db.Hearts.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hearts {
		if h.Name == "b" && (!h.Off || h.Done) {
			t.Errorf("b is to be off: %+v", h)
		}
	}
}

func told(all []model.HeartbeatRun) string {
	var b strings.Builder
	for _, r := range all {
		fmt.Fprintf(&b, "\n  %s %s/%s %s ×%d", r.ID, r.State, r.Code, r.Trigger, max(1, r.Count))
	}
	return b.String()
}
