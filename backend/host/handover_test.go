//go:build linux

package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// again detaches from a host and attaches to it within one process.
func again(t testing.TB, h *Host, state []byte) (*Host, []byte) {
	t.Helper()
	file, err := h.Detach(state)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	next, got, err := Attach(file, h.cfg)
	if err != nil {
		t.Fatal(err)
	}
	// The first one's goroutine waits for the host's end.
	t.Cleanup(func() {
		next.Close()
		h.link.wait()
	})
	return next, got
}

// A program continues as if nothing had happened: acknowledged output isn't sent again, and
// everything else is, even if it was read.
func TestHandOver(t *testing.T) {
	first := newHost(t)
	p, err := first.Start(shell(`while read -r text; do echo "got $text"; done; echo sorry >&2; exit 5`))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write([]byte("one\ntwo\n"), patience); err != nil {
		t.Fatal(err)
	}
	const said = "got one\ngot two\n"
	read := make([]byte, 100)
	for n := 0; n < len(said); {
		m, err := p.Read(read[n:])
		if err != nil {
			t.Fatal(err)
		}
		n += m
	}
	p.Taken(len("got two\n"))
	p.Park()
	if _, err := p.Read(read); err == nil {
		t.Error("it is read while it is parked")
	}
	state := bytes.Repeat([]byte("state "), maxText/3) // several frames
	second, got := again(t, first, state)
	if !bytes.Equal(got, state) {
		t.Errorf("%d bytes of state, want %d", len(got), len(state))
	}
	if err := p.Write([]byte("late\n"), patience); err == nil {
		t.Error("the first one writes")
	}
	if _, err := first.Start(shell("echo")); err == nil {
		t.Error("the first one starts something")
	}
	held := second.Claim(p.ID())
	if held == nil || held.PID() != p.PID() {
		t.Fatalf("%+v", held)
	}
	if second.Claim(p.ID()) != nil {
		t.Error("it is claimed twice")
	}
	r := runs(held)
	if err := r.Write([]byte("three\n"), patience); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"got two", "got three"} {
		if got := r.line(t); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	other := start(t, second, "echo other")
	if other.ID() == held.ID() {
		t.Error("two programs have one number")
	}
	other.rest(t)
	r.CloseInput()
	if got := r.rest(t); got != "" || r.Exit().Code != 5 || r.Stderr() != "sorry\n" {
		t.Errorf("%q %+v %q", got, r.Exit(), r.Stderr())
	}
	if third, got := again(t, second, nil); len(got) > 0 || len(third.link.programs) > 0 {
		t.Errorf("%q, %d programs", got, len(third.link.programs))
	}
}

// ID returns the number of a held program.
func (p *run) ID() uint64 { return p.program.(*Program).ID() }

// Programs may end while nobody is attached, and unclaimed ones are ended.
func TestHandOverOfEnds(t *testing.T) {
	first := newHost(t)
	ending := start(t, first, `echo here; read -r word; echo bye; exit 3`)
	ending.line(t)
	idle := start(t, first, `echo here; exec sleep 600`)
	idle.line(t)
	file, err := first.Detach([]byte("state"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := syscall.Kill(ending.PID(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	gonePID(t, ending.PID())
	second, _, err := Attach(file, first.cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		second.Close()
		first.link.wait()
	})
	held := runs(second.Claim(ending.ID()))
	if held.rest(t); held.Exit().Signal != "terminated" {
		t.Errorf("%+v", held.Exit())
	}
	second.EndUnclaimed()
	gonePID(t, idle.PID())
}

// A failed handover changes nothing.
func TestHandOverRefused(t *testing.T) {
	h := newHost(t)
	p := start(t, h, `echo here; read -r go; cat; exit 0`)
	p.line(t)
	if _, err := h.Detach(make([]byte, MaxState+1)); !errors.Is(err, ErrState) {
		t.Error(err)
	}
	held := p.program.(*Program)
	held.writing.Lock()
	if _, err := h.Detach(nil); !errors.Is(err, ErrWriting) {
		t.Error(err)
	}
	held.writing.Unlock()
	h.link.said.Version = 1
	if _, err := h.Detach(nil); !errors.Is(err, ErrOld) {
		t.Error(err)
	}
	if err := p.Write([]byte("go\nhello\n"), patience); err != nil {
		t.Error(err)
	}
	if got := p.line(t); got != "hello" {
		t.Errorf("%q", got)
	}
	p.CloseInput()
	p.rest(t)
	unused := newHost(t)
	if file, err := unused.Detach([]byte("state")); file != nil || err != nil {
		t.Errorf("%v, %v", file, err)
	}
}

// If the successor dies, or nobody attaches in time, everything ends.
func TestNobodyAttaches(t *testing.T) {
	for name, after := range map[string]func(w *wire){
		"dies":    func(w *wire) { _ = w.conn.Close() },
		"is late": func(*wire) {},
	} {
		t.Run(name, func(t *testing.T) {
			w := serveWithin(t, 50*time.Millisecond)
			w.hello()
			pid := w.starts("exec sleep 600").PID
			w.send(kindState, 0, []byte("secret"))
			w.send(kindDetach, 0)
			w.hears(kindDetached, kindOutput)
			after(w)
			if err := w.end(); err != nil {
				t.Error(err)
			}
			gonePID(t, pid)
		})
	}
}

// The state is for one attaching side, once, and only if it supports that.
func TestStateOnce(t *testing.T) {
	w := serve(t)
	w.hello()
	leave := func() {
		w.send(kindDetach, 0)
		w.hears(kindDetached)
	}
	w.send(kindState, 0, []byte("one "))
	w.send(kindState, 0, []byte("two"))
	leave()
	if said := w.hello(); said.State != len("one two") || said.PID != os.Getpid() {
		t.Errorf("%+v", said)
	}
	if f := w.hears(kindKept); string(f.body) != "one two" {
		t.Errorf("%q", f.body)
	}
	leave()
	if said := w.hello(); said.State != 0 {
		t.Errorf("%+v", said)
	}
	w.send(kindState, 0, []byte("three"))
	leave()
	w.sendText(kindHello, 0, greeting{Version: 1, Oldest: 1})
	var said greeting
	if err := w.hears(kindWelcome).text(&said); err != nil || said.State != 0 {
		t.Errorf("%+v %v", said, err)
	}
	for range MaxState/maxText + 1 {
		if _, err := w.conn.Write(encode(nil, kindState, 0, make([]byte, maxText))); err != nil {
			break
		}
	}
	if err := w.end(); !errors.Is(err, errProtocol) {
		t.Error(err)
	}
}

// A host that lies about its state isn't trusted.
func TestLyingHost(t *testing.T) {
	for name, words := range map[string]func() []byte{
		"too much":       func() []byte { return welcomes(greeting{Version: 2, Oldest: 1, State: MaxState + 1}) },
		"less than none": func() []byte { return welcomes(greeting{Version: 2, Oldest: 1, State: -1}) },
		"more than said": func() []byte {
			return encode(welcomes(greeting{Version: 2, Oldest: 1, State: 2}), kindKept, 0, []byte("more"))
		},
		"unasked": func() []byte { return encode(nil, kindKept, 0, []byte("more")) },
		"twice": func() []byte {
			return append(welcomes(greeting{Version: 2, Oldest: 1, State: 1}), welcomes(greeting{Version: 2, Oldest: 1, State: 1})...)
		},
		"newer":  func() []byte { return welcomes(greeting{Version: 9, Oldest: 8}) },
		"nobody": func() []byte { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			own, other, err := pair()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := other.Write(words()); err != nil {
				t.Fatal(err)
			}
			if words() == nil {
				other.Close()
			} else {
				defer other.Close()
			}
			defer own.Close()
			if h, _, err := Attach(own, Config{Log: slog.New(slog.DiscardHandler)}); err == nil {
				t.Error("it is believed")
				h.Close()
			}
		})
	}
}

func welcomes(g greeting) []byte {
	body, _ := json.Marshal(g)
	return encode(nil, kindWelcome, 0, body)
}

// A process execs, and has the programs of the first.
func TestHandOverByExec(t *testing.T) {
	cmd := exec.Command(os.Args[0], "becomes", t.TempDir())
	cmd.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "got one, got two, with state, ended 4" {
		t.Errorf("%q: %v", out, err)
	}
}

// becomes is the process of that test, before and after.
func becomes(args []string) error {
	if len(args) == 1 {
		h := New(Config{Program: func() string { return os.Args[0] }, Folder: args[0], Log: slog.New(slog.DiscardHandler)})
		p, err := h.Start(shell(`while read -r text; do echo "got $text"; done; exit 4`))
		if err != nil {
			return err
		}
		if err := p.Write([]byte("one\n"), patience); err != nil {
			return err
		}
		file, err := h.Detach([]byte("state"))
		if err != nil {
			return err
		}
		fd := file.Fd()
		if _, err := unix.FcntlInt(fd, unix.F_SETFD, 0); err != nil {
			return err
		}
		return syscall.Exec("/proc/self/exe", []string{os.Args[0], "becomes", args[0], strconv.Itoa(int(fd)), strconv.FormatUint(p.ID(), 10)}, os.Environ())
	}
	fd, _ := strconv.Atoi(args[1])
	id, _ := strconv.ParseUint(args[2], 10, 64)
	unix.CloseOnExec(fd)
	h, state, err := Attach(os.NewFile(uintptr(fd), "host"), Config{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer h.Close()
	p := h.Claim(id)
	if p == nil {
		return errors.New("there is no such program")
	}
	if err := p.Write([]byte("two\n"), patience); err != nil {
		return err
	}
	r := runs(p)
	one, err1 := r.out.ReadString('\n')
	two, err2 := r.out.ReadString('\n')
	p.CloseInput()
	<-p.Ended()
	fmt.Printf("%s, %s, with %s, ended %d\n", strings.TrimSpace(one), strings.TrimSpace(two), state, p.Exit().Code)
	return errors.Join(err1, err2)
}
