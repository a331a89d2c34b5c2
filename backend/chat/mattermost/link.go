package mattermost

import (
	"errors"
	"net/http"
	"time"

	"parley/backend/chat"
)

// longEnough is how long a connection must have lasted for a quick reconnect.
const longEnough = 10 * time.Second

// keep connects repeatedly until the end.
func (r *run) keep() {
	for n := 0; ; n++ {
		began := time.Now()
		err := r.connect()
		if r.ctx.Err() != nil {
			return
		}
		if time.Since(began) > longEnough {
			n = 0
		}
		wait := backoff(n, r.tune.connectFirst, r.tune.connectMost)
		if f, ok := asFailure(err); ok {
			wait = max(wait, min(f.wait, r.tune.pauseMost))
		}
		state := "waiting"
		if stays(err) {
			state, wait = "refused", r.tune.refusedEvery
		}
		at := time.Now().Add(wait).UnixMilli()
		r.status.set(func(s *chat.Connection) { s.State, s.Reason, s.RetryAt = state, r.advice(err), at })
		r.cfg.Logger.Info("Not connected to Mattermost", "state", state, "wait", wait, "err", reason(err))
		t := time.NewTimer(wait)
		select {
		case <-r.ctx.Done():
		case <-r.again:
			n = -1
		case <-t.C:
		}
		t.Stop()
	}
}

// stays reports whether a failure is permanent: the token or the address is wrong.
func stays(err error) bool {
	f, ok := asFailure(err)
	return ok && (f.status == http.StatusUnauthorized || f.status == http.StatusForbidden || f.address && !f.again)
}

// errLost means that an established connection ended.
var errLost = errors.New("the connection to the chat was lost")

func reason(err error) string {
	if errors.Is(err, errLost) {
		return errLost.Error()
	}
	return hide(err.Error(), "")
}

// connect signs in and reads the socket until it ends.
func (r *run) connect() error {
	r.status.set(func(s *chat.Connection) {
		if s.State != "refused" { // refused stays until it works
			s.State, s.RetryAt = "connecting", 0
		}
	})
	_, version, err := r.signIn(r.ctx, r.try)
	if err != nil {
		return err
	}
	select {
	case <-r.expired: // from an earlier token
	default:
	}
	s, err := r.dial(r.ctx)
	if err != nil {
		return err
	}
	me := r.Me()
	if !r.tell(up{me.ID}) {
		s.close()
		return r.ctx.Err()
	}
	r.mu.Lock()
	r.typing = func(channelID, threadID string) error {
		if s.ask("user_typing", map[string]any{"channel_id": channelID, "parent_id": threadID}) != nil {
			return chat.ErrOffline
		}
		return nil
	}
	r.mu.Unlock()
	r.status.set(func(c *chat.Connection) {
		c.State, c.Reason, c.RetryAt, c.Version, c.Me = "connected", "", 0, version, me
	})
	err = s.read(r.ctx, r.tune.pingEvery, r.expired, func(h heard) { r.tell(h) })
	r.mu.Lock()
	r.typing = nil
	r.mu.Unlock()
	r.status.set(func(c *chat.Connection) { c.Reconnects++ })
	r.tell(down{})
	return &failure{kind: chat.ErrOffline, text: hide(errLost.Error()+": "+err.Error(), ""), again: true}
}

// tell passes something to the owner, which never blocks for long.
func (r *run) tell(v any) bool {
	select {
	case r.heard <- v:
		return true
	case <-r.ctx.Done():
		return false
	}
}
