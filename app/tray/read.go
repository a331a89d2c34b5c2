package tray

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"parley/backend/fault"
	"parley/backend/problem"
)

// listed is how many sessions are requested. Working ones are the most recently active.
const listed = 100

// The parts of API results that are used.
type (
	settingsAnswer struct {
		Language          string `json:"language"`
		ShowTray          bool   `json:"showTray"`
		CloseToTray       bool   `json:"closeToTray"`
		DoNotDisturbUntil int64  `json:"doNotDisturbUntil"`
	}
	questionsAnswer struct {
		Requests []struct {
			SessionID    string `json:"sessionId"`
			SessionTitle string `json:"sessionTitle"`
		} `json:"requests"`
	}
	sessionsAnswer struct {
		Sessions []struct {
			ID     string `json:"id"`
			Title  string `json:"title"`
			State  string `json:"state"`
			Unread bool   `json:"unread"`
			Error  *struct {
				Code string `json:"code"`
			} `json:"error"`
			Retry *struct {
				Attempt int `json:"attempt"`
				Most    int `json:"maxRetries"`
				Status  int `json:"httpStatus"`
			} `json:"retry"`
			Mirror *struct {
				On bool `json:"on"`
			} `json:"mirror"`
		} `json:"sessions"`
	}
	problemsAnswer struct {
		Problems []struct {
			ID    string            `json:"id"`
			Title string            `json:"title"`
			Facts map[string]string `json:"facts"`
		} `json:"problems"`
	}
	chatAnswer struct {
		Connection struct {
			State string `json:"state"`
		} `json:"connection"`
	}
	heartbeatsAnswer struct {
		Heartbeats []struct {
			Name  string `json:"name"`
			State string `json:"state"`
			Next  int64  `json:"next"`
		} `json:"heartbeats"`
		Paused      bool  `json:"paused"`
		PausedUntil int64 `json:"pausedUntil"`
	}
)

// reader reads the state from the API. It belongs to one goroutine.
type reader struct {
	call   func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	getenv func(string) string
	log    *slog.Logger
	// last is used where a part of the next state can't be read; failing is true once that was
	// logged.
	last    State
	failing bool
}

// read returns the current state.
func (r *reader) read(ctx context.Context, now time.Time) State {
	s := r.last
	s.Now = now
	var failed error
	get := func(method, params string, into any) bool {
		body, err := r.call(ctx, method, json.RawMessage(params))
		if err == nil {
			err = json.Unmarshal(body, into)
		}
		if err != nil {
			failed = fmt.Errorf("%s: %w", method, err)
		}
		return err == nil
	}
	var settings settingsAnswer
	if get("settings.get", "{}", &settings) {
		s.Language = languageOf(settings.Language, r.getenv)
		s.Shown, s.DoNotDisturbUntil = settings.ShowTray, settings.DoNotDisturbUntil
	}
	var questions questionsAnswer
	if get("permission.list", "{}", &questions) {
		s.Waiting = nil
		seen := map[string]bool{}
		for _, q := range questions.Requests {
			if !seen[q.SessionID] {
				seen[q.SessionID] = true
				s.Waiting = append(s.Waiting, Session{ID: q.SessionID, Title: q.SessionTitle})
			}
		}
	}
	var sessions sessionsAnswer
	if get("session.list", fmt.Sprintf(`{"limit":%d}`, listed), &sessions) {
		s.Running, s.Retrying, s.Failed, s.Limited, s.Trouble, s.Recent = 0, 0, 0, 0, nil, nil
		for _, one := range sessions.Sessions {
			if len(s.Recent) < maxMirrors && one.ID != "" && one.State != "closed" {
				s.Recent = append(s.Recent, Mirrored{one.ID, one.Title, one.Mirror != nil && one.Mirror.On})
			}
			switch one.State {
			case "running", "starting", "compacting", "interrupting":
				if again := one.Retry; again != nil {
					s.Retrying++
					s.Trouble = append(s.Trouble, Trouble{Session: Session{one.ID, one.Title}, Attempt: again.Attempt, Most: again.Most, Status: again.Status})
				} else {
					s.Running++
				}
			default:
				if one.Error != nil && one.Unread {
					s.Failed++
					if one.Error.Code == codeLimit {
						s.Limited++
					}
					s.Trouble = append(s.Trouble, Trouble{Session: Session{one.ID, one.Title}, Code: cmp.Or(one.Error.Code, codeFailed)})
				}
			}
		}
	}
	var problems problemsAnswer
	if get("app.problems", "{}", &problems) {
		s.Warnings = nil
		for _, p := range problems.Problems {
			s.Warnings = append(s.Warnings, problem.Title(s.Language, problem.Problem{ID: p.ID, Title: p.Title, Facts: p.Facts}))
		}
	}
	var chat chatAnswer
	if get("mattermost.get", "{}", &chat) {
		s.Chat = chat.Connection.State
	}
	var heartbeats heartbeatsAnswer
	if get("heartbeat.list", "{}", &heartbeats) {
		s.Paused, s.PausedUntil, s.Heartbeats = heartbeats.Paused, heartbeats.PausedUntil, nil
		for _, h := range heartbeats.Heartbeats {
			s.Heartbeats = append(s.Heartbeats, Heartbeat{Name: h.Name, State: h.State, Next: h.Next})
		}
	}
	if failed != nil && !r.failing && ctx.Err() == nil {
		r.log.Warn("Couldn't show everything in the tray menu", "err", failed)
	}
	r.failing = failed != nil
	r.last = s
	return s
}

// problemOf is the menu's text about a failed click.
func problemOf(err error) string {
	if err == nil {
		return ""
	}
	return fault.MessageOf(err)
}
