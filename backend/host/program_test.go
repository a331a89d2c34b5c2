//go:build linux

package host

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/backend/host/child"
)

// A held program behaves like a child in every respect.
func TestLikeAChild(t *testing.T) {
	h := newHost(t)
	for kind, start := range map[string]func(child.Command) (program, error){
		"child": func(c child.Command) (program, error) { return child.Start(c, slog.New(slog.DiscardHandler)) },
		"held":  func(c child.Command) (program, error) { return h.Start(c) },
	} {
		run := func(t *testing.T, script string) *run {
			t.Helper()
			p, err := start(shell(script))
			if err != nil {
				t.Fatal(err)
			}
			return runs(p)
		}
		t.Run(kind, func(t *testing.T) {
			t.Run("speaks", func(t *testing.T) {
				p := run(t, `cat; echo end; echo sorry >&2; exit 7`)
				for _, text := range []string{"one\n", strings.Repeat("x", 700<<10) + "\n"} {
					if err := p.Write([]byte(text), patience); err != nil {
						t.Fatal(err)
					}
					if got := p.line(t); got != strings.TrimSuffix(text, "\n") {
						t.Errorf("%d bytes, want %d", len(got), len(text)-1)
					}
				}
				p.CloseInput()
				p.CloseInput()
				if got := p.rest(t); got != "end\n" || p.Stderr() != "sorry\n" || p.Exit() != (child.Exit{Code: 7}) {
					t.Errorf("%q, %q, %+v", got, p.Stderr(), p.Exit())
				}
				if err := p.Write([]byte("x"), patience); err == nil {
					t.Error("something is written to what is gone")
				}
			})
			t.Run("prints much", func(t *testing.T) {
				p := run(t, `i=0; while [ $i -lt 40000 ]; do echo "$i: some words to fill the line with, so that it is long enough"; i=$((i+1)); done`)
				if got := strings.Count(p.rest(t), "\n"); got != 40000 {
					t.Errorf("%d lines", got)
				}
			})
			t.Run("is ended", func(t *testing.T) {
				p := run(t, `trap 'echo bye; exit 3' TERM; echo here; while :; do sleep 0.05; done`)
				p.line(t)
				if err := p.Terminate(); err != nil {
					t.Error(err)
				}
				if got := p.rest(t); got != "bye\n" || p.Exit().Code != 3 {
					t.Errorf("%q, %+v", got, p.Exit())
				}
				p = run(t, `trap "" TERM; echo here; while :; do sleep 0.05; done`)
				p.line(t)
				if err := errors.Join(p.Terminate(), p.Kill()); err != nil {
					t.Error(err)
				}
				if p.rest(t); p.Exit() != (child.Exit{Code: -1, Signal: "killed"}) {
					t.Errorf("%+v", p.Exit())
				}
			})
			t.Run("does not read", func(t *testing.T) {
				p := run(t, `echo here; exec sleep 600`)
				p.line(t)
				if err := p.Write(make([]byte, 16<<20), 200*time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Error(err)
				}
				p.CloseInput()
				_ = p.Kill()
				p.rest(t)
			})
			t.Run("is given up while it does not read", func(t *testing.T) {
				p := run(t, `echo here; exec sleep 600`)
				p.line(t)
				wrote := make(chan error, 1)
				go func() { wrote <- p.Write(make([]byte, 16<<20), time.Hour) }()
				time.Sleep(20 * time.Millisecond)
				p.CloseInput()
				if err := <-wrote; !errors.Is(err, os.ErrClosed) {
					t.Error(err)
				}
				_ = p.Kill()
				p.rest(t)
			})
			t.Run("is not there", func(t *testing.T) {
				c := shell("")
				c.Path = "/nowhere/at/all"
				if _, err := start(c); !errors.Is(err, syscall.ENOENT) {
					t.Error(err)
				}
				c = shell("")
				c.Dir = "/nowhere/at/all"
				if _, err := start(c); err == nil {
					t.Error("it runs in no folder")
				}
			})
			t.Run("inherits nothing", func(t *testing.T) {
				// Its streams, and its own ends of two of them, see package child.
				p := run(t, `exec ls -l /proc/self/fd`)
				for got := range strings.Lines(p.rest(t)) {
					name, target, ok := strings.Cut(got[strings.LastIndex(got[:max(0, strings.Index(got, " -> "))], " ")+1:], " -> ")
					if ok && !strings.Contains("0 1 2 3 4", name) && !strings.HasPrefix(target, "/proc/") && (kind == "held" || strings.HasPrefix(target, "socket")) {
						t.Errorf("it has %s as %s", target, name)
					}
				}
			})
		})
	}
}

// A program whose output nobody reads blocks no other, and nothing of it is lost.
func TestOneThatNobodyReads(t *testing.T) {
	h := newHost(t)
	flood := start(t, h, `head -c 30000000 /dev/zero | tr '\0' x; echo; cat`)
	other := start(t, h, `cat`)
	for range 100 {
		if err := other.Write([]byte("hello\n"), patience); err != nil {
			t.Fatal(err)
		}
		other.line(t)
	}
	other.CloseInput()
	other.rest(t)
	if got := flood.line(t); len(got) != 30000000 || strings.Trim(got, "x") != "" {
		t.Errorf("%d bytes", len(got))
	}
	flood.CloseInput()
	flood.rest(t)
}

// stubborn ignores TERM, and has a child that can only be found by its mark.
const stubborn = `trap "" TERM; setsid sh -c 'trap "" TERM; echo $$; while :; do sleep 0.1; done' & while :; do sleep 0.1; done`

// When Parley is gone, so is everything else.
func TestEndOfParley(t *testing.T) {
	h := newHost(t)
	c := shell(stubborn)
	c.Mark = "HOST_TEST_MARK=" + t.Name()
	c.Env = append(c.Env, c.Mark)
	held, err := h.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	p := runs(held)
	tool := number10(t, p.line(t))
	polite := start(t, h, `trap 'exit 0' TERM; echo here; while :; do sleep 0.05; done`)
	polite.line(t)
	holder := h.PID()
	h.link.end(errors.New("as by a kill"))
	for _, pid := range []int{p.PID(), tool, polite.PID(), holder} {
		gonePID(t, pid)
	}
	if exit := p.Exit(); exit.Signal == "" || exit.Err == "" {
		t.Errorf("%+v", exit)
	}
}

// If the host is killed, the kernel ends the programs, and the next one gets a new host.
func TestHostIsKilled(t *testing.T) {
	h := newHost(t)
	p := start(t, h, `echo here; exec sleep 600`)
	p.line(t)
	before := h.PID()
	if err := syscall.Kill(before, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if got := p.rest(t); got != "" || p.Exit().Signal == "" {
		t.Errorf("%q, %+v", got, p.Exit())
	}
	if err := p.Write([]byte("x"), patience); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	gonePID(t, p.PID())
	again := start(t, h, `echo again`)
	if got := again.rest(t); got != "again\n" || h.PID() == before {
		t.Errorf("%q from %d", got, h.PID())
	}
}

// If no host can be started, nothing is.
func TestNoHost(t *testing.T) {
	for name, body := range map[string]string{"missing": "", "says nothing": "#!/bin/sh\nexit 0\n", "says something else": "#!/bin/sh\nexec echo 220 smtp >&0\n"} {
		path := filepath.Join(t.TempDir(), "host")
		if body != "" {
			if err := os.WriteFile(path, []byte(body), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		h := New(Config{Program: func() string { return path }, Log: slog.New(slog.DiscardHandler)})
		if _, err := h.Start(shell("echo")); !errors.Is(err, ErrNone) {
			t.Errorf("%s: %v", name, err)
		}
		if h.PID() != 0 {
			t.Errorf("%s: process %d", name, h.PID())
		}
		h.Close()
	}
	h := newHost(t)
	h.Close()
	if _, err := h.Start(shell("echo")); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
}
