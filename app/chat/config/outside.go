package config

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"parley/backend/chat/relay/access"
	"parley/backend/chat/relay/port"
	"parley/backend/fault"
	"parley/backend/kept"
	"parley/backend/outside"
	"parley/backend/platform/atomicfile"
)

// weigh applies the file's configuration if it was accepted or grants nothing more than the
// accepted one. The caller holds mu, or is the only one.
func (f *File) weigh(text []byte, says port.ChatConfig) {
	base, was := f.keep.Base(kept.Chat, text), f.accepted(text)
	f.says = says
	f.config, f.held = outside.Chat(was, says)
	if f.config = access.Normalise(f.config); access.Validate(f.config) != nil {
		f.config = was // parts of the two are incompatible
	}
	if len(f.held) > 0 {
		f.log.Warn("Mattermost settings changed outside Parley; riskier changes wait for your approval", "file", f.path, "changes", len(f.held))
	}
	if now := textOf(f.config); now != base {
		if err := f.keep.Adopt(kept.Chat, now); err != nil {
			f.log.Warn("Couldn't save the accepted Mattermost settings", "err", err)
		}
	}
}

// accepted is the last accepted configuration. text is the file's content, nil if it can't be
// accepted.
func (f *File) accepted(text []byte) port.ChatConfig {
	was, err := access.Decode([]byte(f.keep.Base(kept.Chat, text)))
	if err != nil {
		return access.Normalise(port.ChatConfig{})
	}
	return was
}

// textOf is a configuration as text.
func textOf(c port.ChatConfig) string {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return "" // plain fields
	}
	return string(text) + "\n"
}

// HeldNow returns the held changes, and the revision of the file with them.
func (f *File) HeldNow() ([]outside.Change, string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.held), f.revision
}

func movedOn() error {
	return fault.New(fault.Conflict, "The Mattermost settings changed in the meantime. Review them, then decide.")
}

// Accept applies the configuration in a revision of the file.
func (f *File) Accept(revision string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.load()
	if f.revision != revision || f.problem != nil {
		return movedOn()
	}
	if err := f.keep.Adopt(kept.Chat, textOf(f.says)); err != nil {
		return fault.Wrap(err, fault.Unavailable, "Your decision cannot be saved. Check the disk.")
	}
	f.config, f.held = f.says, nil
	return nil
}

// Undo replaces a revision of the file with the current configuration, and keeps a copy beside it.
func (f *File) Undo(revision string) error {
	f.mu.Lock()
	f.load()
	holds, moved := f.config, f.revision != revision
	text, err := readFile(f.path)
	f.mu.Unlock()
	if moved || err != nil {
		return movedOn()
	}
	aside := strings.TrimSuffix(f.path, ".json") + ".outside-" + time.Now().Format("20060102-150405.000") + ".json"
	if err := atomicfile.Private(aside, text); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The Mattermost settings cannot be saved next to %s. Check the disk and the folder's permissions.", f.path)
	}
	return f.Set(holds, revision)
}

// Recheck reads the file again, because another version may be accepted by now.
func (f *File) Recheck() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.revision = "again"
	f.load()
}
