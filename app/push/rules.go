package push

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/backend/fault"
	"parley/backend/platform/notify"
	"parley/backend/store/model"
)

// The events that cause notifications.
const (
	question = "question"
	done     = "done"
	failed   = "failed"
	limit    = "limit"
)

// Events are the events that cause notifications.
func Events() []string { return []string{question, done, failed, limit} }

// eventOf converts a kind of notification to an event.
func eventOf(kind notify.Kind) string {
	switch kind {
	case notify.Question, notify.Plan:
		return question
	case notify.Done, notify.Found:
		return done
	case notify.Limit:
		return limit
	default:
		return failed
	}
}

// wants reports whether an address gets a notification.
func wants(w model.Way, event, folder string, looking bool) bool {
	return slices.Contains(w.Events, event) && within(w.Folder, folder) && (!w.Away || !looking)
}

// within reports whether a folder equals another, or is in it.
func within(outer, folder string) bool {
	if outer == "" || folder == outer {
		return true
	}
	return strings.HasPrefix(folder, strings.TrimSuffix(outer, string(filepath.Separator))+string(filepath.Separator))
}

const clock = "15:04"

// quietAt reports whether an address has quiet hours now. They may span midnight.
func quietAt(w model.Way, now time.Time) bool {
	if w.QuietFrom == "" {
		return false
	}
	at := now.Format(clock)
	if w.QuietFrom <= w.QuietTo {
		return at >= w.QuietFrom && at < w.QuietTo
	}
	return at >= w.QuietFrom || at < w.QuietTo
}

func checkRules(p *WaySetParams) error {
	if len(p.Events) == 0 {
		return fault.New(fault.Invalid, "Choose at least one event (parameter events).")
	}
	for _, e := range p.Events {
		if !slices.Contains(Events(), e) {
			return fault.New(fault.Invalid, "There is no event %q. The events are %s (parameter events).", e, strings.Join(Events(), ", "))
		}
	}
	slices.Sort(p.Events)
	p.Events = slices.Compact(p.Events)
	if p.Folder != "" && (!filepath.IsAbs(p.Folder) || len(p.Folder) > maxFolder) {
		return fault.New(fault.Invalid, "Enter the folder's whole path (parameter folder).")
	}
	if p.Folder != "" {
		p.Folder = filepath.Clean(p.Folder)
	}
	if p.QuietFrom == "" && p.QuietTo == "" {
		return nil
	}
	for _, at := range []string{p.QuietFrom, p.QuietTo} {
		if parsed, err := time.Parse(clock, at); err != nil || parsed.Format(clock) != at {
			return fault.New(fault.Invalid, "Quiet hours need two times such as 22:00 and 07:00 (parameters quietFrom and quietTo).")
		}
	}
	if p.QuietFrom == p.QuietTo {
		return fault.New(fault.Invalid, "Quiet hours need two different times (parameters quietFrom and quietTo).")
	}
	return nil
}

const maxFolder = 4096
