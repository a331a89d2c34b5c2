package role

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/app/desktop"
)

func TestFirstOfThePage(t *testing.T) {
	tests := map[string]struct {
		settings, layout string
		attributes       map[string]string
		style            string
	}{
		"unreadable": {
			"", "{", map[string]string{"data-window": "native", "data-scheme": "", "data-accent": "", "lang": ""}, "",
		},
		"as it comes": {
			`{"theme":"system","scheme":"parley","language":"system","density":"comfortable","fontSize":13,"codeFontSize":13,"zoom":100}`,
			`{"layout":{"panes":[{"tabs":[],"active":null}],"sidebar":{"width":0,"collapsed":false}}}`,
			map[string]string{"data-window": "native", "data-scheme": "parley", "data-accent": ""}, "",
		},
		"all chosen": {
			`{"theme":"dark","scheme":"nord","accent":"teal","language":"de","density":"compact","font":"Inter","codeFont":"Fira Code","fontSize":26,"codeFontSize":6.5,"zoom":150}`,
			`{"layout":{"panes":[{"tabs":["s1"],"active":"s1"}],"sidebar":{"width":9999,"collapsed":true}}}`,
			map[string]string{"data-window": "native", "data-scheme": "nord", "data-accent": "teal", "data-theme": "dark", "lang": "de", "data-sidebar": "hidden", "data-tabs": "shown"},
			`:root{font-size:24px;--type-scale:2;--code-scale:0.5;--density:0.75;--font:"Inter", system-ui, sans-serif;--mono:"Fira Code", ui-monospace, monospace;--sidebar:480px;}`,
		},
		"a font that would end the style sheet": {
			`{"theme":"light","language":"en","font":"x;}</style><script>","zoom":100}`, `{"layout":{"sidebar":{"width":300}}}`,
			map[string]string{"data-window": "native", "data-scheme": "", "data-accent": "", "data-theme": "light", "lang": "en"}, ":root{--sidebar:300px;}",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := &Openings{log: slog.New(slog.DiscardHandler), call: func(_ context.Context, method string, _ json.RawMessage) (json.RawMessage, error) {
				switch {
				case method == "layout.get":
					return json.RawMessage(tt.layout), nil
				case method == "settings.get" && tt.settings != "":
					return json.RawMessage(tt.settings), nil
				}
				return nil, errors.New("not now")
			}}
			first := o.First(t.Context())
			o.Wait()
			first.Answers = nil
			if diff := cmp.Diff(desktop.First{Attributes: tt.attributes, Style: tt.style}, first); diff != "" {
				t.Error("(-want +got):\n", diff)
			}
		})
	}
}
