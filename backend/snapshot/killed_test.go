package snapshot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const killed = 77

// TestMain lets the test binary make or restore a snapshot and die at a step of it.
func TestMain(m *testing.M) {
	data, what := os.Getenv("PARLEY_TEST_DATA"), os.Getenv("PARLEY_TEST_DO")
	if what == "" {
		os.Exit(m.Run())
	}
	left, err := strconv.Atoi(os.Getenv("PARLEY_TEST_STEPS"))
	step := func() {
		if left--; left < 0 {
			os.Exit(killed)
		}
	}
	r := restorer{data: data, now: time.Now, step: step}
	switch what {
	case "take":
		err = errors.Join(err, takeIn(data, step))
	case "restore":
		_, failed := r.prepare(os.Getenv("PARLEY_TEST_NAME"), ByCommand, nil)
		_, _, unfinished := r.finish()
		err = errors.Join(err, failed, unfinished)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func takeIn(data string, step func()) error {
	var t testing.T
	p := &place{t: &t, data: data, at: time.Now()}
	p.open()
	s := p.source()
	s.step = step
	_, _, err := Take(context.Background(), s)
	p.close()
	return err
}

// dies runs a step of the test binary, and reports whether it finished.
func dies(t *testing.T, steps int, env ...string) (finished bool) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(append(os.Environ(), "PARLEY_TEST_STEPS="+strconv.Itoa(steps)), env...)
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == killed {
		return false
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return true
}

// A restore that is killed at any point has not begun, or is finished by the next start.
func TestKilledRestore(t *testing.T) {
	t.Parallel()
	for steps, finished := 0, false; !finished; steps++ {
		if steps > 100 {
			t.Fatal("it does not end")
		}
		p := newPlace(t, t.TempDir())
		p.fill("one")
		m, _ := p.take()
		p.fill("two")
		p.close()
		finished = dies(t, steps, "PARLEY_TEST_DO=restore", "PARLEY_TEST_DATA="+p.data, "PARLEY_TEST_NAME="+m.Name)
		_, decided, _ := readNote(p.data, journalName)
		_, was, _ := Restored(p.data)
		_, done, err := Finish(p.data)
		check(t, err)
		want := whole("two")
		if decided || was {
			want = whole("one")
		}
		if done != decided {
			t.Errorf("after %d steps: decided %v, done %v", steps, decided, done)
		}
		if diff := cmp.Diff(want, state(t, p.data)); diff != "" {
			t.Errorf("after %d steps (-want +got):\n%s", steps, diff)
		}
		if note, ok, err := Restored(p.data); err != nil || ok != (decided || was) {
			t.Errorf("after %d steps: the note %v, %v", steps, ok, err)
		} else if ok {
			if diff := cmp.Diff(whole("two"), state(t, filepath.Join(p.data, note.Aside))); diff != "" {
				t.Errorf("after %d steps, set aside (-want +got):\n%s", steps, diff)
			}
		}
		if found := left(t, p.data); found != nil {
			t.Errorf("after %d steps: left %v", steps, found)
		}
	}
}

// A snapshot that is killed at any point is missing or complete, and the old one stays valid.
func TestKilledTake(t *testing.T) {
	t.Parallel()
	for steps, finished := 0, false; !finished; steps++ {
		if steps > 100 {
			t.Fatal("it does not end")
		}
		p := newPlace(t, t.TempDir())
		p.fill("one")
		first, _ := p.take()
		p.fill("two")
		p.close()
		finished = dies(t, steps, "PARLEY_TEST_DO=take", "PARLEY_TEST_DATA="+p.data)
		check(t, Prune(p.data))
		list, err := List(p.data)
		check(t, err)
		for _, l := range list {
			if _, err := Verify(p.data, l.Name); err != nil {
				t.Errorf("after %d steps: %s: %v", steps, l.Name, err)
			}
		}
		if len(list) == 0 || list[len(list)-1].Name != first.Name || finished && len(list) != 2 {
			t.Errorf("after %d steps: %d snapshots", steps, len(list))
		}
		if found := left(t, p.data); found != nil {
			t.Errorf("after %d steps: left %v", steps, found)
		}
		if diff := cmp.Diff(whole("two"), state(t, p.data)); diff != "" {
			t.Errorf("after %d steps (-want +got):\n%s", steps, diff)
		}
	}
}
