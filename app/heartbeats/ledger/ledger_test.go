package ledger

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/backend/heartbeat"
	"parley/backend/store/model"
	"parley/backend/store/schema"
)

// The ledger returns pages, newest first, and drops old records.
func TestHeartbeatLedger(t *testing.T) {
	t.Parallel()
	db, err := schema.Open(filepath.Join(t.TempDir(), "parley.db"), schema.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ledger := New(db)
	made := func(name string, due int64, suffix string) model.HeartbeatRun {
		return model.HeartbeatRun{ID: fmt.Sprintf("%s.%d%s", name, due, suffix), Name: name, DueAt: due, State: "finished"}
	}
	var all []model.HeartbeatRun
	for i := range int64(10) {
		all = append(all, made("a", 1000+i*10, ""), made("ab", 1005+i*10, ""))
	}
	all = append(all, made("a", 1020, ".person"))
	if known, err := ledger.Write(heartbeat.LedgerEntry{New: all}); err != nil || len(known) != 0 {
		t.Fatalf("%v, %v", known, err)
	}
	again := made("a", 1000, "")
	again.State = "failed"
	open := made("a", 990, "")
	open.State, open.Open = "due", true
	known, err := ledger.Write(heartbeat.LedgerEntry{New: []model.HeartbeatRun{again, open}, Hearts: []model.HeartbeatState{{Name: "a", Runs: 3}}, Pause: &model.Pause{Paused: true}})
	if err != nil || len(known) != 1 || !known["a.1000"] {
		t.Errorf("%v, %v", known, err)
	}
	if b, ok, err := ledger.Beat("a.1000"); err != nil || !ok || b.State != "finished" {
		t.Errorf("%+v, %v, %v", b, ok, err)
	}
	for _, id := range []string{"", "a", "a.x", "b.1", ".5"} {
		if _, ok, err := ledger.Beat(id); ok || err != nil {
			t.Errorf("%q: %v, %v", id, ok, err)
		}
	}
	hearts, left, pause, err := ledger.Load()
	if err != nil || len(hearts) != 1 || len(left) != 1 || left[0].ID != "a.990" || !pause.Paused {
		t.Errorf("%+v %+v %+v %v", hearts, left, pause, err)
	}

	for _, tt := range []struct {
		q    heartbeat.HistoryQuery
		want string
		more bool
	}{
		{heartbeat.HistoryQuery{Name: "a", Limit: 3}, "a.1090 a.1080 a.1070", true},
		{heartbeat.HistoryQuery{Name: "a", Limit: 5, Before: "a.1030"}, "a.1020.person a.1020 a.1010 a.1000 a.990", false},
		{heartbeat.HistoryQuery{Limit: 3}, "ab.1095 a.1090 ab.1085", true},
		{heartbeat.HistoryQuery{Limit: 3, Before: "a.1010"}, "ab.1005 a.1000 a.990", false},
		{heartbeat.HistoryQuery{Limit: 9, From: 1010, To: 1020}, "ab.1015 a.1010", false},
		{heartbeat.HistoryQuery{Limit: 9, Name: "ab", From: 1080}, "ab.1095 ab.1085", false},
		{heartbeat.HistoryQuery{Limit: 9, Name: "b"}, "", false},
		{heartbeat.HistoryQuery{Limit: 9, Before: "nonsense"}, "", false},
	} {
		found, more, err := ledger.History(tt.q)
		var ids []string
		for _, b := range found {
			ids = append(ids, b.ID)
		}
		if got := strings.Join(ids, " "); err != nil || got != tt.want || more != tt.more {
			t.Errorf("%+v: %s, %v, %v; want %s", tt.q, got, more, err, tt.want)
		}
	}

	// Of a, the newest four and an unfinished one stay; of ab the recent ones.
	if n, err := ledger.Prune(time.UnixMilli(1056), 4); err != nil || n != 7+6 {
		t.Errorf("forgot %d, %v", n, err)
	}
	found, _, err := ledger.History(heartbeat.HistoryQuery{Limit: 100})
	if err != nil || len(found) != 5+4 || found[len(found)-1].ID != "a.990" {
		t.Errorf("%d left, %v", len(found), err)
	}
}
