package roomtool

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/backend/room"
	"parley/backend/toolserver"
	"parley/backend/untrusted"
)

// Whatever the messages, what a model receives fits a tool result.
func TestWhatIsHeardFits(t *testing.T) {
	r := &set{node: "n"}
	for _, text := range []string{strings.Repeat("<", room.MaxText), strings.Repeat("\u202e", room.MaxText/3), strings.Repeat("\x01", 900), strings.Repeat(" @", room.MaxText/2), strings.Repeat("\u3164", room.MaxText/3), strings.Repeat("ᐸ", room.MaxText/3), strings.Repeat("語", room.MaxText/3), "short"} {
		m := room.Framed{Message: room.Message{Text: text, From: room.Speaker{
			Nick: strings.Repeat("語", room.MaxNick), Title: strings.Repeat("\u202e", 200), Host: strings.Repeat("<", 200),
		}}}
		out := listenOut{Notice: room.Notice, Channel: strings.Repeat("<", room.MaxName)}
		for size := 0; len(out.Messages) < room.PageMessages; {
			if size += room.Size(m.Message); size > room.PageBytes && len(out.Messages) > 0 {
				break
			}
			out.Messages = append(out.Messages, r.heard(m, 0))
		}
		raw, err := json.Marshal(out)
		if err != nil || len(raw) > toolserver.MaxResult {
			t.Errorf("%d messages with %.10q…: %d bytes, %v", len(out.Messages), text, len(raw), err)
		}
		whole := ""
		for from := 0; ; {
			one := r.heard(m, from)
			whole += one.Text
			if from = one.Rest; from == 0 {
				break
			}
		}
		if strings.ReplaceAll(whole, `\@`, "@") != untrusted.Spelled(text) {
			t.Errorf("%.10q… is not all that is read of it", text)
		}
	}
}
