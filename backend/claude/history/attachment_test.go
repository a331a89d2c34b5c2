package history_test

import (
	"context"
	"encoding/base64"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/claude/history"
	"parley/backend/fault"
)

func TestAttachment(t *testing.T) {
	block := func(kind, data string) string {
		return `{"type":"` + kind + `","source":{"type":"base64","media_type":"image/png","data":"` + data + `"}}`
	}
	b64 := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	long := strings.Repeat("0123456789ab", 1<<20) // the line is longer than what is otherwise read whole
	prompt := func(id, parent, content string) string {
		return `{"parentUuid":` + link(parent) + `,"type":"user","message":{"role":"user","content":[` + content + `]},"uuid":"` + id + `"}`
	}
	path := file(t,
		prompt("u1", "", block("image", b64("one"))+`,{"type":"text","text":"u2"},`+block("document", b64("two"))),
		prompt("u2", "u1", block("image", b64(long))),
		prompt("u3", "u2", block("image", "?")+`,{"type":"image","source":{"type":"url","url":"https://example.org"}}`),
		`{"parentUuid":"u3","type":"attachment","uuid":"x","attachment":{"type":"queued_command","source_uuid":"q1","prompt":[`+block("image", b64("three"))+`]}}`,
	)
	tr := history.Open(path)
	for _, tt := range []struct {
		id    string
		index int
		want  string
		code  fault.Code
	}{
		{"u1", 0, "one", ""},
		{"u1", 1, "two", ""},
		{"u1", 2, "", fault.NotFound},
		{"u2", 0, long, ""},
		{"u3", 0, "", fault.NotFound},
		{"u3", 1, "", fault.NotFound},
		{"q1", 0, "three", ""},
		{"x", 0, "", fault.NotFound},
		{"nobody", 0, "", fault.NotFound},
		{"", 0, "", fault.NotFound},
	} {
		got, err := tr.Attachment(context.Background(), tt.id, tt.index, 16<<20)
		if string(got) != tt.want || err == nil && tt.code != "" || err != nil && fault.CodeOf(err) != tt.code {
			t.Errorf("%s %d: %d bytes, %v", tt.id, tt.index, len(got), err)
		}
	}
	if _, err := tr.Attachment(context.Background(), "u2", 0, 8<<20); fault.CodeOf(err) != fault.TooLarge {
		t.Error(err)
	}
	if _, err := history.Open(filepath.Join(t.TempDir(), "none")).Attachment(context.Background(), "u1", 0, 1); fault.CodeOf(err) != fault.NotFound {
		t.Error(err)
	}
}
