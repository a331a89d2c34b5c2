package library

import (
	"time"

	"parley/backend/store/model"
)

// atOnce is how soon an orderly end comes too soon to say that a page hangs: nobody has
// waited longer than that for what it draws.
const atOnce = 10 * time.Second

// SetTrouble notes what a session might do to the page that shows it, or that it
// did not.
func (l *Library) SetTrouble(id string, trouble model.Trouble) error {
	l.mu.Lock()
	delete(l.drawing, id)
	r := l.rows[id]
	if trouble == model.TroubleHung && r != nil && r.listed {
		l.drawing[id] = l.cfg.Now()
	}
	same := r != nil && r.listed && (r.rec == nil && trouble == "" || r.rec != nil && r.rec.Trouble == trouble)
	l.mu.Unlock()
	if same {
		return nil
	}
	return l.change(id, func(r *model.Session) error {
		r.Trouble = trouble
		return nil
	})
}

// PageDied is told when a page is gone without a word: the notes of what it was drawing
// stay.
func (l *Library) PageDied() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.drawing)
}

// settleDrawing takes back the notes of the pages that were still at drawing when Parley
// was ended in order: they had no time to say that they were done.
func (l *Library) settleDrawing() {
	l.mu.RLock()
	var settled []string
	for id, at := range l.drawing {
		if r := l.rows[id]; r != nil && r.rec != nil && r.rec.Trouble == model.TroubleHung && l.cfg.Now().Sub(at) < atOnce {
			settled = append(settled, id)
		}
	}
	l.mu.RUnlock()
	for _, id := range settled {
		if err := l.SetTrouble(id, ""); err != nil {
			// It is opened in safe mode then, which is the careful answer.
			l.cfg.Logger.Warn("Whether a page hung could not be noted", "session", id, "error", err)
		}
	}
}
