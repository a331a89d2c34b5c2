package mattermost

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"parley/backend/chat"
)

// failure is why a call failed. Its text never contains the token: it is filtered by
// [hide].
type failure struct {
	// kind is one of package chat's errors, or nil.
	kind error
	text string
	// status is 0 if there was no answer, id Mattermost's error id.
	status int
	id     string
	// again: a retry may help, not before wait.
	again bool
	wait  time.Duration
	// unsure: the request may have been executed.
	unsure bool
	// address: the address isn't a Mattermost server, or is another one.
	address bool
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.kind }

// longestText bounds how much of a server's text is in an error.
const longestText = 300

// hide removes a token from a text and truncates it.
func hide(text, token string) string {
	if token != "" {
		text = strings.ReplaceAll(text, token, "[token]")
		text = strings.ReplaceAll(text, url.QueryEscape(token), "[token]")
	}
	if len(text) > longestText {
		text = strings.ToValidUTF8(text[:longestText], "") + "…"
	}
	return text
}

// answered returns a failure for an unsuccessful answer, nil for success.
func answered(r *http.Response, body []byte, token string) *failure {
	if r.StatusCode >= 200 && r.StatusCode < 300 {
		return nil
	}
	var app struct {
		ID      string `json:"id"`
		Message string `json:"message"`
	}
	ours := json.Unmarshal(body, &app) == nil && app.ID != ""
	f := &failure{status: r.StatusCode, id: hide(app.ID, token)}
	said := hide(app.Message, token)
	if !ours {
		said = http.StatusText(r.StatusCode)
	}
	f.text = fmt.Sprintf("the server answered %d: %s", r.StatusCode, said)
	switch code := r.StatusCode; {
	case code < 400:
		f.address = true
		if to, err := r.Location(); err == nil {
			f.text = hide("the server sends on to "+to.Scheme+"://"+to.Host, token)
		}
	case code == http.StatusTooManyRequests:
		f.again, f.wait = true, pause(r.Header)
	case code == http.StatusRequestTimeout:
		f.again, f.unsure = true, true
	case code == http.StatusNotImplemented:
		f.kind = chat.ErrForbidden
	case code >= 500:
		f.again, f.unsure = true, true
		f.wait = pause(r.Header)
	case code == http.StatusUnauthorized:
		f.kind = chat.ErrOffline // another token would work
	case code == http.StatusForbidden:
		f.kind = chat.ErrForbidden
	case code == http.StatusRequestEntityTooLarge:
		f.kind = chat.ErrTooLarge
	case code == http.StatusNotFound || code == http.StatusGone:
		// A proxy answers this while the server behind it starts.
		if ours {
			f.kind = chat.ErrGone
		} else {
			f.again, f.address = true, true
		}
	default:
		f.kind = refused(app.ID)
	}
	if f.again {
		f.kind = chat.ErrOffline
	}
	return f
}

// refused maps the errors that Mattermost answers with 400.
func refused(id string) error {
	switch id {
	case "api.post.create_post.root_id.app_error", "api.post.update_post.permissions_details.app_error", "api.post.update_post.find.app_error":
		return chat.ErrGone
	case "model.post.is_valid.message_length.app_error", "model.post.is_valid.msg.app_error", "model.post.is_valid.props.app_error", "api.file.upload_file.too_large_detailed.app_error":
		return chat.ErrTooLarge
	case "api.post.create_post.can_not_post_to_deleted.error", "api.post.patch_post.can_not_update_post_in_deleted.error", "api.post.delete_post.can_not_delete_post_in_deleted.error",
		"api.post.update_post.permissions_time_limit.app_error", "api.post.update_post.system_message.app_error", "api.post.create_post.can_not_post_in_restricted_dm.error":
		return chat.ErrForbidden
	}
	return nil
}

// pause parses how long the server wants no calls. Mattermost sends seconds in
// X-RateLimit-Reset; some proxies send a time there.
func pause(h http.Header) time.Duration {
	for _, name := range []string{"Retry-After", "X-RateLimit-Reset"} {
		text := h.Get(name)
		if text == "" {
			continue
		}
		if at, err := http.ParseTime(text); err == nil {
			return bounded(time.Until(at))
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			continue
		}
		if n > 1_000_000_000 {
			return bounded(time.Until(time.Unix(n, 0)))
		}
		return bounded(time.Duration(min(n, 3600)) * time.Second)
	}
	return 0
}

// longestPause bounds how long a server can make us wait.
const longestPause = 2 * time.Minute

func bounded(d time.Duration) time.Duration { return max(0, min(d, longestPause)) }

// asFailure returns the failure in an error.
func asFailure(err error) (*failure, bool) {
	var f *failure
	ok := errors.As(err, &f)
	return f, ok
}
