package mattermost

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"regexp"
	"time"

	"parley/backend/chat/mattermost/wire"

	"parley/backend/chat"
	"parley/backend/fault"
)

// maxPress bounds the body of a button callback.
const maxPress = 64 << 10

var buttonPattern = regexp.MustCompile(`^[a-z0-9]{1,40}$`)

// props returns the properties of our posts.
//
// There is always an attachments list, even if empty: for a post with one, the server
// doesn't fetch a preview of the first address in its text. That address may come from a
// model and leak what it has read without anyone following it.
func (c *Client) props(key, channelID string, buttons []chat.Button) map[string]any {
	out := map[string]any{keyProp: key, wire.PropAttachments: []wire.Attachment{}}
	if c.cfg.Callback == nil || len(buttons) == 0 {
		return out
	}
	var actions []wire.Action
	for _, b := range buttons {
		if !buttonPattern.MatchString(b.ID) || b.Label == "" {
			continue
		}
		actions = append(actions, wire.Action{
			ID: b.ID, Name: b.Label, Type: wire.ActionButton, Style: b.Style,
			Integration: wire.Integration{
				URL:     c.cfg.Callback.URL,
				Context: map[string]any{"button": b.ID, "key": key, "proof": proof(c.cfg.Callback.Secret, key, channelID, b.ID)},
			},
		})
	}
	out[wire.PropAttachments] = []wire.Attachment{{Actions: actions}}
	return out
}

// proof can only be created by us: it binds a button to the post that was sent with a key
// in a channel. The server keeps it secret until the button is pressed.
func proof(secret []byte, key, channelID, button string) string {
	m := hmac.New(sha256.New, secret)
	m.Write([]byte(key + "\n" + channelID + "\n" + button))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// ButtonPress is a verified button callback.
type ButtonPress struct {
	chat.ButtonPressed
	ChannelID string
}

// errPress is one error for all reasons: a forger learns nothing.
var errPress = errors.New("the call about a button cannot be trusted")

// Verify parses the body of a button callback, and rejects one that wasn't created with
// the secret. at is the time of arrival in ms.
func Verify(secret, body []byte, at int64) (ButtonPress, error) {
	var r struct {
		UserID    string `json:"user_id"`
		ChannelID string `json:"channel_id"`
		PostID    string `json:"post_id"`
		Context   struct {
			Button string `json:"button"`
			Key    string `json:"key"`
			Proof  string `json:"proof"`
		} `json:"context"`
	}
	if len(secret) < 16 || len(body) > maxPress || json.Unmarshal(body, &r) != nil {
		return ButtonPress{}, errPress
	}
	if !buttonPattern.MatchString(r.Context.Button) || !wire.IsID(r.UserID) || !wire.IsID(r.PostID) || !wire.IsID(r.ChannelID) {
		return ButtonPress{}, errPress
	}
	want := proof(secret, r.Context.Key, r.ChannelID, r.Context.Button)
	if !hmac.Equal([]byte(want), []byte(r.Context.Proof)) {
		return ButtonPress{}, errPress
	}
	return ButtonPress{
		ButtonPressed: chat.ButtonPressed{PostID: r.PostID, Key: r.Context.Key, ButtonID: r.Context.Button, PersonID: r.UserID, At: at},
		ChannelID:     r.ChannelID,
	}, nil
}

// Pressed takes the body of the server's button callback (at most 64 KB), verifies that
// it is for a button of one of our posts, and queues it for Run's handler. It returns
// once that is certain, and fails with a fault for an unverified call. A press while
// Parley ends is lost: people press again.
func (c *Client) Pressed(ctx context.Context, body []byte) error {
	refused := fault.Wrap(errPress, fault.Forbidden, "The button request could not be verified.")
	if c.cfg.Callback == nil {
		return refused
	}
	p, err := Verify(c.cfg.Callback.Secret, body, time.Now().UnixMilli())
	if err != nil {
		return refused
	}
	at, err := c.Post(ctx, p.PostID)
	if errors.Is(err, chat.ErrGone) || errors.Is(err, chat.ErrForbidden) {
		return refused
	}
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "Mattermost cannot be reached.")
	}
	if !at.Mine || at.Key != p.Key || at.ChannelID != p.ChannelID {
		return refused
	}
	if !c.running.Load() {
		return fault.New(fault.Unavailable, "Parley is not connected to Mattermost.")
	}
	c.recent.put(at.ID, at)
	select {
	case c.inbox <- p.ButtonPressed:
		return nil
	case <-ctx.Done():
		return fault.Wrap(ctx.Err(), fault.Busy, "Parley is busy. Try again in a moment.")
	}
}
