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
	// changed is closed at each change, and made again.
	changed chan struct{}
	url     string
	// code is the last one, which no message may repeat.
	code string
	// message is what the CLI said last; told says that somebody has heard it.
	message string
	told    bool
	// state is that of [SignInNews] once the login has ended, "" before.
	state string
}

// address is that of the web page in what the CLI says.
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

// wait waits until the login has ended or until says so, which is called with the lock held.
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

// maxLine is what is kept of a line. An address is about 600 characters long.
const maxLine = 8 << 10

// lines hands on what is written, by whole lines.
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

// terminate asks the CLI to end, where that can be asked.
func terminate(p *os.Process) error {
	if runtime.GOOS == "windows" {
		return p.Kill()
	}
	return p.Signal(syscall.SIGTERM)
}
