package transcript

import (
	"bytes"
	"strings"
	"time"
)

// Line is one line of a transcript file, parsed as far as needed. It refers to
// the bytes it was read from.
type Line struct {
	// Type is the CLI's line type: "user", "assistant", "system",
	// "attachment", "custom-title"…
	Type    string
	Subtype string
	// UUID and Parent link the lines of a conversation; both are "" on lines that
	// aren't part of one. Parent is "" on the first, and after a compaction it is
	// the line before it.
	UUID   string
	Parent string
	// Sidechain marks a line of a subagent.
	Sidechain bool
	// MessageID is the API's id of an assistant's message. Its lines are
	// consecutive, one for each block.
	MessageID string

	// Compacted means that Parent precedes a compaction, where the model's context ends.
	Compacted bool

	meta    bool // isMeta or isSynthetic: for the model, not for users
	summary bool // the summary of a compaction
	aborted bool
	failed  bool // an assistant's line with an API error

	time, cwd, branch, version, agent []byte
	message, content, attachment      []byte
	result, metadata, decision        []byte
	origin, command, index, status    []byte
	denial, before, after, name       []byte
	request, session, model, models   []byte
}

// ReadLine parses one line, with or without its line end. It returns false for
// what isn't a JSON object or is truncated; a truncated line has the available
// fields. Lines of irrelevant types only have their type.
func ReadLine(raw []byte) (Line, bool) {
	raw = bytes.TrimPrefix(bytes.TrimRight(raw, " \t\r\n"), []byte("\ufeff"))
	// The CLI writes the type first in irrelevant lines, which are more than half of
	// a file.
	if rest, ok := bytes.CutPrefix(raw, []byte(`{"type":"`)); ok {
		if end := bytes.IndexByte(rest, '"'); end >= 0 && skipped(rest[:end]) {
			return Line{Type: string(rest[:end])}, raw[len(raw)-1] == '}'
		}
	}
	var l Line
	var parent, logical []byte
	whole := members(raw, func(key, v []byte) bool {
		switch string(key) {
		case "type":
			l.Type = str(v)
		case "subtype":
			l.Subtype = str(v)
		case "uuid":
			l.UUID = str(v)
		case "parentUuid":
			parent = v
		case "logicalParentUuid":
			logical = v
		case "isSidechain":
			l.Sidechain = isTrue(v)
		case "isMeta", "isSynthetic":
			l.meta = l.meta || isTrue(v)
		case "isCompactSummary":
			l.summary = isTrue(v)
		case "isAbortedMidStream":
			l.aborted = isTrue(v)
		case "isApiErrorMessage":
			l.failed = isTrue(v)
		case "timestamp":
			l.time = v
		case "cwd":
			l.cwd = v
		case "gitBranch":
			l.branch = v
		case "version":
			l.version = v
		case "agentId":
			l.agent = v
		case "message":
			l.message = v
		case "content":
			l.content = v
		case "attachment":
			l.attachment = v
		case "toolUseResult":
			l.result = v
		case "compactMetadata", "compact_metadata":
			l.metadata = v
		case "permissionDecision":
			l.decision = v
		case "toolDenialKind":
			l.denial = v
		case "toolDenialBeforeRun":
			l.before = v
		case "toolDenialAfterRun":
			l.after = v
		case "origin":
			l.origin = v
		case "commandRun":
			l.command = v
		case "apiBlockIndex":
			l.index = v
		case "apiErrorStatus":
			l.status = v
		case "requestId":
			l.request = v
		case "sessionId":
			l.session = v
		case "modelUsage":
			l.models = v
		case "customTitle", "aiTitle", "summary", "lastPrompt", "totalCostUSD":
			l.name = v
		}
		return true
	})
	if l.Parent = str(parent); l.Parent == "" {
		l.Parent = str(logical)
		l.Compacted = l.Parent != ""
	}
	if l.Type == "assistant" {
		members(l.message, func(key, v []byte) bool {
			switch string(key) {
			case "id":
				l.MessageID = str(v)
			case "model":
				l.model = v
			}
			return l.MessageID == "" || l.model == nil
		})
		if l.MessageID == "" {
			l.MessageID = l.UUID
		}
	}
	return l, whole && len(raw) > 0
}

// skipped reports whether lines of a type are irrelevant.
func skipped(typ []byte) bool {
	switch string(typ) {
	case "queue-operation", "atis-latch", "tools-used", "api-request", "api-request-blob", "api-request-shape",
		"file-history-snapshot", "file-history-delta", "attribution-snapshot", "content-replacement":
		return true
	}
	return false
}

// At returns when the line was written, in Unix milliseconds, or 0.
func (l *Line) At() int64 {
	t, err := time.Parse(time.RFC3339, str(l.time))
	if err != nil {
		return 0
	}
	return t.UnixMilli()
}

// CWD returns the CLI's working folder, or "".
func (l *Line) CWD() string { return str(l.cwd) }

// GitBranch returns the branch of that folder, or "".
func (l *Line) GitBranch() string { return str(l.branch) }

// Version returns the version of the CLI, or "".
func (l *Line) Version() string { return str(l.version) }

// AgentID returns the subagent of a sidechain's line, or the one mentioned by a
// tool's result, or "".
func (l *Line) AgentID() string {
	if l.Type == "user" && len(l.agent) == 0 {
		return str(member(l.result, "agentId"))
	}
	return str(l.agent)
}

// Model returns the model that gave an answer, "" on other lines and on texts
// that the CLI created itself.
func (l *Line) Model() string {
	if l.Type != "assistant" {
		return ""
	}
	if m := str(l.model); !strings.HasPrefix(m, "<") {
		return m
	}
	return ""
}

// Kinds of titles in a line, best first.
const (
	// TitleChosen was chosen by a user.
	TitleChosen = "chosen"
	// TitleMade was generated by a model.
	TitleMade = "made"
	// TitleSummary is the summary of older CLIs.
	TitleSummary = "summary"
	// TitleLastPrompt isn't a title, but the newest prompt.
	TitleLastPrompt = "last-prompt"
)

// Title returns a line's title and its kind; "" on lines without one.
func (l *Line) Title() (kind, title string) {
	switch l.Type {
	case "custom-title":
		kind = TitleChosen
	case "ai-title":
		kind = TitleMade
	case "summary":
		kind = TitleSummary
	case "last-prompt":
		kind = TitleLastPrompt
	default:
		return "", ""
	}
	return kind, str(l.name)
}

// TotalCost returns the running total in dollars of a cost-state line.
func (l *Line) TotalCost() (dollars float64, ok bool) {
	if l.Type != "cost-state" {
		return 0, false
	}
	return number(l.name)
}

// Results returns the ids of the tools whose results are in a line.
func (l *Line) Results() []string {
	if l.Type != "user" {
		return nil
	}
	var ids []string
	each(member(l.message, "content"), func(kind string, block []byte) bool {
		if kind == "tool_result" {
			ids = append(ids, str(member(block, "tool_use_id")))
		}
		return true
	})
	return ids
}
