package push

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"parley/backend/fault"
)

const (
	// answerLimit is how long an address may take, maxHeader and maxAnswer how much of its
	// answer is read.
	answerLimit          = 10 * time.Second
	maxHeader, maxAnswer = 32 << 10, 64 << 10
	// longestWait is the longest pause an address may request.
	longestWait = 15 * time.Minute
)

// failure is why a delivery failed.
type failure struct {
	error
	// again means that a retry may help, after at least wait.
	again bool
	wait  time.Duration
	// gone means that the address accepts no more notifications.
	gone bool
}

// client follows no redirect and keeps no connections open.
func client() *http.Client {
	return &http.Client{
		Timeout:       answerLimit,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, MaxResponseHeaderBytes: maxHeader,
			TLSHandshakeTimeout: answerLimit, ForceAttemptHTTP2: true,
		},
	}
}

// post sends a notification once.
func (s *Sender) post(ctx context.Context, t Target, w Word, id string) *failure {
	address, body, err := t.body(w)
	if err != nil {
		return &failure{error: fault.New(fault.Invalid, "The address cannot be read. Enter it again.")}
	}
	secret, err := s.cfg.Secret(ctx, t)
	if err != nil {
		return &failure{error: err, again: true}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return &failure{error: fault.New(fault.Invalid, "The address cannot be read. Enter it again.")}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Parley")
	switch {
	case t.Kind == Webhook:
		now := time.Now().Unix()
		r.Header.Set("Webhook-Id", id)
		r.Header.Set("Webhook-Timestamp", strconv.FormatInt(now, 10))
		if secret != "" {
			r.Header.Set("Webhook-Signature", sign(keyOf(secret), id, now, body))
		}
	case secret != "":
		r.Header.Set("Authorization", "Bearer "+secret)
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return &failure{error: unreachable(t.Host(), err), again: true}
	}
	_, _ = io.CopyN(io.Discard, answer.Body, maxAnswer) // the content doesn't matter
	_ = answer.Body.Close()
	return judge(t.Host(), answer)
}

// judge evaluates an answer.
func judge(host string, answer *http.Response) *failure {
	refused := func(todo string) error {
		return fault.New(fault.Unavailable, "%s answered with status %d. %s", host, answer.StatusCode, todo)
	}
	switch status := answer.StatusCode; {
	case status >= 200 && status < 300:
		return nil
	case status >= 300 && status < 400:
		return &failure{error: refused("It redirects elsewhere, which Parley does not follow. Enter the final address.")}
	case status == http.StatusGone:
		return &failure{error: refused("It accepts no more notifications. Send a test to start again, or remove the address."), gone: true}
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return &failure{error: refused("Check the key or token.")}
	case status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= 500:
		return &failure{error: refused("Try again later."), again: true, wait: waitOf(answer.Header.Get("Retry-After"))}
	default:
		return &failure{error: refused("Check the address.")}
	}
}

// waitOf parses Retry-After, if it is a number of seconds.
func waitOf(header string) time.Duration {
	seconds, err := strconv.ParseUint(header, 10, 31)
	if err != nil {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, longestWait)
}

// unreachable describes a network error without the address.
func unreachable(host string, err error) error {
	var whole *url.Error
	if errors.As(err, &whole) {
		err = whole.Err
	}
	var network net.Error
	if errors.As(err, &network) && network.Timeout() {
		return fault.New(fault.Unavailable, "%s did not answer within %d seconds. Check the address.", host, int(answerLimit.Seconds()))
	}
	return fault.Wrap(fmt.Errorf("send word: %w", err), fault.Unavailable, "%s could not be reached. Check the address and the network.", host)
}
