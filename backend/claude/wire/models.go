package wire

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/backend/truncate"
)

// Limits of what is read from an offer; the rest is cut off.
const (
	maxModels    = 500
	maxCommands  = 2000
	maxEfforts   = 20
	maxOfferText = 4 << 10 // bytes of one text
)

// Offer is what a CLI offers to choose from, in its answer to initialize. Lists
// are never nil.
type Offer struct {
	Models   []ModelInfo
	Commands []CommandInfo
	// Agents are the kinds of subagents.
	Agents []AgentInfo
	// SignedIn is false if the CLI reports no credential.
	SignedIn bool
}

// ModelInfo describes a model.
type ModelInfo struct {
	// Value is what set_model accepts; Resolved is the model it stands for, "" if the
	// CLI doesn't say.
	Value    string `json:"value"`
	Resolved string `json:"resolvedModel"`
	// Name and Description are for display.
	Name        string `json:"displayName"`
	Description string `json:"description"`
	// Efforts are its effort levels, never nil.
	Efforts []string `json:"supportedEffortLevels"`
}

// CommandInfo describes a slash command. Its name has no slash.
type CommandInfo struct {
	Name         string `json:"name"`
	Description  string `json:"description"`
	ArgumentHint string `json:"argumentHint"`
	// Builtin is true for the CLI's own; the others come from a user, a project, a
	// plugin or an MCP server.
	Builtin bool `json:"builtin"`
}

// AgentInfo describes a kind of subagent.
type AgentInfo struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// ListModels asks for the available models. Its answer is an [Offer] with only
// models.
func ListModels() ControlBody { return Subtype{"list_models"} }

// DecodeOffer decodes the answer to initialize, or to [ListModels]. Unreadable
// entries are omitted; the error means that all are unreadable.
func DecodeOffer(raw []byte) (Offer, error) {
	var in struct {
		Models   []json.RawMessage `json:"models"`
		Commands []json.RawMessage `json:"commands"`
		Agents   []json.RawMessage `json:"agents"`
		Account  json.RawMessage   `json:"account"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return Offer{}, fmt.Errorf("read what the CLI offers: %w", err)
	}
	out := Offer{Models: []ModelInfo{}, Commands: []CommandInfo{}, SignedIn: signedIn(in.Account)}
	for _, one := range in.Models {
		var m ModelInfo
		if json.Unmarshal(one, &m) != nil || !named(m.Value) || len(out.Models) == maxModels {
			continue
		}
		m.Resolved, m.Name, m.Description = truncate.Bytes(m.Resolved, maxOfferText), truncate.Bytes(m.Name, maxOfferText), truncate.Bytes(m.Description, maxOfferText)
		levels := []string{}
		for _, level := range m.Efforts {
			if named(level) && len(levels) < maxEfforts && !slices.Contains(levels, level) {
				levels = append(levels, level)
			}
		}
		m.Efforts = levels
		out.Models = append(out.Models, m)
	}
	for _, one := range in.Commands {
		var c CommandInfo
		// Names that start like this are the CLI's own.
		if json.Unmarshal(one, &c) != nil || !named(c.Name) || strings.HasPrefix(c.Name, "__") || len(out.Commands) == maxCommands {
			continue
		}
		c.Description, c.ArgumentHint = truncate.Bytes(c.Description, maxOfferText), truncate.Bytes(c.ArgumentHint, maxOfferText)
		out.Commands = append(out.Commands, c)
	}
	for _, one := range in.Agents {
		var a AgentInfo
		if json.Unmarshal(one, &a) != nil || !named(a.Name) || len(out.Agents) == maxCommands {
			continue
		}
		a.Description = truncate.Bytes(a.Description, maxOfferText)
		out.Agents = append(out.Agents, a)
	}
	return out, nil
}

// ModelSet decodes the answer to [SetModel]: the model that the name stands for, "" if
// the CLI doesn't say.
func ModelSet(answer json.RawMessage) string {
	var out struct {
		Model string `json:"model"`
	}
	if json.Unmarshal(answer, &out) != nil || !named(out.Model) {
		return ""
	}
	return out.Model
}

// signedIn decodes an account. Unless it says that there is none, it counts as
// one: clouds have credentials that the CLI doesn't know of.
func signedIn(raw json.RawMessage) bool {
	var a struct {
		TokenSource  string `json:"tokenSource"`
		APIKeySource string `json:"apiKeySource"`
		Provider     string `json:"apiProvider"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &a) != nil {
		return true
	}
	none := func(s string) bool { return s == "" || s == "none" }
	return a.Provider != "firstParty" || !none(a.TokenSource) || !none(a.APIKeySource)
}

// named reports whether a name can be shown and sent back.
func named(s string) bool { return s != "" && len(s) <= maxOfferText && utf8.ValidString(s) }
