package history

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"parley/backend/claude/transcript"
	"parley/backend/platform/safeopen"
	"parley/backend/truncate"
)

// Entry is one conversation on disk.
type Entry struct {
	// ID is the CLI's id of the conversation: the file's name.
	ID   string `json:"id"`
	Path string `json:"path"`
	// CWD is the folder of the conversation according to its lines; it can
	// only be resumed there. "" if unknown.
	CWD string `json:"cwd"`
	// Title is one line, at most 120 characters; TitleSource is "chosen" (by a
	// user), "made" (by a model), "summary", "prompt" or "".
	Title       string `json:"title"`
	TitleSource string `json:"titleSource"`
	// FirstPrompt is the start of the prompt that describes the conversation.
	FirstPrompt string `json:"firstPrompt"`
	Model       string `json:"model"`
	GitBranch   string `json:"gitBranch"`
	CLIVersion  string `json:"cliVersion"`
	// CreatedAt and ModifiedAt are in Unix milliseconds: the times of the first and
	// last line that has one, else the file's. What the CLI writes when it exits has
	// none, and a copy keeps them.
	CreatedAt  int64 `json:"createdAt"`
	ModifiedAt int64 `json:"modifiedAt"`
	Bytes      int64 `json:"bytes"`
	// Messages is -1 until counted, Counted the file's length at that time.
	Messages int   `json:"messages"`
	Counted  int64 `json:"counted,omitempty"`
	// Hidden is why the conversation is hidden, "" if it isn't.
	Hidden Reason `json:"hidden,omitempty"`
}

// Reason is why a file is hidden.
type Reason string

const (
	// Empty: it has no messages.
	Empty Reason = "empty"
	// Sidechain: it belongs to a subagent of another conversation.
	Sidechain Reason = "sidechain"
	// Warmup: the CLI was started and perhaps configured, but no model was asked
	// anything.
	Warmup Reason = "warmup"
	// Damaged: it has no JSON line.
	Damaged Reason = "damaged"
	// Unreadable: the system denies access.
	Unreadable Reason = "unreadable"
)

// Counts is the number of conversations on disk and of those shown. OnDisk =
// Shown + the sum of Hidden.
type Counts struct {
	OnDisk int            `json:"onDisk"`
	Shown  int            `json:"shown"`
	Hidden map[Reason]int `json:"hidden"`
}

// Record is what is known of a file, for a [Cache]. It encodes to JSON.
type Record struct {
	// Version is [RecordVersion]; records of other versions are ignored.
	Version int `json:"v"`
	// Inode, Size and ModTime (in nanoseconds) are those of the file when it was
	// read.
	Inode   uint64 `json:"ino"`
	Size    int64  `json:"size"`
	ModTime int64  `json:"mtime"`
	Entry   Entry  `json:"entry"`
	// Totals is the result of counting, nil before.
	Totals *Totals `json:"totals,omitempty"`
	// Settled means that more lines don't change the first prompt.
	Settled bool `json:"settled"`
}

// RecordVersion is incremented when the meaning of records changes.
const RecordVersion = 3

const (
	// firstPrompts is how many prompts are considered as the conversation's
	// name.
	firstPrompts = 10
	// maxFirstPrompt is the maximum length of FirstPrompt in characters.
	maxFirstPrompt = 500
	// tailBytes is how much of a file's end is read: the CLI writes titles there.
	tailBytes = 64 << 10
)

// headBytes returns the lengths in which a file's start is read, until something
// to name the conversation by is found. A prompt may follow tens of kilobytes of
// preparations.
func headBytes() []int64 { return []int64{8 << 10, 64 << 10, 256 << 10} }

// summary collects what the lines say about the conversation as a whole.
type summary struct {
	project string // the folder's name
	room    []byte // read buffer

	cwd, branch, version, model string
	created, last               int64
	titles                      map[string]string
	first, usable               string
	prompts                     int
	lines, linked, sidechains   int
	answered, warmed            bool
}

// add processes a line of the start.
func (s *summary) add(l *transcript.Line) {
	s.lines++
	if cwd := l.CWD(); cwd != "" && (s.cwd == "" || FolderName(s.cwd) != s.project && FolderName(cwd) == s.project) {
		s.cwd = cwd
	}
	if s.created == 0 {
		s.created = l.At()
	}
	if l.Sidechain {
		s.sidechains++
		return
	}
	s.latest(l)
	if l.UUID == "" || l.Type != "user" && l.Type != "assistant" && l.Type != "system" {
		return
	}
	s.linked++
	if l.Model() != "" {
		s.answered = true
	}
	if s.usable != "" || s.prompts >= firstPrompts {
		return
	}
	prompt, ok := l.Prompt()
	if !ok {
		return
	}
	s.prompts++
	title := transcript.Title(prompt)
	if strings.EqualFold(title, "warmup") {
		s.warmed = true
		return
	}
	if s.first == "" {
		s.first = prompt
	}
	if title != "" && !transcript.IsMetaCommand(prompt) {
		s.usable = prompt
	}
}

// latest keeps the fields of the newest line that has them.
func (s *summary) latest(l *transcript.Line) {
	if kind, title := l.Title(); kind != "" && title != "" {
		s.titles[kind] = title
	}
	if b := l.GitBranch(); b != "" {
		s.branch = b
	}
	if v := l.Version(); v != "" {
		s.version = v
	}
	if m := l.Model(); m != "" {
		s.model = m
	}
	if at := l.At(); at > 0 {
		s.last = at
	}
}

// inspect finds out what a file is about. old is its previous record, or nil: if a file
// only grew, its start isn't read again. room is the read buffer.
func inspect(ctx context.Context, room []byte, path string, info os.FileInfo, old *Record) (Record, error) {
	r := Record{
		Version: RecordVersion, Inode: inode(info), Size: info.Size(), ModTime: info.ModTime().UnixNano(),
		Entry: Entry{
			ID: strings.TrimSuffix(filepath.Base(path), ".jsonl"), Path: path,
			ModifiedAt: info.ModTime().UnixMilli(), Bytes: info.Size(), Messages: -1,
		},
	}
	s := &summary{project: filepath.Base(filepath.Dir(path)), room: room, titles: make(map[string]string)}
	if r.Size == 0 {
		r.Entry.Hidden = Empty
		return r, nil
	}
	f, err := safeopen.Open(path)
	if err != nil {
		r.Entry.Hidden = Unreadable
		return r, ctx.Err()
	}
	defer f.Close()
	grew := old != nil && old.Version == RecordVersion && old.Inode == r.Inode && old.Size <= r.Size && old.Settled
	if grew {
		e := old.Entry
		s.cwd, s.branch, s.version, s.model, s.created = e.CWD, e.GitBranch, e.CLIVersion, e.Model, e.CreatedAt
		s.usable, s.last = e.FirstPrompt, e.ModifiedAt
		if e.TitleSource != "" && e.TitleSource != sourcePrompt {
			s.titles[e.TitleSource] = e.Title
		}
		r.Totals = old.Totals
	}
	read := int64(0)
	if !grew {
		if read, err = s.head(ctx, f, r.Size); err != nil {
			return r, err
		}
	}
	if err := s.tail(ctx, f, read, r.Size); err != nil {
		return r, err
	}
	s.fill(&r)
	return r, nil
}

// head reads the start in steps. It returns where the unread lines start.
func (s *summary) head(ctx context.Context, f *os.File, size int64) (at int64, err error) {
	seen := int64(0)
	for _, limit := range headBytes() {
		limit = min(limit, size)
		end, err := forwardIn(ctx, s.room, f, at, limit, func(_ span, raw []byte) error {
			if l, ok := transcript.ReadLine(raw); ok {
				s.add(&l)
			}
			return nil
		})
		if err != nil {
			return at, err
		}
		at, seen = end, limit
		if s.usable != "" || s.sidechains > 0 && s.linked == 0 || limit == size {
			break
		}
	}
	if s.usable == "" && at < seen && seen-at <= maxWhole {
		// A partial line that is longer than what was read, or still being written,
		// may be the prompt.
		part := make([]byte, seen-at)
		if _, err := f.ReadAt(part, at); err == nil {
			l, _ := transcript.ReadLine(part)
			if _, ok := l.Prompt(); ok && l.UUID == "" {
				l.UUID = "cut off"
			}
			s.add(&l)
		}
	}
	return at, nil
}

// tail reads the end, but nothing before read.
func (s *summary) tail(ctx context.Context, f *os.File, read, size int64) error {
	from := max(read, size-tailBytes)
	skip := from > read
	if skip {
		s.last = 0 // of skipped lines
	}
	_, err := forwardIn(ctx, s.room, f, from, size, func(_ span, raw []byte) error {
		if skip { // a partial line
			skip = false
			return nil
		}
		if l, ok := transcript.ReadLine(raw); ok && !l.Sidechain {
			s.latest(&l)
		}
		return nil
	})
	return err
}

// sourcePrompt is the source of a title derived from a prompt.
const sourcePrompt = "prompt"

// fill stores the result.
func (s *summary) fill(r *Record) {
	e := &r.Entry
	e.CWD, e.GitBranch, e.CLIVersion, e.Model, e.CreatedAt = s.cwd, s.branch, s.version, s.model, s.created
	if e.CreatedAt == 0 {
		e.CreatedAt = e.ModifiedAt
	}
	if s.last > 0 {
		e.ModifiedAt = min(s.last, e.ModifiedAt)
	}
	if s.usable == "" {
		s.usable = s.first
	}
	e.FirstPrompt = truncate.Runes(strings.TrimSpace(s.usable), maxFirstPrompt)
	if e.FirstPrompt == "" {
		e.FirstPrompt = truncate.Runes(s.titles[transcript.TitleLastPrompt], maxFirstPrompt)
	}
	r.Settled = s.usable != ""
	s.title(e, r.Totals)
	whole := r.Size <= headBytes()[len(headBytes())-1]
	name := filepath.Base(e.Path)
	switch {
	case strings.HasPrefix(name, "agent-"), s.sidechains > 0 && s.linked == 0 && !r.Settled:
		e.Hidden = Sidechain
	case r.Settled && (!transcript.IsMetaCommand(s.usable) || s.answered):
	case !whole: // it is long, whatever it contains
	case s.lines == 0:
		e.Hidden = Damaged
	case s.warmed, s.prompts > 0 && !s.answered:
		e.Hidden = Warmup
	case s.linked == 0 || s.prompts == 0 && !s.answered:
		e.Hidden = Empty
	}
	if e.Hidden != "" {
		r.Settled = false
	}
}

// title chooses the best title. Counting has seen the whole file, and may know one
// that is neither at its start nor at its end.
func (s *summary) title(e *Entry, t *Totals) {
	if t != nil {
		for kind, title := range map[string]string{
			transcript.TitleChosen: t.Chosen, transcript.TitleMade: t.Made, transcript.TitleSummary: t.Summary,
		} {
			if s.titles[kind] == "" && title != "" {
				s.titles[kind] = title
			}
		}
	}
	for _, kind := range []string{transcript.TitleChosen, transcript.TitleMade, transcript.TitleSummary} {
		if e.Title = transcript.Title(s.titles[kind]); e.Title != "" {
			e.TitleSource = kind
			return
		}
	}
	if e.Title = transcript.Title(e.FirstPrompt); e.Title != "" {
		e.TitleSource = sourcePrompt
	}
}

// fresh reports whether a record still describes its file.
func (r *Record) fresh(info os.FileInfo) bool {
	return r.Version == RecordVersion && r.Size == info.Size() && r.ModTime == info.ModTime().UnixNano() && r.Inode == inode(info)
}
