// Package trust finds what a folder makes the CLI load or run automatically: hooks,
// MCP servers, environment variables, programs that return credentials, plugins,
// allow rules, and commands, skills and agents that run or allow something. Parent
// folders count where the CLI reads them. It only reads, within limits; everything
// in a folder counts as written by a stranger.
//
// It starts no goroutine, and doesn't know who asks or how it was answered.
package trust

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"parley/backend/claude/clisettings"
)

// Kinds of findings.
const (
	Hook        = "hook"
	MCP         = "mcp"
	Env         = "env"
	Helper      = "helper"
	StatusLine  = "statusLine"
	Plugin      = "plugin"
	Marketplace = "marketplace"
	Permissions = "permissions"
	Mode        = "mode"
	// Prompt is a command, skill or agent that does more than provide text.
	Prompt     = "prompt"
	Unreadable = "unreadable"
)

// Finding is one thing that a folder makes the CLI load or run.
type Finding struct {
	// Kind is one of the constants, File the file it is in.
	Kind string `json:"kind"`
	File string `json:"file"`
	// Name is the hook's event, or the server's or variable's name.
	Name string `json:"name"`
	// Command is what would run, or the value, in full.
	Command string `json:"command"`
	// Why is a sentence about when it runs.
	Why string `json:"why"`
}

// Report is the result for a folder.
type Report struct {
	Folder string
	// Findings are all findings, in the order of the files; if there are none, the
	// user isn't asked.
	Findings []Finding
	// Hash identifies the findings, "" for none. It changes whenever something else
	// would be loaded or run, even if that reads the same.
	Hash string

	// whole is the text in the files, for each finding.
	whole [][]byte
}

// Look returns what the CLI would load or run automatically in a folder. config is
// the CLI's own folder, whose settings are the user's and are skipped; persons are
// further folders of the user.
func Look(config, folder string, persons ...string) Report {
	r := Report{Folder: folder}
	for _, f := range clisettings.Read(config, folder) {
		// The CLI's own folder is the user's, even if it is also the folder's.
		if (f.Where == clisettings.Project || f.Where == clisettings.Local) && !same(filepath.Dir(f.Path), config) {
			r.settings(f)
		}
	}
	for _, dir := range upwards(folder) {
		r.servers(filepath.Join(dir, ".mcp.json"))
	}
	r.prompts(append(persons, config), folder)
	if len(r.Findings) > 0 {
		h := sha256.New()
		for i, f := range r.Findings {
			// Each part is prefixed with its length, so that parts can't be confused.
			for _, part := range []string{f.Kind, f.File, f.Name, f.Command, string(r.whole[i])} {
				fmt.Fprintf(h, "%d:%s", len(part), part)
			}
		}
		r.Hash = hex.EncodeToString(h.Sum(nil))
	}
	return r
}

// upwards returns a folder and all of its parents.
func upwards(folder string) []string {
	var dirs []string
	for dir := folder; ; dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
		if filepath.Dir(dir) == dir {
			return dirs
		}
	}
}

// add records a finding and the text it is based on; if that can't be parsed, all of
// it, because the CLI may parse it.
func (r *Report) add(whole []byte, f Finding) {
	var compact bytes.Buffer
	if json.Compact(&compact, whole) == nil {
		whole = compact.Bytes() // white space doesn't run
	}
	r.Findings, r.whole = append(r.Findings, f), append(r.whole, whole)
}

// settings inspects one settings file.
func (r *Report) settings(f clisettings.File) {
	if f.Problem != "" {
		r.add(f.Data, Finding{Unreadable, f.Path, "", f.Problem, "Parley cannot tell what Claude Code would do with this."})
		return
	}
	r.hooks(f.Path, f.Settings["hooks"])
	var variables map[string]json.RawMessage
	if json.Unmarshal(f.Settings["env"], &variables) == nil {
		for _, name := range slices.Sorted(maps.Keys(variables)) {
			r.add(variables[name], Finding{Env, f.Path, name, textOf(variables[name]), "Set for Claude Code and everything it runs."})
		}
	}
	for _, name := range []string{"apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh", "otelHeadersHelper", "proxyAuthHelper"} {
		if raw := f.Settings[name]; present(raw) {
			r.add(raw, Finding{Helper, f.Path, name, textOf(raw), "Runs when Claude Code needs credentials."})
		}
	}
	for _, name := range []string{"statusLine", "subagentStatusLine", "fileSuggestion"} {
		if raw := f.Settings[name]; present(raw) {
			r.add(raw, Finding{StatusLine, f.Path, name, commandOf(raw), "May run at any time while Claude Code is running."})
		}
	}
	for _, one := range []struct{ key, kind, why string }{
		{"enabledPlugins", Plugin, "Its hooks, servers and commands are loaded."},
		{"extraKnownMarketplaces", Marketplace, "Plugins can come from there."},
		{"additionalMarketplaces", Marketplace, "Plugins can come from there."},
	} {
		var entries map[string]json.RawMessage
		if json.Unmarshal(f.Settings[one.key], &entries) != nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(entries)) {
			if string(entries[name]) != "false" {
				r.add(entries[name], Finding{one.kind, f.Path, name, textOf(entries[name]), one.why})
			}
		}
	}
	if raw := f.Settings["processWrapper"]; present(raw) {
		r.add(raw, Finding{Helper, f.Path, "processWrapper", textOf(raw), "Claude Code may use this to start its own programs."})
	}
	if raw := f.Settings["agent"]; present(raw) {
		r.add(raw, Finding{Prompt, f.Path, "agent", textOf(raw), "Sessions run as this agent, with its tools and instructions."})
	}
	r.permissions(f)
}

// permissions finds what makes the CLI ask less.
func (r *Report) permissions(f clisettings.File) {
	for _, rule := range f.Rules() {
		if rule.Effect == "allow" {
			r.add(nil, Finding{Permissions, f.Path, "allow", rule.Text, "These tool calls are allowed without asking."})
		}
	}
	var permissions map[string]json.RawMessage
	if json.Unmarshal(f.Settings["permissions"], &permissions) == nil {
		var folders []string
		if json.Unmarshal(permissions["additionalDirectories"], &folders) == nil {
			for _, dir := range folders {
				r.add(nil, Finding{Permissions, f.Path, "additionalDirectories", dir, "Claude Code also works in this folder."})
			}
		}
		if mode := textOf(permissions["defaultMode"]); mode != "" && mode != "default" && mode != "plan" {
			r.add(nil, Finding{Mode, f.Path, "defaultMode", mode, "Claude Code starts in a permission mode that asks less often."})
		}
	}
	if raw := f.Settings["sandbox"]; present(raw) {
		r.add(raw, Finding{Permissions, f.Path, "sandbox", textOf(raw), "Commands in the sandbox may run without asking. This setting can let commands run outside it."})
	}
	if raw := f.Settings["enabledMcpjsonServers"]; present(raw) {
		r.add(raw, Finding{MCP, f.Path, "enabledMcpjsonServers", textOf(raw), "These servers start without asking."})
	}
	if textOf(f.Settings["enableAllProjectMcpServers"]) == "true" {
		r.add(nil, Finding{MCP, f.Path, "enableAllProjectMcpServers", "true", "All servers in .mcp.json start without asking."})
	}
}

// hooks lists every command of every hook.
func (r *Report) hooks(file string, raw json.RawMessage) {
	if !present(raw) {
		return
	}
	var events map[string]json.RawMessage
	if json.Unmarshal(raw, &events) != nil {
		r.add(raw, Finding{Hook, file, "hooks", textOf(raw), "Parley cannot tell what Claude Code would do with this."})
		return
	}
	for _, event := range slices.Sorted(maps.Keys(events)) {
		var matchers []map[string]json.RawMessage
		if json.Unmarshal(events[event], &matchers) != nil {
			r.add(events[event], Finding{Hook, file, event, textOf(events[event]), "Parley cannot tell what Claude Code would do with this."})
			continue
		}
		for _, m := range matchers {
			name := event
			if matcher := textOf(m["matcher"]); matcher != "" && matcher != "*" {
				name += " (" + matcher + ")"
			}
			var hooks []json.RawMessage
			if json.Unmarshal(m["hooks"], &hooks) != nil && present(m["hooks"]) {
				hooks = []json.RawMessage{m["hooks"]}
			}
			for _, hook := range hooks {
				r.add(hook, Finding{Hook, file, name, commandOf(hook), "Runs on this event, without asking."})
			}
		}
	}
}

// servers lists the MCP servers of a folder.
func (r *Report) servers(file string) {
	const unknown = "Parley cannot tell what Claude Code would do with this."
	data, err := clisettings.ReadFile(file)
	if err != nil {
		if !clisettings.IsNotExist(err) {
			r.add(nil, Finding{Unreadable, file, "", err.Error(), unknown})
		}
		return
	}
	var config, servers map[string]json.RawMessage
	if json.Unmarshal(data, &config) != nil || config["mcpServers"] != nil && json.Unmarshal(config["mcpServers"], &servers) != nil {
		r.add(data, Finding{Unreadable, file, "", "it cannot be understood", unknown})
		return
	}
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		r.add(servers[name], Finding{MCP, file, name, commandOf(servers[name]), "Claude Code may start or connect to this server and offer its tools to Claude."})
	}
}

// commandOf returns what a hook or server would run or connect to; the full text if
// there is more to it. Field names are matched exactly, as in the CLI: decoding into a
// struct would accept "Command" for "command".
func commandOf(raw json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return textOf(raw)
	}
	var command, url string
	var args []string
	var env map[string]string
	for name, value := range fields {
		var err error
		switch name {
		case "command":
			err = json.Unmarshal(value, &command)
		case "url":
			err = json.Unmarshal(value, &url)
		case "args":
			err = json.Unmarshal(value, &args)
		case "env":
			err = json.Unmarshal(value, &env)
		case "type", "timeout", "padding":
		default:
			return textOf(raw)
		}
		if err != nil {
			return textOf(raw)
		}
	}
	if (command == "") == (url == "") {
		return textOf(raw)
	}
	var words []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		words = append(words, name+"="+env[name])
	}
	words = append(words, cmp.Or(command, url))
	return strings.Join(append(words, args...), " ")
}

func present(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "null", `""`, "{}", "[]", "false":
		return false
	}
	return true
}

// textOf returns a value as text: strings as they are, everything else as
// JSON.
func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var compact bytes.Buffer
	if json.Compact(&compact, raw) == nil {
		return compact.String()
	}
	return strings.TrimSpace(string(raw))
}
