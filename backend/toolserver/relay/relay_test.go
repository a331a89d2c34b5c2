package relay

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTakeEndpoint(t *testing.T) {
	for name, env := range map[string][2]string{"nothing": {}, "no token": {"/tmp/s", ""}, "no socket": {"", "abc"}} {
		t.Setenv(EnvSocket, env[0])
		t.Setenv(EnvToken, env[1])
		if _, err := TakeEndpoint(os.Getenv); err == nil || !strings.Contains(err.Error(), EnvToken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Setenv(EnvSocket, "/tmp/s")
	t.Setenv(EnvToken, "abc")
	e, err := TakeEndpoint(os.Getenv)
	if err != nil || e.socket != "/tmp/s" || e.token() != "abc" {
		t.Errorf("%v %v", e, err)
	}
}

// shortDir is a folder whose path leaves room for a socket's name.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ts") //nolint:usetesting // its own is too long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// fakeParley accepts one connection and handles it.
func fakeParley(t *testing.T, handle func(conn *net.UnixConn, r *bufio.Reader)) Endpoint {
	t.Helper()
	path := filepath.Join(shortDir(t), "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := l.AcceptUnix()
		if err != nil {
			return
		}
		defer conn.Close()
		r := bufio.NewReader(conn)
		if line, err := r.ReadString('\n'); err != nil || line != `{"token":"abc"}`+"\n" {
			t.Errorf("hello %q %v", line, err)
		}
		handle(conn, r)
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	return NewEndpoint(path, "abc")
}

func TestEnds(t *testing.T) {
	accept := `{"ok":true}` + "\n"
	tests := []struct {
		name   string
		stdin  string // followed by its end, unless open
		open   bool
		handle func(conn *net.UnixConn, r *bufio.Reader)
		cancel bool
		stdout string
		want   string // part of the error; "" for none
	}{
		{name: "stdin ends, late answers arrive", stdin: "ping\n",
			handle: func(conn *net.UnixConn, r *bufio.Reader) {
				_, _ = io.WriteString(conn, accept)
				all, _ := io.ReadAll(r) // until the relay closes its half
				_, _ = io.WriteString(conn, "got "+string(all))
			}, stdout: "got ping\n"},
		{name: "Parley ends", open: true,
			handle: func(conn *net.UnixConn, _ *bufio.Reader) { _, _ = io.WriteString(conn, accept+"bye\n") },
			stdout: "bye\n", want: "ended by Parley"},
		{name: "refused", open: true,
			handle: func(conn *net.UnixConn, _ *bufio.Reader) {
				_, _ = io.WriteString(conn, `{"ok":false,"reason":"this connection is not allowed"}`+"\n")
			}, want: "refused by Parley: this connection is not allowed"},
		{name: "closed at once", open: true, handle: func(*net.UnixConn, *bufio.Reader) {}, want: "no welcome from Parley"},
		{name: "something else answers", open: true,
			handle: func(conn *net.UnixConn, _ *bufio.Reader) { _, _ = io.WriteString(conn, "220 smtp\n") }, want: "no welcome from Parley"},
		{name: "stopped", open: true, cancel: true,
			handle: func(conn *net.UnixConn, r *bufio.Reader) {
				_, _ = io.WriteString(conn, accept+"on\n")
				_, _ = io.ReadAll(r)
			}, stdout: "on\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			inR, inW := io.Pipe()
			outR, outW := io.Pipe()
			fed := make(chan struct{})
			go func() {
				defer close(fed)
				_, _ = io.WriteString(inW, tt.stdin)
				if !tt.open {
					_ = inW.Close()
				}
			}()
			out := make(chan string, 1)
			go func() {
				var all strings.Builder
				r := bufio.NewReader(outR)
				for {
					line, err := r.ReadString('\n')
					all.WriteString(line)
					if err != nil {
						break
					}
					if tt.cancel {
						cancel()
					}
				}
				out <- all.String()
			}()
			err := Run(ctx, inR, outW, fakeParley(t, tt.handle))
			_ = outW.Close()
			if got := <-out; got != tt.stdout {
				t.Errorf("stdout %q, want %q", got, tt.stdout)
			}
			switch {
			case tt.want == "" && err != nil, tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if _, err := inW.Write([]byte("x")); !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("stdin was not closed: %v", err)
			}
			<-fed
		})
	}
}

func TestWithoutParley(t *testing.T) {
	e := NewEndpoint(filepath.Join(shortDir(t), "none"), "abc")
	err := Run(t.Context(), io.NopCloser(strings.NewReader("")), io.Discard, e)
	if err == nil || !strings.Contains(err.Error(), "cannot reach Parley") || strings.Contains(err.Error(), "abc") {
		t.Error(err)
	}
}
