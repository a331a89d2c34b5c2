package transcript

import (
	"bytes"
	"strings"
	"time"
)

// Line is one line of a transcript file, taken apart as far as needed. It refers
// to the bytes that it was read from.
type Line struct {
	// Type is the CLI's word: "user", "assistant", "system", "attachment",
	// "custom-title"…
	Type    string
	Subtype string
	// UUID and Parent link the lines of a conversation; both are "" on lines that
	// are not part of one. Parent is "" on the first, and after a compaction it is
	// the line that stood before.
	UUID   string
	Parent string
	// Sidechain marks a line of a subagent.
	Sidechain bool
	// MessageID is the API's id of an assistant's message. Its lines follow each
	// other, one for each block.
	MessageID string

	// Compacted says that Parent is what was said before a compaction, which ends there for
	// the model.
	Compacted bool

	meta    bool // isMeta or isSynthetic: for the model, not for people
	summary bool // the summary of a compaction
	aborted bool
	failed  bool // an assistant's line that reports an API error

	time, cwd, branch, version, agent []byte
	message, content, attachment      []byte
	result, metadata, decision        []byte
	origin, command, index, status    []byte
	denial, before, after, name       []byte
	request, session, model, models   []byte
}

// ReadLine reads one line, with or without its line end. It reports false for what
// is no JSON object or is cut off; a cut line has what there is of it. Lines of
// types that say nothing about the conversation have only their type.
func ReadLine(raw []byte) (Line, bool) {
	raw = bytes.TrimPrefix(bytes.TrimRight(raw, " \t\r\n"), []byte("\ufeff"))
	// The CLI writes the type first in lines that are of no interest here, and these
	// are more than half of a file.
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

// skipped says whether lines of a type are of no interest.
func skipped(typ []byte) bool {
	switch string(typ) {
	case "queue-operation", "atis-latch", "tools-used", "api-request", "api-request-blob", "api-request-shape",
		"file-history-snapshot", "file-history-delta", "attribution-snapshot", "content-replacement":
		return true
	}
	return false
}

// At is when the line was written, in Unix milliseconds, or 0.
func (l *Line) At() int64 {
	t, err := time.Parse(time.RFC3339, str(l.time))
	if err != nil {
		return 0
	}
	return t.UnixMilli()
}

// CWD is the folder that the CLI worked in, or "".
func (l *Line) CWD() string { return str(l.cwd) }

// GitBranch is the branch of that folder, or "".
func (l *Line) GitBranch() string { return str(l.branch) }

// Version is the version of the CLI, or "".
func (l *Line) Version() string { return str(l.version) }

// AgentID is the subagent that a sidechain's line belongs to, or the one that a
// tool's result speaks of, or "".
func (l *Line) AgentID() string {
	if l.Type == "user" && len(l.agent) == 0 {
		return str(member(l.result, "agentId"))
	}
	return str(l.agent)
}

// Model is the model that gave an answer, "" on other lines and on texts that the
// CLI made itself.
func (l *Line) Model() string {
	if l.Type != "assistant" {
		return ""
	}
	if m := str(l.model); !strings.HasPrefix(m, "<") {
		return m
	}
	return ""
}

// Titles that a line may give to the conversation, the best first.
const (
	// TitleChosen was given by a user.
	TitleChosen = "chosen"
	// TitleMade was made by a model.
	TitleMade = "made"
	// TitleSummary is the summary that older CLIs kept.
	TitleSummary = "summary"
	// TitleLastPrompt is no title, but the newest prompt.
	TitleLastPrompt = "last-prompt"
)

// Title returns the title that a line gives, and which kind of title it is; "" on
// lines that give none.
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

// TotalCost is the running total in dollars that a cost-state line reports.
func (l *Line) TotalCost() (dollars float64, ok bool) {
	if l.Type != "cost-state" {
		return 0, false
	}
	return number(l.name)
}

// Results returns the ids of the tools whose results a line holds.
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
