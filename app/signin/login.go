package signin

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"parley/app/feature"
)

// login is one run of the CLI's login.
type login struct {
	id     string
	cancel context.CancelFunc
	stdin  io.WriteCloser

	mu sync.Mutex
	// changed is closed and replaced at each change.
	changed chan struct{}
	url     string
	// code is the last code, which no message may repeat.
	code string
	// message is the CLI's last output; told reports that it was delivered.
	message string
	told    bool
	// state is that of [SignInNews] once the login has ended, "" before.
	state string
}

// address matches the web page's address in the CLI's output.
var address = regexp.MustCompile(`https://[^\s\x1b]+`)

func (l *login) hearAddress(line string) {
	if found := address.FindString(line); found != "" {
		l.change(func() {
			if l.url == "" {
				l.url = found
			}
		})
	}
}

func (l *login) hearMessage(line string) {
	line = strings.TrimSpace(feature.Plain(line))
	if line == "" {
		return
	}
	l.change(func() {
		if l.code != "" {
			line = strings.ReplaceAll(line, l.code, "…")
		}
		l.message, l.told = line, false
	})
}

func (l *login) end(ok bool, cause error) {
	l.change(func() {
		switch {
		case ok:
			l.state, l.message = "signedIn", ""
		case errors.Is(cause, context.Canceled):
			l.state, l.message = "cancelled", ""
		case errors.Is(cause, context.DeadlineExceeded):
			l.state, l.message = "failed", "Sign-in timed out."
		default:
			l.state = "failed"
		}
	})
}

func (l *login) change(do func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	do()
	close(l.changed)
	l.changed = make(chan struct{})
}

// wait waits until the login has ended or until returns true, which is called with the lock held.
func (l *login) wait(ctx context.Context, until func() bool) (news SignInNews, url string, err error) {
	for {
		l.mu.Lock()
		if l.state != "" || until() {
			l.told = true
			news = SignInNews{State: l.state, Message: l.message}
			if l.state == "" {
				news.State = "waiting"
			}
			url = l.url
			l.mu.Unlock()
			return news, url, nil
		}
		changed := l.changed
		l.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return SignInNews{}, "", ctx.Err()
		}
	}
}

// maxLine is how much of a line is kept. An address has about 600 characters.
const maxLine = 8 << 10

// lines passes on what is written, line by line.
func lines(hear func(string)) io.Writer { return &lineWriter{hear: hear} }

type lineWriter struct {
	hear func(string)
	rest []byte
}

func (w *lineWriter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		w.rest = append(w.rest, line[:min(len(line), maxLine-len(w.rest))]...)
		if rest = after; whole {
			w.hear(string(w.rest))
			w.rest = w.rest[:0]
		}
	}
	return len(p), nil
}

// terminate asks the CLI to end, if the system supports that.
func terminate(p *os.Process) error {
	if runtime.GOOS == "windows" {
		return p.Kill()
	}
	return p.Signal(syscall.SIGTERM)
}
