package history

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"parley/backend/platform/safeopen"
)

// Agent is a subagent of a conversation. Its messages are in its own file.
type Agent struct {
	// ID is the CLI's id of the agent.
	ID string
	// ToolUseID is the tool use that started it, "" if an older CLI didn't record it.
	ToolUseID string
	// Type and Description are those of the tool use.
	Type        string
	Description string
	// Path is its file.
	Path string
}

// Agents lists the subagents of the conversation, ordered by file name. There are
// none if the CLI created no folder for them.
func (t *Transcript) Agents() ([]Agent, error) {
	dir := t.agentsFolder()
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(err)
	}
	var agents []Agent
	for _, f := range files {
		id, ok := agentID(f)
		if !ok {
			continue
		}
		a := Agent{ID: id, Path: filepath.Join(dir, f.Name())}
		var meta struct{ AgentType, Description, ToolUseID string }
		raw, err := safeopen.Read(filepath.Join(dir, "agent-"+id+".meta.json"), 1<<20)
		if err == nil && json.Unmarshal(raw, &meta) == nil {
			a.ToolUseID, a.Type, a.Description = meta.ToolUseID, meta.AgentType, meta.Description
		}
		agents = append(agents, a)
	}
	return agents, nil
}

// agentsFolder returns the folder of the conversation's subagents.
func (t *Transcript) agentsFolder() string {
	return filepath.Join(strings.TrimSuffix(t.path, ".jsonl"), "subagents")
}

// agentID returns the id of a file's subagent.
func agentID(f fs.DirEntry) (string, bool) {
	id, ok := strings.CutPrefix(strings.TrimSuffix(f.Name(), ".jsonl"), "agent-")
	return id, ok && !f.IsDir() && isTranscript(f.Name())
}

// Open returns the agent's conversation. The messages have the tool use as
// their parent.
func (a Agent) Open() *Transcript {
	parent := a.ToolUseID
	if parent == "" {
		parent = a.ID
	}
	return &Transcript{path: a.Path, parent: parent}
}
