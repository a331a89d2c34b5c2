//go:build linux

package border

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"parley/app/diagnostics"
	"parley/app/restart"
	"parley/backend/demo"
)

// restarted is the restart status that the page gets.
func (p *parley) restarted() restart.RestartStatus {
	p.t.Helper()
	return call[diagnostics.Info](p.watcher, "app.info", m{}).Restart
}

// An idle Parley continues as the program on disk: same process, same
// address, same token, and clients wait for it instead of being rejected.
func TestRestartInPlace(t *testing.T) {
	t.Parallel()
	p := start(t, demo.ScriptFunc(demo.Default))
	s := p.open()
	s.turn("remember the aubergine")
	if now := p.restarted(); !now.Possible || now.At != 0 {
		t.Fatalf("before: %+v", now)
	}
	stop, refused := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(refused)
		for {
			select {
			case <-stop:
				return
			default:
			}
			client := &http.Client{Timeout: limit, Transport: &http.Transport{DisableKeepAlives: true}}
			answer, err := client.Get(p.url + "health")
			if err != nil && !strings.Contains(err.Error(), "EOF") && !strings.Contains(err.Error(), "reset") {
				refused <- err
				return
			}
			if err == nil {
				_, _ = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
			}
		}
	}()
	if got := call[restart.Restarting](p.watcher, "app.restart", m{}); got.State != "restarting" {
		t.Errorf("it says %+v", got)
	}
	p.renewed()
	close(stop)
	if err := <-refused; err != nil {
		t.Error("someone was refused:", err)
	}
	if now := p.restarted(); now.At == 0 || now.Before == "" {
		t.Errorf("after: %+v", now)
	}
	again := p.resume(s)
	again.turn("which vegetable?")
	if heard := wholeText(p.lastRequest()); !strings.Contains(heard, "remember the aubergine") {
		t.Error("the conversation is lost")
	}
	// The data folder was never unlocked.
	second := p.command()
	if out, err := second.CombinedOutput(); err == nil || !strings.Contains(string(out), "Another Parley") {
		t.Errorf("a second Parley: %v %s", err, out)
	}
	// And again, by a signal.
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	p.renewed()
}

// While something runs that a restart would interrupt, a user's command, it reports where;
// on request it waits for its end, and that can be canceled.
func TestRestartWaits(t *testing.T) {
	t.Parallel()
	p := start(t, demo.ScriptFunc(demo.Default))
	s := p.open()
	s.turn("hello")
	call[ref](p.watcher, "shell.run", m{"sessionId": s.id, "command": "while [ ! -e over ]; do sleep 0.1; done"})
	ask := func(when, state string) {
		t.Helper()
		got := call[restart.Restarting](p.watcher, "app.restart", m{"when": when})
		if got.State != state || len(got.Work) != 1 || got.Work[0].SessionID != s.id || got.Work[0].State != "command" {
			t.Errorf("%q: %+v, want %s", when, got, state)
		}
	}
	ask("", "working")
	ask("idle", "waiting")
	ask("idle", "waiting")
	if !p.restarted().Waiting {
		t.Error("it is not said that it waits")
	}
	ask("never", "running")
	ask("idle", "waiting")
	if err := os.WriteFile(filepath.Join(s.dir, "over"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.renewed()
	if now := p.restarted(); now.At == 0 || now.Waiting {
		t.Errorf("after: %+v", now)
	}
}

// replace replaces the program on disk.
func (p *parley) replace(program []byte) {
	p.t.Helper()
	if err := os.WriteFile(p.program+".new", program, 0o700); err != nil { //nolint:gosec // it is to be run
		p.t.Fatal(err)
	}
	if err := os.Rename(p.program+".new", p.program); err != nil {
		p.t.Fatal(err)
	}
}

// copied is a Parley whose program is in its own folder, so that it can be replaced.
func copied(t *testing.T) setup {
	t.Helper()
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "ply-bin-") //nolint:usetesting // it is in the same file system as the rest
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "parley")
	if err := os.WriteFile(path, data, 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	return setup{program: path}
}

// A program that cannot take over is not executed; one that claims it could, and then does
// not start, returns control to the previous one, which reports it.
func TestRestartGoesBack(t *testing.T) {
	t.Parallel()
	p := startWith(t, demo.ScriptFunc(demo.Default), copied(t))
	good, err := os.ReadFile(p.program)
	if err != nil {
		t.Fatal(err)
	}
	s := p.open()
	s.turn("remember the aubergine")
	for text, want := range map[string]string{
		"no program at all":                           "exec format error",
		"#!/bin/sh\necho it is broken >&2; exit 3\n":  "it is broken",
		"#!/bin/sh\necho hello\n":                     "not a Parley",
		"#!/bin/sh\nexec sleep 60\n":                  "does not respond",
		"#!/bin/sh\nyes | head -c 10000000; exit 0\n": "not a Parley",
	} {
		p.replace([]byte(text))
		p.watcher.refused("app.restart", m{}, "unavailable", want)
	}
	if err := os.Remove(p.program); err != nil {
		t.Fatal(err)
	}
	p.watcher.refused("app.restart", m{}, "unavailable", "no such file")

	wrong := func() bool { return slices.Contains(p.health().ids(), "restart_failed") }
	p.replace([]byte("#!/bin/sh\ncase $1 in __successor) echo '{\"version\":\"9.9\"}';; *) exec " + program + " serve --no-such-flag;; esac\n"))
	for range 2 { // after a rollback it works again
		call[restart.Restarting](p.watcher, "app.restart", m{})
		p.renewed()
		if !wrong() {
			t.Error("nobody is told that the program did not start")
		}
		p.resume(s).turn("which vegetable?")
	}
	p.replace(good)
	call[restart.Restarting](p.watcher, "app.restart", m{})
	p.renewed()
	if wrong() {
		t.Error("it is still said that the program did not start")
	}
	p.resume(s).turn("and now?")
	if left, err := filepath.Glob(p.path("data/relay/parley-before")); err != nil || len(left) > 0 {
		t.Errorf("the copy stays: %v %v", left, err)
	}
}
