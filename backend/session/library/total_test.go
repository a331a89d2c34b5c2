package library

import (
	"os"
	"path/filepath"
	"testing"
)

// Statements about all messages are true or omitted.
func TestTotal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(file, []byte("four"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		links []link
		want  int
	}{
		{"counted", []link{{path: file, messages: 10, counted: 4}, {path: file, messages: 34, counted: 4}}, 44},
		{"one is not counted yet", []link{{path: file, messages: 10, counted: 4}, {path: file, messages: -1}}, 0},
		{"one has grown since", []link{{path: file, messages: 10, counted: 4}, {path: file, messages: 34, counted: 3}}, 0},
		{"one is gone", []link{{path: file, messages: 10, counted: 4}, {messages: -1}}, 10},
		{"one is shown in part", []link{{path: file, messages: 10, counted: 4}, {path: file, messages: 34, counted: 4, last: "x"}}, 0},
		{"nothing", nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := (&view{links: tt.links}).total(); got != tt.want {
				t.Errorf("%d, want %d", got, tt.want)
			}
		})
	}
}
