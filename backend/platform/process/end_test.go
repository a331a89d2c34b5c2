//go:build linux

package process

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// patience is longer than any end that doesn't wait for it takes.
const patience = 10 * time.Minute

func TestEndAsksFirst(t *testing.T) {
	l := ownLedger(t)
	said := t.TempDir() + "/said"
	c := shell(t, `trap 'echo once >>`+said+`; sleep 0.1; exit 0' TERM; echo $$ >`+said+`.pid; while :; do sleep 0.02; done`)
	readID(t, said+".pid")
	begun := time.Now()
	if err := l.End(t.Context(), patience, c.ID); err != nil || c.lives() {
		t.Fatalf("%v, lives: %v", err, c.lives())
	}
	if text, err := os.ReadFile(said); err != nil || string(text) != "once\n" || time.Since(begun) > patience {
		t.Errorf("asked: %q (%v) in %v", text, err, time.Since(begun))
	}
}

// What doesn't react is killed, and so are the processes it starts in between and
// former descendants whose parent is gone.
func TestEndTakesAll(t *testing.T) {
	l := ownLedger(t)
	dir := t.TempDir()
	c := shell(t, `
		trap 'sh -c "trap \"\" TERM; echo \$\$ >`+dir+`/late; while :; do sleep 0.02; done" & sleep 0.1; exit 0' TERM
		sh -c 'trap "" TERM; (trap "" TERM; echo $$ >/dev/null; while :; do sleep 0.02; done) & echo $! >`+dir+`/deep; while :; do sleep 0.02; done' &
		while :; do sleep 0.02; done`)
	deep := readID(t, dir+"/deep")
	if err := l.End(t.Context(), 500*time.Millisecond, c.ID); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(dir + "/late"); err == nil {
		pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
		if id, ok := current(pid); ok {
			t.Errorf("what was started late lives: %+v", id)
		}
	}
	if now, ok := current(deep.PID); c.lives() || ok && now == deep {
		t.Errorf("the first lives: %v; its grandchild lives: %v", c.lives(), ok)
	}
}

// A reused pid identifies nobody.
func TestEndKnowsWhom(t *testing.T) {
	l := ownLedger(t)
	other := sleeper(t)
	mine := other.ID
	mine.Start--
	if err := l.End(t.Context(), 0, mine); err != nil || !other.lives() {
		t.Errorf("%v, the other lives: %v", err, other.lives())
	}
	tell(mine, force)
	if !other.lives() {
		t.Error("the other was told to end")
	}
}

// Neither this process nor its ancestors are ended by mistake.
func TestEndSparesItself(t *testing.T) {
	l := ownLedger(t)
	entries, err := l.table()
	if err != nil {
		t.Fatal(err)
	}
	line := l.ownLine(newTree(entries))
	parent, ok := current(os.Getppid())
	if !ok || !line[parent] || !line[l.cfg.Self] || len(line) < 3 {
		t.Fatalf("own line %v without %v", line, parent)
	}
	// Neither are their other descendants: a request to end an ancestor is a
	// mistake.
	child := shell(t, `while :; do sleep 0.02; done`)
	told := map[ID]bool{parent: true, l.cfg.Self: true}
	left, err := l.signal(told, ask)
	if err != nil || left > 0 || len(told) > 0 || !child.lives() {
		t.Errorf("%d are to end, told %v: %v", left, told, err)
	}
}

// A canceled context cuts the wait short.
func TestEndWithoutPatience(t *testing.T) {
	l := ownLedger(t)
	ready := t.TempDir() + "/ready"
	c := shell(t, `trap '' TERM; echo $$ >`+ready+`; while :; do sleep 0.02; done`)
	readID(t, ready)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	begun := time.Now()
	if err := l.End(ctx, patience, c.ID); err != nil || c.lives() || time.Since(begun) > patience {
		t.Errorf("%v after %v, lives: %v", err, time.Since(begun), c.lives())
	}
}

func TestOrphans(t *testing.T) {
	l := ownLedger(t)
	crashed, other := dead(t), dead(t)
	lives := sleeper(t)
	reused := lives.ID
	reused.Start--
	for _, tt := range []struct {
		name   string
		owner  ID
		owners []ID
		want   bool
	}{
		{"of a Parley that is gone", crashed, []ID{other, crashed}, true},
		{"of one whose number someone else has now", reused, []ID{reused}, true},
		{"of one that lives", lives.ID, []ID{lives.ID}, false},
		{"of one that is nobody's concern", other, []ID{crashed}, false},
		{"of one that lives, where its number was a concern's", lives.ID, []ID{reused}, false},
		{"of this one", l.cfg.Self, []ID{crashed}, false},
		{"without owners", crashed, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := sleeper(t, owner(tt.owner))
			// Between fork and exec it would still be the test.
			eventually(t, "its own environment", func() bool { m, ok := mark(environ(c.PID)); return ok && m.Owner == tt.owner })
			found, err := l.Orphans(tt.owners...)
			if err != nil {
				t.Fatal(err)
			}
			var want []ID
			if tt.want {
				want = []ID{c.ID}
			}
			if diff := cmp.Diff(want, found); diff != "" {
				t.Errorf("(-want +found)\n%s", diff)
			}
			if err := l.End(t.Context(), time.Second, found...); err != nil || c.lives() == tt.want {
				t.Errorf("%v, lives: %v", err, c.lives())
			}
		})
	}
}

// An orphan's descendants that are in use are left alone: a terminal server that
// this process runs below, and another Parley with its window's processes.
func TestOrphansInUse(t *testing.T) {
	const crashed = "OWNER=5.50"
	w := &world{}
	w.add(1, 0, 1, "")
	w.add(6, 1, 60, crashed) // a terminal's server
	w.add(7, 6, 70, crashed) // a shell in it
	w.add(10, 7, 100, crashed)
	w.add(8, 6, 80, crashed)           // another shell in it
	w.add(20, 1, 200, crashed)         // another Parley
	w.add(21, 20, 210, crashed)        // its window's process
	w.add(22, 20, 220, "OWNER=20.200") // its CLI
	w.add(30, 1, 300, crashed)         // an orphan
	w.add(31, 30, 310, "")             // its child, ended with it
	found, err := w.ledger().Orphans(ID{5, 50})
	if diff := cmp.Diff([]ID{{30, 300}}, found); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	w.add(5, 1, 50, "")
	if found, err := w.ledger().Orphans(ID{5, 50}); err != nil || len(found) > 0 {
		t.Errorf("the owner lives, but %v (%v)", found, err)
	}
}

func TestSelf(t *testing.T) {
	id, err := Self()
	if again, _ := Self(); err != nil || id.PID != os.Getpid() || id.Start == 0 || again != id {
		t.Errorf("%v %v", id, err)
	}
	if c := sleeper(t); c.Start < id.Start {
		t.Errorf("a child %v older than %v", c.ID, id)
	}
	if _, ok := current(1 << 30); ok {
		t.Error("a process that there cannot be")
	}
}
