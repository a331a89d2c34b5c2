package mattermost

import (
	"context"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mattermost/mattermost/server/public/model"

	"parley/backend/chat/mattermost/wire"

	"parley/backend/chat"
)

// What is missed while a channel is being fetched precedes later events, even if that
// fetch didn't see it yet.
func TestGapWhileFetching(t *testing.T) {
	c, err := New(Config{URL: "http://localhost", Token: Fixed("x"), Cursors: newCursors(func() {}), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	r := c.newRun(t.Context(), func(context.Context, chat.Incoming) error { return nil })
	m := &room{
		id: model.NewId(), cursor: newCursor(1), stale: true,
		waiting: map[string]int64{}, reacting: map[string]int{}, unreacting: map[string]int{}, shut: map[string]bool{},
	}
	r.rooms[m.id] = m
	root := model.NewId()
	posts := map[int64]*wire.Post{}
	for at := int64(1); at <= 6; at++ {
		posts[at] = &wire.Post{ID: model.NewId(), ChannelID: m.id, RootID: root, CreateAt: at * 1000, UpdateAt: at * 1000}
	}
	hear := func(at int64, gap bool) {
		r.take(heard{frame: frame{event: wire.Posted, post: posts[at]}, gap: gap})
	}
	fetch := func(upTo int64) missed {
		m.stale, m.fetching = false, true
		var got missed
		for at := int64(1); at <= upTo; at++ {
			got.rows = append(got.rows, row{post: post(posts[at], "me"), updateAt: at * 1000})
		}
		return got
	}
	var got []int64
	handle := func() {
		for {
			_, it := r.turn()
			if it == nil {
				return
			}
			got = append(got, it.at/1000)
			r.answered(nil)
		}
	}
	first := fetch(2)
	hear(3, false)
	hear(5, true) // 4 was lost
	r.fetched(fetched{room: m, got: first})
	handle()
	if !m.stale {
		t.Error("what was lost is not fetched")
	}
	hear(6, false)
	r.fetched(fetched{room: m, got: fetch(5)})
	handle()
	if diff := cmp.Diff([]int64{1, 2, 3, 4, 5, 6}, got); diff != "" {
		t.Error(diff)
	}
	if m.stale || len(m.held) != 0 {
		t.Errorf("stale %v, %d held", m.stale, len(m.held))
	}
}
