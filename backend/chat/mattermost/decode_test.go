package mattermost

import (
	"encoding/json"
	"testing"

	"github.com/mattermost/mattermost/server/public/model"
)

func event(kind model.WebsocketEventType, seq int64, data map[string]any) []byte {
	e := model.NewWebSocketEvent(kind, "", "", "", nil, "").SetSequence(seq).SetData(data)
	raw, err := e.ToJSON()
	if err != nil {
		panic(err)
	}
	return raw
}

func encoded(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func somePost() *model.Post {
	return &model.Post{Id: model.NewId(), ChannelId: model.NewId(), UserId: model.NewId(), CreateAt: 5, UpdateAt: 5, Message: "Hello, what is the time?"}
}

func TestDecode(t *testing.T) {
	p := somePost()
	re := &model.Reaction{UserId: p.UserId, PostId: p.Id, ChannelId: p.ChannelId, EmojiName: "+1", UpdateAt: 7}
	f, err := decode(event(model.WebsocketEventPosted, 3, map[string]any{"post": encoded(p), "sender_name": "@ada"}))
	if err != nil || f.seq != 3 || f.event != "posted" || f.post.ID != p.Id || f.post.Message != p.Message {
		t.Errorf("%+v, %v", f, err)
	}
	f, err = decode(event(model.WebsocketEventReactionAdded, 4, map[string]any{"reaction": encoded(re)}))
	if err != nil || f.reaction.PostID != p.Id || f.reaction.Emoji != "+1" {
		t.Errorf("%+v, %v", f, err)
	}
	f, err = decode(event(model.WebsocketEventUserUpdated, 5, map[string]any{"user": map[string]any{"id": p.UserId}}))
	if err != nil || f.userID != p.UserId {
		t.Errorf("%+v, %v", f, err)
	}
	f, err = decode([]byte(`{"status":"OK","seq_reply":1}`))
	if err != nil || f.event != "" || !f.ok {
		t.Errorf("%+v, %v", f, err)
	}
	f, err = decode([]byte(`{"status":"FAIL","seq_reply":1}`))
	if err != nil || f.event != "" || f.ok {
		t.Errorf("%+v, %v", f, err)
	}
	for _, bad := range []string{
		``, `[]`, `{"event":"posted","seq":1}`, `{"event":"posted","seq":-1,"data":{}}`, `{"event":"posted","seq":1,"data":{"post":"{}"}}`,
		`{"event":"posted","seq":1,"data":{"post":7}}`, `{"event":"reaction_added","seq":1,"data":{"reaction":"{}"}}`,
	} {
		if f, err := decode([]byte(bad)); err == nil {
			t.Errorf("%s is read as %+v", bad, f)
		}
	}
}

// Missing numbers are a gap; repeated ones are ignored.
func TestOrder(t *testing.T) {
	s := &socket{next: 1}
	for _, c := range []struct {
		seq          int64
		err          error
		gap, ok      bool
		unknownEvent bool
	}{
		{seq: 1, ok: true}, {seq: 2, ok: true}, {seq: 2}, {seq: 1}, {seq: 4, gap: true, ok: true}, {seq: 3}, {seq: 5, ok: true},
		{seq: 6, err: errFrame, gap: true, ok: true}, {seq: 7, ok: true}, {err: errFrame, unknownEvent: true, gap: true, ok: true}, {seq: 8, ok: true},
	} {
		f := frame{event: "typing", seq: c.seq}
		if c.unknownEvent {
			f.event = ""
		}
		h, ok := s.order(f, c.err)
		if ok != c.ok || h.gap != c.gap {
			t.Errorf("%+v: ok %v, gap %v", c, ok, h.gap)
		}
	}
}

func FuzzDecode(f *testing.F) {
	p := somePost()
	p.Id, p.ChannelId, p.UserId = "pppppppppppppppppppppppppp", "cccccccccccccccccccccccccc", "yyyyyyyyyyyyyyyyyyyyyyyyyy"
	f.Add(event(model.WebsocketEventPosted, 1, map[string]any{"post": encoded(p)}))
	f.Add(event(model.WebsocketEventReactionRemoved, 2, map[string]any{"reaction": encoded(model.Reaction{UserId: p.UserId, PostId: p.Id, ChannelId: p.ChannelId, EmojiName: "a"})}))
	f.Add(event(model.WebsocketEventUserUpdated, 2, map[string]any{"user": map[string]any{"id": 3}}))
	f.Add([]byte(`{"event":"hello","seq":0,"data":{"connection_id":""}}`))
	f.Add([]byte(`{"event":"user_added","seq":1,"data":{"user_id":[]},"broadcast":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := decode(data)
		if err != nil {
			return
		}
		if got.post != nil {
			if !sound(got.post) {
				t.Fatal("a post that is not one")
			}
			_ = post(got.post, got.post.UserID)
		}
		if got.reaction != nil && !soundReaction(got.reaction) {
			t.Fatal("a reaction that is not one")
		}
		if got.seq < 0 {
			t.Fatal("a number below zero")
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	p := somePost()
	for range 30 {
		p.Message += " And here are a few more words, as people write them."
	}
	data := event(model.WebsocketEventPosted, 1, map[string]any{"post": encoded(p), "channel_name": "general", "sender_name": "@ada", "team_id": p.ChannelId})
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decode(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeTyping(b *testing.B) {
	data := event("typing", 1, map[string]any{"parent_id": "", "user_id": somePost().UserId})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decode(data); err != nil {
			b.Fatal(err)
		}
	}
}
