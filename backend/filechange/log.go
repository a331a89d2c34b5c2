package filechange

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"parley/backend/truncate"
)

// Bounds of what a log holds.
const (
	maxTurns = 20_000
	maxEdits = 50_000
	// maxText bounds the kept text of files, in bytes; edits beyond it have
	// only counts.
	maxText = 64 << 20
	// maxTitle is the length of a turn's title in characters.
	maxTitle = 120
)

// Turn is a prompt with what followed it.
type Turn struct {
	// ID is the prompt's id, as in the conversation.
	ID string
	// At is in Unix milliseconds.
	At int64
	// Title is the start of the prompt.
	Title string
	// Commands counts the shell commands that ran in it.
	Commands int
	// Noted is true if the CLI made a checkpoint.
	Noted bool
	// backups are the checkpoint: the files when the turn started, by path.
	backups map[string]Backup
}

// Backup is how one file was at a checkpoint.
type Backup struct {
	// File is the name of the copy in the CLI's folder, "" when there was no file.
	File string
	// Conversation is the CLI's id of the conversation that the copy belongs to.
	Conversation string
}

// Edit is one use of a tool that changed a file.
type Edit struct {
	ToolUseID string
	// Path is absolute.
	Path string
	// Turn is the index of its turn.
	Turn int
	At   int64
	// Agent is true if a subagent made it.
	Agent bool
	// Created is true if there was no file before.
	Created        bool
	Added, Removed int
	// Before and After are the file's whole text, line ends as "\n", nil if
	// unknown.
	Before, After *string
}

// Log is the history of changes. Lines are added in the order of their file; the main
// conversation's come before those of subagents. The zero value is not ready: use
// [New].
type Log struct {
	folder string
	// conversation is the conversation of the lines being added.
	conversation string
	turns        []Turn
	byID         map[string]int
	// byPrompt finds a turn by the CLI's own id of it.
	byPrompt map[string]int
	edits    []Edit
	text     int
	// Cut is true if something exceeded the log's bounds.
	Cut bool
}

// New returns an empty log of a conversation in a folder, to which relative paths
// belong.
func New(folder string) *Log {
	return &Log{folder: folder, byID: map[string]int{}, byPrompt: map[string]int{}}
}

// Begin sets the conversation of the following lines, by the CLI's id.
func (l *Log) Begin(conversation string) { l.conversation = conversation }

// Turns are all turns, oldest first.
func (l *Log) Turns() []Turn { return l.turns }

// Edits are all edits, in the order in which they were added.
func (l *Log) Edits() []Edit { return l.edits }

// line holds the needed fields of a line.
type line struct {
	Type      string    `json:"type"`
	UUID      string    `json:"uuid"`
	Timestamp time.Time `json:"timestamp"`
	PromptID  string    `json:"promptId"`
	Meta      bool      `json:"isMeta"`
	Sidechain bool      `json:"isSidechain"`
	Message   struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	Result json.RawMessage `json:"toolUseResult"`
	// Fields of checkpoints.
	Snapshot struct {
		MessageID string            `json:"messageId"`
		Backups   map[string]backup `json:"trackedFileBackups"`
	} `json:"snapshot"`
	SnapshotMessageID string `json:"snapshotMessageId"`
	TrackingPath      string `json:"trackingPath"`
	Backup            backup `json:"backup"`
}

type backup struct {
	File *string `json:"backupFileName"`
}

// Markers for selecting lines before they are decoded: most are not needed.
const (
	markUser     = `"type":"user"`
	markSnapshot = `"type":"file-history-`
	markBash     = `"name":"Bash"`
)

// Add adds a line of the main conversation. Unknown lines are skipped.
func (l *Log) Add(raw []byte) { l.add(raw, false) }

// AddAgent adds a line of a subagent.
func (l *Log) AddAgent(raw []byte) { l.add(raw, true) }

func (l *Log) add(raw []byte, agent bool) {
	user, bash := bytes.Contains(raw, []byte(markUser)), bytes.Contains(raw, []byte(markBash))
	if !user && !bash && (agent || !bytes.Contains(raw, []byte(markSnapshot))) {
		return
	}
	var n line
	if json.Unmarshal(raw, &n) != nil {
		return
	}
	switch n.Type {
	case "user":
		if len(n.Result) > 0 {
			l.result(n, agent)
		} else if !agent && !n.Meta && !n.Sidechain {
			l.prompt(n)
		}
	case "assistant":
		l.commands(n)
	case "file-history-snapshot":
		if i, ok := l.turn(n.Snapshot.MessageID); ok {
			l.turns[i].Noted = true
			for path, b := range n.Snapshot.Backups {
				l.note(i, path, b)
			}
		}
	case "file-history-delta":
		if i, ok := l.turn(n.SnapshotMessageID); ok {
			l.turns[i].Noted = true
			l.note(i, n.TrackingPath, n.Backup)
		}
	}
}

// turn finds a turn by its id; a checkpoint may belong to an unknown one,
// whose prompt was not typed by a user.
func (l *Log) turn(id string) (int, bool) {
	if id == "" {
		return 0, false
	}
	if i, ok := l.byID[id]; ok {
		return i, true
	}
	if len(l.turns) >= maxTurns {
		l.Cut = true
		return 0, false
	}
	l.byID[id] = len(l.turns)
	l.turns = append(l.turns, Turn{ID: id, backups: map[string]Backup{}})
	return len(l.turns) - 1, true
}

func (l *Log) prompt(n line) {
	text, ok := typed(n.Message.Content)
	if !ok {
		return
	}
	i, ok := l.turn(n.UUID)
	if !ok {
		return
	}
	l.turns[i].At, l.turns[i].Title = n.Timestamp.UnixMilli(), title(text)
	if n.PromptID != "" {
		l.byPrompt[n.PromptID] = i
	}
}

// typed returns the text of a prompt, and false for anything else.
func typed(content json.RawMessage) (string, bool) {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text, text != ""
	}
	var blocks []struct{ Type, Text string }
	if json.Unmarshal(content, &blocks) != nil {
		return "", false
	}
	for _, b := range blocks {
		switch b.Type {
		case "tool_result":
			return "", false
		case "text":
			if text == "" {
				text = b.Text
			}
		}
	}
	return text, len(blocks) > 0
}

func title(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return truncate.Runes(strings.ToValidUTF8(text, ""), maxTitle)
}

// commands counts the shell commands of an answer.
func (l *Log) commands(n line) {
	var blocks []struct{ Type, Name string }
	if json.Unmarshal(n.Message.Content, &blocks) != nil {
		return
	}
	i := l.turnOf(n)
	for _, b := range blocks {
		if b.Type == "tool_use" && b.Name == "Bash" && i >= 0 {
			l.turns[i].Commands++
		}
	}
}

// turnOf is the turn of a line: the one it names, or the one that was
// running at its time; -1 for none.
func (l *Log) turnOf(n line) int {
	if i, ok := l.byPrompt[n.PromptID]; ok && n.PromptID != "" {
		return i
	}
	at := n.Timestamp.UnixMilli()
	for i := len(l.turns) - 1; i >= 0; i-- {
		if l.turns[i].At > 0 && l.turns[i].At <= at {
			return i
		}
	}
	return len(l.turns) - 1
}

// backupName matches the CLI's names of copies. Other names are rejected.
var backupName = regexp.MustCompile(`^[0-9a-f]{8,64}@v[0-9]{1,9}$`)

// note records how a file was at the start of a turn. The first record counts:
// later ones for the same turn were made after edits.
func (l *Log) note(turn int, path string, b backup) {
	path = l.absolute(path)
	if path == "" {
		return
	}
	if _, known := l.turns[turn].backups[path]; known {
		return
	}
	copied := Backup{Conversation: l.conversation}
	if b.File != nil {
		if !backupName.MatchString(*b.File) {
			return
		}
		copied.File = *b.File
	}
	l.turns[turn].backups[path] = copied
}

func (l *Log) absolute(path string) string {
	if path == "" || strings.ContainsRune(path, 0) {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(l.folder, path)
	}
	return filepath.Clean(path)
}
