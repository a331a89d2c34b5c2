package library

import (
	"encoding/json"

	"parley/backend/fault"
	"parley/backend/store/model"
)

const (
	maxWindow = 64
	maxLayout = 256 << 10
)

// Attachment is a draft's file with its contents.
type Attachment struct {
	Name, MediaType string
	Data            []byte
}

// Draft returns a session's draft. Attachments whose contents are lost are omitted.
func (l *Library) Draft(id string) (model.Draft, []Attachment, error) {
	if !l.there(id) {
		return model.Draft{}, nil, notFound(id)
	}
	draft, ok, err := l.cfg.Records.Draft(id)
	if err != nil || !ok {
		return model.Draft{SessionID: id}, nil, err
	}
	var list []Attachment
	for _, a := range draft.Attachments {
		data, err := l.blob(a.Blob)
		if err != nil {
			l.cfg.Logger.Warn("Attachment of a draft is missing", "session", id, "err", err)
			continue
		}
		list = append(list, Attachment{a.Name, a.MediaType, data})
	}
	return draft, list, nil
}

// SetDraft replaces a session's draft. Nil attachments keep the current ones.
func (l *Library) SetDraft(id, text string, attachments *[]Attachment) error {
	if len(text) > model.MaxText {
		return fault.New(fault.TooLarge, "The draft has %d bytes; the limit is %d. Put long material into a file.", len(text), model.MaxText)
	}
	if attachments != nil && len(*attachments) > model.MaxAttachments {
		return fault.New(fault.TooLarge, "%d attachments are too many; the limit is %d (parameter attachments).", len(*attachments), model.MaxAttachments)
	}
	if !l.there(id) {
		return notFound(id)
	}
	draft := model.Draft{SessionID: id, Text: text, UpdatedAt: l.now()}
	l.blobs.RLock()
	defer l.blobs.RUnlock()
	if attachments == nil {
		old, _, err := l.cfg.Records.Draft(id)
		if err != nil {
			return err
		}
		draft.Attachments = old.Attachments
	} else {
		for _, a := range *attachments {
			name, err := l.cfg.Blobs.Put(a.Data)
			if err != nil {
				return err
			}
			draft.Attachments = append(draft.Attachments, model.Attachment{
				Name: a.Name, MediaType: a.MediaType, Blob: name, Size: int64(len(a.Data)),
			})
		}
	}
	return l.putDraft(draft)
}

// putDraft stores a draft, or deletes an empty one.
func (l *Library) putDraft(d model.Draft) error {
	has := d.Text != "" || len(d.Attachments) > 0
	changes := Changes{Drafts: []model.Draft{d}}
	if !has {
		changes = Changes{Undrafted: []string{d.SessionID}}
	}
	l.writes.Lock()
	defer l.writes.Unlock()
	if err := l.cfg.Records.Write(changes); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.drafts[d.SessionID] == has {
		return nil
	}
	if has {
		l.drafts[d.SessionID] = true
	} else {
		delete(l.drafts, d.SessionID)
	}
	l.teller.note(d.SessionID)
	return nil
}

func (l *Library) there(id string) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	r := l.rows[id]
	return r != nil && r.listed
}

// Layout returns a window's layout, {} if unknown.
func (l *Library) Layout(window string) (model.Layout, error) {
	layout, ok, err := l.cfg.Records.Layout(window)
	if err != nil || !ok {
		return model.Layout{Window: window, Layout: json.RawMessage("{}")}, err
	}
	return layout, nil
}

// SetLayout stores a window's layout.
func (l *Library) SetLayout(window string, layout json.RawMessage) error {
	if window == "" || len(window) > maxWindow {
		return fault.New(fault.Invalid, "A window's name must have 1 to %d characters (parameter window).", maxWindow)
	}
	if len(layout) > maxLayout {
		return fault.New(fault.TooLarge, "The layout has %d bytes; the limit is %d.", len(layout), maxLayout)
	}
	return l.cfg.Records.Write(Changes{Layouts: []model.Layout{{Window: window, Layout: layout, UpdatedAt: l.now()}}})
}
