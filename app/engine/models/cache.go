package models

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"parley/app/sessions"
	"parley/backend/choice"
	"parley/backend/claude/wire"
	"parley/backend/platform/atomicfile"
	"parley/backend/platform/safeopen"
)

// maxOffersFile bounds the size of the file, in bytes.
const maxOffersFile = 16 << 20

func (m *Service) file() string { return filepath.Join(m.cfg.Dir, "models.json") }

// load reads the last Parley's cache, once. Called with mu held.
func (m *Service) load() {
	if m.loaded {
		return
	}
	m.loaded = true
	info, err := os.Stat(m.file())
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var raw []byte
	if err == nil && info.Size() <= maxOffersFile {
		raw, err = safeopen.Read(m.file(), maxOffersFile)
	}
	offers := map[string]offer{}
	if err == nil {
		err = json.Unmarshal(raw, &offers)
	}
	if err != nil || len(offers) > maxOffers {
		m.cfg.Log.Info("Couldn't load the cached models and commands", "err", err)
		return
	}
	m.offers = offers
}

// save stores the cache for the next Parley. A failure costs that one a few hundred milliseconds.
// Called with mu held.
func (m *Service) save() {
	raw, err := json.Marshal(m.offers)
	if err == nil {
		err = atomicfile.Private(m.file(), raw)
	}
	if err != nil {
		m.cfg.Log.Warn("Couldn't cache the CLI's models and commands", "err", err)
	}
}

func listOf(o offer) sessions.ModelList {
	list := sessions.ModelList{
		Models: append([]sessions.Model{}, o.Models...), Commands: append([]sessions.Command{}, o.Commands...),
		PermissionModes: choice.Modes(), Efforts: choice.Efforts(), At: o.At,
	}
	for i := range list.Models {
		list.Models[i].Efforts = append([]string{}, list.Models[i].Efforts...)
	}
	if o.At != 0 && !o.SignedIn {
		list.Message = "Claude Code is not signed in. Sign in, or choose a profile with a credential."
	}
	return list
}

func modelsOf(infos []wire.ModelInfo) []sessions.Model {
	out := make([]sessions.Model, 0, len(infos))
	for _, i := range infos {
		out = append(out, sessions.Model{Value: i.Value, Resolved: i.Resolved, Name: i.Name, Description: i.Description, Efforts: i.Efforts})
	}
	return out
}

// Kinds of entries chosen by name in a prompt.
const (
	kindCommand = "command" // the CLI's own
	kindSkill   = "skill"   // of a user, project, plugin or MCP server
	kindAgent   = "agent"   // a kind of subagent: mentioned, not run as a command
)

func commandsOf(said wire.Offer) []sessions.Command {
	out := make([]sessions.Command, 0, len(said.Commands)+len(said.Agents))
	for _, i := range said.Commands {
		kind := kindSkill
		if i.Builtin {
			kind = kindCommand
		}
		out = append(out, sessions.Command{Name: i.Name, Description: i.Description, ArgumentHint: i.ArgumentHint, Kind: kind})
	}
	for _, i := range said.Agents {
		out = append(out, sessions.Command{Name: i.Name, Description: i.Description, Kind: kindAgent})
	}
	return out
}
