package mattermost

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley/backend/chat"
	"parley/backend/owner"
)

// Limits of calls.
const (
	// maxAnswer bounds an answer that is read whole: a thousand posts of the usual size.
	maxAnswer = 64 << 20
	// maxError bounds how much of an error answer is read.
	maxError = 64 << 10
	// maxCalls run concurrently; others wait in FIFO order.
	maxCalls = 4
	// agent is Parley's user agent.
	agent = "Parley"
)

// call is one request.
type call struct {
	method, path string
	query        url.Values
	// body is sent as JSON. stream is sent unchanged, and creates a reader for each
	// try.
	body        any
	stream      func() (io.Reader, error)
	size        int64
	contentType string
	// timeout is for one try, limit bounds the answer; 0 for the defaults.
	timeout time.Duration
	limit   int64
	// raw returns the answer's body unchanged.
	raw bool
}

// transport returns the default transport.
func transport() http.RoundTripper {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:   10 * time.Second,
		MaxConnsPerHost:       2 * maxCalls,
		MaxIdleConnsPerHost:   maxCalls,
		IdleConnTimeout:       90 * time.Second,
		ExpectContinueTimeout: time.Second,
		ForceAttemptHTTP2:     true,
	}
}

// do makes a call, with retries where they help, and decodes the answer into out
// unless nil.
func (c *Client) do(ctx context.Context, q call, out any) error {
	return c.persist(ctx, func() error { return c.try(ctx, q, out) })
}

// persist calls fn until it succeeds, fails permanently, or the time is up.
func (c *Client) persist(ctx context.Context, fn func() error) error {
	began := time.Now()
	for n := 0; ; n++ {
		err := fn()
		f, ok := asFailure(err)
		if err == nil || !ok || !f.again {
			return err
		}
		wait := max(min(f.wait, c.tune.pauseMost), backoff(n, c.tune.retryFirst, c.tune.retryMost))
		if time.Since(began)+wait > c.tune.patience {
			return err
		}
		if !sleep(ctx, wait) {
			return fmt.Errorf("%w: %w", chat.ErrOffline, context.Cause(ctx))
		}
	}
}

// try makes a call once, when it is its turn.
func (c *Client) try(ctx context.Context, q call, out any) error {
	for {
		wait := time.Until(time.Unix(0, c.quietUntil.Load()))
		if wait <= 0 {
			break
		}
		if !sleep(ctx, wait) {
			return fmt.Errorf("%w: %w", chat.ErrOffline, context.Cause(ctx))
		}
	}
	if err := c.gate.Acquire(ctx, 1); err != nil {
		return fmt.Errorf("%w: %w", chat.ErrOffline, err)
	}
	defer c.gate.Release(1)
	err := c.once(ctx, q, out)
	if f, ok := asFailure(err); ok && f.status == http.StatusTooManyRequests {
		// The limit is the account's, so all calls wait.
		until := time.Now().Add(min(max(f.wait, time.Second/10), c.tune.pauseMost)).UnixNano()
		for {
			was := c.quietUntil.Load()
			if was >= until || c.quietUntil.CompareAndSwap(was, until) {
				break
			}
		}
	}
	return err
}

// token returns the current token.
func (c *Client) token(ctx context.Context) (string, error) {
	token, err := c.cfg.Token(ctx)
	token = strings.TrimSpace(token)
	if err != nil {
		return "", &failure{text: "the access token cannot be read", kind: chat.ErrOffline, again: true}
	}
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", &failure{text: "there is no access token that could be used", kind: chat.ErrForbidden, status: http.StatusUnauthorized}
	}
	return token, nil
}

func (c *Client) once(ctx context.Context, q call, out any) error {
	token, err := c.token(ctx)
	if err != nil {
		return err
	}
	timeout := q.timeout
	if timeout == 0 {
		timeout = c.tune.callTimeout
	}
	tryCtx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := c.request(tryCtx, q, token)
	if err != nil {
		return err
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return c.unanswered(ctx, err, token)
	}
	defer answer.Body.Close()
	if at, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
		c.ahead.Store(int64(time.Until(at)))
	}
	limit := q.limit
	if limit == 0 {
		limit = maxAnswer
	}
	if answer.StatusCode >= 300 {
		limit = maxError
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	if err != nil {
		return c.unanswered(ctx, err, token)
	}
	if f := answered(answer, body, token); f != nil {
		if f.status == http.StatusUnauthorized {
			owner.Wake(c.expired)
		}
		return f
	}
	if int64(len(body)) > limit {
		return &failure{kind: chat.ErrTooLarge, text: "the server's answer is too large", status: answer.StatusCode}
	}
	if out == nil {
		return nil
	}
	if q.raw {
		*out.(*[]byte) = body
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return &failure{kind: chat.ErrOffline, text: "what answered is not a Mattermost server", status: answer.StatusCode, again: true, unsure: true, address: true}
	}
	return nil
}

// request creates the request of one try.
func (c *Client) request(ctx context.Context, q call, token string) (*http.Request, error) {
	var body io.Reader
	contentType := q.contentType
	switch {
	case q.stream != nil:
		r, err := q.stream()
		if err != nil {
			return nil, err
		}
		body = r // the transport closes it
	case q.body != nil:
		data, err := json.Marshal(q.body)
		if err != nil {
			return nil, fmt.Errorf("encode a request: %w", err)
		}
		body, contentType = bytes.NewReader(data), "application/json"
	}
	address := c.base.String() + "/api/v4" + q.path
	if len(q.query) > 0 {
		address += "?" + q.query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, q.method, address, body)
	if err != nil {
		return nil, fmt.Errorf("make a request: %w", err)
	}
	if q.stream != nil {
		r.ContentLength = q.size
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("User-Agent", agent)
	return r, nil
}

// unanswered returns a failure for a request without an answer.
func (c *Client) unanswered(ctx context.Context, err error, token string) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", chat.ErrOffline, context.Cause(ctx))
	}
	if errors.Is(err, chat.ErrTooLarge) {
		return &failure{kind: chat.ErrTooLarge, text: "the file is larger than the server takes"}
	}
	var of *url.Error
	if errors.As(err, &of) {
		err = of.Err // without the address, which may be long
	}
	return &failure{kind: chat.ErrOffline, text: hide("no answer: "+err.Error(), token), again: true, unsure: true}
}

// serverNow returns the server's time in ms, as far as known.
func (c *Client) serverNow() int64 {
	return time.Now().Add(time.Duration(c.ahead.Load())).UnixMilli()
}

// backoff doubles from first to most, minus up to half at random, so that many Parleys
// don't reconnect at once.
func backoff(n int, first, most time.Duration) time.Duration {
	d := most
	if n < 16 {
		d = min(first<<n, most)
	}
	return d/2 + rand.N(d/2+1)
}

// sleep returns false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return ctx.Err() == nil
	}
}
