package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"parley/backend/chat/relay/post"
	"parley/backend/event"
)

const (
	// maxExport bounds a file, in bytes; exportPage is how many messages are read at once.
	maxExport  = 16 << 20
	exportPage = 200
	// maxResult bounds one tool's result in a readable export, in characters.
	maxResult = 2000
)

func doExport(ctx context.Context, t *Table, g given) (Reply, error) {
	format := strings.ToLower(free(g.text))
	switch format {
	case "", "markdown":
		format = "md"
	case "md", "json":
	default:
		return Reply{}, errUsage
	}
	s, err := t.session(ctx, &g)
	if err != nil {
		return Reply{}, err
	}
	pieces, whole, err := t.conversation(ctx, s.ID, format)
	if err != nil {
		return Reply{}, err
	}
	if len(pieces) == 0 {
		return Reply{Text: "This session has no messages yet."}, nil
	}
	file := File{Name: fileName(&s) + "." + format}
	if format == "json" {
		file.Data = slices.Concat([]byte("[\n"), bytes.Join(pieces, []byte(",\n")), []byte("\n]\n"))
	} else {
		head := "# " + post.Escape(post.OneLine(s.Title)) + "\n\n"
		file.Data = append([]byte(head), bytes.Join(pieces, []byte("\n"))...)
	}
	said := fmt.Sprintf(":page_facing_up: %s: %s messages.", nameOf(&s), thousands(int64(len(pieces))))
	if !whole {
		said += " Older ones do not fit in a file."
	}
	return Reply{Text: said, Files: []File{file}}, nil
}

// conversation returns the messages of a session in file form, oldest first; whole is
// false if the oldest don't fit.
func (t *Table) conversation(ctx context.Context, sessionID, format string) (pieces [][]byte, whole bool, err error) {
	size, before := 0, ""
	for {
		page, err := t.ports.Sessions.Page(ctx, sessionID, before, exportPage)
		if err != nil {
			return nil, false, err
		}
		for i := range slices.Backward(page.Messages) {
			piece, err := written(&page.Messages[i], format)
			if err != nil {
				return nil, false, err
			}
			if size += len(piece) + 2; size > maxExport {
				slices.Reverse(pieces)
				return pieces, false, nil
			}
			if len(piece) > 0 {
				pieces = append(pieces, piece)
			}
		}
		if before = page.Before; !page.HasMore || before == "" || len(page.Messages) == 0 {
			slices.Reverse(pieces)
			return pieces, true, nil
		}
	}
}

func written(m *event.Message, format string) ([]byte, error) {
	if format == "json" {
		raw, err := json.Marshal(m)
		if err != nil {
			return nil, fmt.Errorf("write a message: %w", err)
		}
		return raw, nil
	}
	return []byte(readable(m)), nil
}

// readable formats a message for people.
func readable(m *event.Message) string {
	who := map[string]string{"user": "You", "assistant": "Claude", "shell": "Command", "notice": "Notice"}[m.Role]
	if m.Author != nil {
		who = m.Author.Name
	}
	var b strings.Builder
	fmt.Fprintf(&b, "## %s · %s\n\n", post.Escape(post.OneLine(who)), moment(m.At))
	if m.Notice != nil {
		b.WriteString(post.Escape(m.Notice.Text) + "\n")
	}
	for _, a := range m.Attachments {
		b.WriteString("- " + code(a.Name) + "\n")
	}
	if m.Shell != nil {
		b.WriteString(post.Fence(m.Shell.Command, "sh") + "\n")
	}
	for _, block := range m.Blocks {
		switch {
		case block.Tool != nil:
			b.WriteString(toolText(block.Tool))
		case block.Type == "text" && m.Shell != nil:
			b.WriteString(post.Fence(block.Text, "text") + "\n")
		case block.Type == "text" && strings.TrimSpace(block.Text) != "":
			b.WriteString(strings.TrimSpace(block.Text) + "\n\n")
		}
	}
	return b.String()
}

func toolText(t *event.Tool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s** (%s)\n\n", post.Escape(t.Name), t.State)
	if len(t.Input) > 0 {
		var pretty bytes.Buffer
		if json.Indent(&pretty, t.Input, "", "  ") == nil {
			b.WriteString(post.Fence(post.Truncate(pretty.String(), maxResult), "json") + "\n\n")
		}
	}
	for _, c := range t.Content {
		if strings.TrimSpace(c.Text) != "" {
			b.WriteString(post.Fence(post.Truncate(c.Text, maxResult), "text") + "\n\n")
		}
	}
	return b.String()
}

// fileName returns a name for a session's file: letters, digits and "-".
func fileName(s *event.Session) string {
	var b strings.Builder
	for _, r := range strings.ToLower(post.Truncate(s.Title, 60)) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	name := strings.Trim(b.String(), "-")
	if name == "" {
		name = "session"
	}
	return name + "-" + time.UnixMilli(s.LastActivityAt).UTC().Format("2006-01-02")
}
