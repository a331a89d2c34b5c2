//go:build linux

package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// world is a table of fake processes.
type world struct {
	entries []entry
	env     map[int]string
	reads   int
}

func (w *world) ledger() *Ledger {
	l := New(Config{Self: ID{10, 100}, Mark: mark})
	l.table = func() ([]entry, error) { return append([]entry(nil), w.entries...), nil }
	l.environ = func(pid int) []byte {
		w.reads++
		return []byte(strings.ReplaceAll(w.env[pid], " ", "\x00"))
	}
	return l
}

// add adds a process; they start one after the other.
func (w *world) add(pid, parent int, start uint64, env string) {
	if w.env == nil {
		w.env = map[int]string{}
	}
	w.env[pid] = env
	w.entries = append(w.entries, entry{id: ID{pid, start}, parent: parent, name: fmt.Sprint("p", pid), started: time.Now().Add(-time.Hour)})
}

func TestWhoBelongsToParley(t *testing.T) {
	const ours = "OWNER=10.100 GROUP="
	w := &world{}
	w.add(1, 0, 1, "")
	w.add(10, 1, 100, "")
	w.add(20, 10, 200, ours+"a")              // a root
	w.add(21, 20, 210, ours+"a")              // its child
	w.add(22, 21, 220, "")                    // which dropped its environment
	w.add(23, 1, 230, ours+"b")               // reparented
	w.add(24, 23, 240, "")                    // its descendant
	w.add(30, 10, 300, "")                    // Parley's own, such as a window's
	w.add(31, 10, 310, ours)                  // for no group
	w.add(40, 1, 400, "OWNER=10.99 GROUP=a")  // of an earlier process with the same pid
	w.add(41, 1, 410, "OWNER=11.100 GROUP=a") // of another Parley
	w.add(50, 1, 500, "")                     // has a pid that was a root's
	w.add(51, 50, 510, "")
	w.add(60, 20, 150, "") // older than its parent: the pid was reused
	w.add(70, 71, 700, "") // a cycle, possible in a table that changes while it is read
	w.add(71, 70, 700, "")

	l := w.ledger()
	use, err := l.Look(20, 50)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range use.Others {
		got = append(got, fmt.Sprintf("%d root=%d marked=%v group=%s", p.PID, p.Root, p.Marked, p.Group))
	}
	want := []string{
		"20 root=20 marked=true group=a", "21 root=20 marked=true group=a", "22 root=20 marked=true group=a",
		"23 root=0 marked=true group=b", "24 root=0 marked=true group=b",
		"30 root=0 marked=false group=", "31 root=0 marked=true group=",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if use.Self.PID != 10 || use.Self.Marked {
		t.Errorf("self: %+v", use.Self)
	}

	// An environment is read once, and marked processes stay marked.
	reads := w.reads
	w.env[23] = ""
	if use, err = l.Look(); err != nil || len(use.Others) != len(want) || w.reads != reads {
		t.Errorf("%d processes after %d more reads, %v", len(use.Others), w.reads-reads, err)
	}
	// Ended processes are dropped.
	w.entries = w.entries[:2]
	if use, err = l.Look(); err != nil || len(use.Others) > 0 || len(l.groups) != 2 || len(l.before) > len(want)+1 {
		t.Errorf("%+v, %d groups, %v", use, len(l.groups), err)
	}
}

// A process that was just forked may still have its parent's environment.
func TestMarkOfAYoungProcess(t *testing.T) {
	w := &world{}
	w.add(10, 1, 100, "")
	w.add(20, 1, 200, "")
	w.entries[1].started = time.Now()
	l := w.ledger()
	if use, err := l.Look(); err != nil || len(use.Others) != 0 {
		t.Fatalf("%+v %v", use.Others, err)
	}
	w.env[20] = "OWNER=10.100"
	if use, err := l.Look(); err != nil || len(use.Others) != 1 {
		t.Errorf("%+v %v", use.Others, err)
	}
}

func TestShareOfACore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{}
		w.add(10, 1, 100, "")
		l := w.ledger()
		for i, tt := range []struct {
			pass, cpu time.Duration
			want      float64
		}{
			{time.Hour, 72 * time.Minute, 60}, // since the start: 72 minutes in two hours
			{10 * time.Second, 72*time.Minute + 5*time.Second, 50},
			{10 * time.Millisecond, 72*time.Minute + 6*time.Second, 50}, // too early to tell
			{4 * time.Second, 72*time.Minute + 6*time.Second, 100 / 4.01},
			{10 * time.Second, 72*time.Minute + 26*time.Second, 200},
			{10 * time.Second, 0, 0}, // never negative
		} {
			time.Sleep(tt.pass)
			w.entries[0].cpu = tt.cpu
			use, err := l.Look()
			if err != nil {
				t.Fatal(err)
			}
			if d := use.Self.Percent - tt.want; d > 0.01 || d < -0.01 {
				t.Errorf("look %d: %.2f %%, want %.2f", i, use.Self.Percent, tt.want)
			}
		}
	})
}

func TestRealProcesses(t *testing.T) {
	l := ownLedger(t)
	dir := t.TempDir()
	// A shell with a busy child, and one that leaves its line and its environment.
	root := shell(t, `(while :; do :; done) & echo $! >`+dir+`/busy
		(setsid env -i sh -c 'echo $$ >`+dir+`/away; exec sleep 300' &) ; wait`, owner(l.cfg.Self), "GROUP=s")
	busy, away := readID(t, dir+"/busy"), readID(t, dir+"/away")
	defer func() {
		if err := l.End(t.Context(), 0, root.ID, busy, away); err != nil {
			t.Error(err)
		}
	}()
	find := func(id ID) *Process {
		use, err := l.Look(root.PID)
		if err != nil {
			t.Fatal(err)
		}
		if use.Self.ID != l.cfg.Self || use.Self.Bytes < 1<<20 {
			t.Fatalf("self: %+v", use.Self)
		}
		for _, p := range use.Others {
			if p.ID == id {
				return &p
			}
		}
		return nil
	}
	eventually(t, "the child is busy", func() bool {
		p := find(busy)
		return p != nil && p.Percent > 5 && p.CPU > 100*time.Millisecond && p.Root == root.PID && p.Group == "s"
	})
	p := find(busy)
	if p.Parent != root.PID || p.Name != "sh" || p.Bytes < 100<<10 || time.Since(p.StartedAt) > time.Minute || time.Since(p.StartedAt) < -time.Second {
		t.Errorf("%+v, started %v ago", p, time.Since(p.StartedAt))
	}
	// Nothing connects the process that dropped everything to Parley anymore.
	if p := find(away); p != nil && p.Marked {
		t.Logf("it was seen before it left: %+v", p)
	}
}

func TestParseStat(t *testing.T) {
	rest := " 7 7 0 -1 4194304 120 0 1 0 250 50 0 0 20 0 1 0 4200 8675328 300 18446744073709551615 1 1\n"
	for _, tt := range []struct {
		name, stat string
		want       entry
		err        error
	}{
		{"plain", "42 (sleep) S 1" + rest, entry{id: ID{42, 4200}, parent: 1, name: "sleep"}, nil},
		{"any name", "42 (a) R 9 (b\n) S 1" + rest, entry{id: ID{42, 4200}, parent: 1, name: "a) R 9 (b\n"}, nil},
		{"zombie", "42 (sleep) Z 1" + rest, entry{}, errEnded},
		{"dead", "42 (sleep) X 1" + rest, entry{}, errEnded},
		{"other threads go on", "42 (sleep) Z 1" + strings.Replace(rest, " 1 0 4200", " 2 0 4200", 1), entry{id: ID{42, 4200}, parent: 1, name: "sleep"}, nil},
		{"cut off", "42 (sleep) S 1 7 7", entry{}, errStat},
		{"no name", "42", entry{}, errStat},
		{"empty", "", entry{}, errStat},
	} {
		boot := time.Unix(1000, 0)
		got, err := parseStat(42, boot, []byte(tt.stat))
		if err == nil {
			tt.want.started, tt.want.cpu = boot.Add(42*time.Second), 3*time.Second
		}
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(entry{})); diff != "" || !errors.Is(err, tt.err) {
			t.Errorf("%s: %v\n%s", tt.name, err, diff)
		}
	}
}

// A process that execs another program never counts as ended: what it owns isn't
// abandoned.
func TestBecomesAnotherProgram(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c := spawn(t, cmd, becomes+"=100")
	did := make(chan error, 1)
	go func() {
		_, err := out.Read(make([]byte, 1))
		did <- err
	}()
	for looks := 1; ; looks++ {
		gone := c.Gone()
		entries, err := table()
		if err != nil {
			t.Fatal(err)
		}
		if e := newTree(entries)[c.PID]; gone || e == nil || e.id != c.ID {
			t.Fatalf("at look %d it is gone: %v, listed: %v", looks, gone, e)
		}
		select {
		case err := <-did:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
		}
	}
}

// A zombie has ended anyway, and a pid that never existed is gone.
func TestGone(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	id := ID{PID: cmd.Process.Pid}
	if now, ok := current(id.PID); ok {
		id = now
	}
	eventually(t, "its end", id.Gone)
	_ = cmd.Wait()
	own, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	if !id.Gone() || own.Gone() || !(ID{own.PID, own.Start - 1}).Gone() || !(ID{PID: 1 << 30, Start: 1}).Gone() {
		t.Error("it is wrong about what has ended")
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("42 (sleep) S 1 7 7 0 -1 4194304 120 0 1 0 250 50 0 0 20 0 1 0 4200 8675328 300"))
	f.Add([]byte(") ("))
	f.Add([]byte("1 ()"))
	f.Fuzz(func(_ *testing.T, stat []byte) { _, _ = parseStat(1, time.Time{}, stat) })
}

func BenchmarkLook(b *testing.B) {
	l := ownLedger(b)
	for range 200 {
		spawn(b, exec.Command("sleep", "300"), owner(l.cfg.Self), "GROUP=s", "PAD="+strings.Repeat("x", 4000))
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			l.groups = nil
			lookAll(b, l)
		}
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			lookAll(b, l)
		}
	})
}

func lookAll(b *testing.B, l *Ledger) {
	use, err := l.Look()
	if err != nil || len(use.Others) < 200 {
		b.Fatalf("%d processes, %v", len(use.Others), err)
	}
}
