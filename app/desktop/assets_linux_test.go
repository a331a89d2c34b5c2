package desktop

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// pipeWriter responds like Wails on Linux: the first write creates a pipe that child processes
// inherit.
type pipeWriter struct {
	*httptest.ResponseRecorder
	t    *testing.T
	r, w *os.File
}

func (p *pipeWriter) Write(b []byte) (int, error) {
	if p.w == nil {
		var fds [2]int
		if err := syscall.Pipe2(fds[:], 0); err != nil {
			p.t.Fatal(err)
		}
		p.r, p.w = os.NewFile(uintptr(fds[0]), "r"), os.NewFile(uintptr(fds[1]), "w")
	}
	return p.w.Write(b)
}

func TestSecureKeepsThePipeOfAnAnswerOutOfChildren(t *testing.T) {
	body := bytes.Repeat([]byte("0123456789"), 1000)
	handler := secure(func(string) string { return "default-src 'none'" })(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n, err := w.Write(body)
		if n != len(body) || err != nil {
			t.Errorf("Write = %d, %v", n, err)
		}
	}))
	p := &pipeWriter{ResponseRecorder: httptest.NewRecorder(), t: t}
	handler.ServeHTTP(p, httptest.NewRequest(http.MethodGet, "/x", nil))
	defer p.r.Close()

	// A child that lives until its input ends. It must not keep the pipe open.
	child := exec.Command("cat")
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		stdin.Close()
		if err := child.Wait(); err != nil {
			t.Error(err)
		}
	}()
	if err := p.w.Close(); err != nil {
		t.Fatal(err)
	}
	// This would block while the child had the other end.
	got, err := io.ReadAll(p.r)
	if err != nil || !bytes.Equal(got, body) {
		t.Errorf("read %d bytes, %v; want %d", len(got), err, len(body))
	}
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'",
		"X-Content-Type-Options":  "nosniff",
		"Cache-Control":           "no-store",
	} {
		if got := p.Header().Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
}
