package wire_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"parley/backend/claude/wire"
)

func TestDecodeOffer(t *testing.T) {
	none := wire.Offer{Models: []wire.ModelInfo{}, Commands: []wire.CommandInfo{}, SignedIn: true}
	signedOut := none
	signedOut.SignedIn = false
	long := strings.Repeat("ü", 3000)
	for _, tt := range []struct {
		name, raw string
		want      wire.Offer
	}{
		{"empty", `{}`, none},
		{"null", `null`, none},
		{"all of it", `{"models":[{"value":"default","resolvedModel":"claude-x-5","displayName":"Default","description":"The usual","supportsEffort":true,
			"supportedEffortLevels":["low","max"],"supportsFastMode":true},{"value":"haiku","displayName":"Haiku","description":""}],
			"commands":[{"name":"compact","description":"Shorten","argumentHint":"<how>","builtin":true},{"name":"__own","description":"x"}],
			"account":{"tokenSource":"none","apiKeySource":"ANTHROPIC_API_KEY","apiProvider":"firstParty"},"agents":[{"name":"Plan"}]}`,
			wire.Offer{
				Models: []wire.ModelInfo{
					{Value: "default", Resolved: "claude-x-5", Name: "Default", Description: "The usual", Efforts: []string{"low", "max"}},
					{Value: "haiku", Name: "Haiku", Efforts: []string{}},
				},
				Commands: []wire.CommandInfo{{Name: "compact", Description: "Shorten", ArgumentHint: "<how>", Builtin: true}}, Agents: []wire.AgentInfo{{Name: "Plan"}}, SignedIn: true,
			}},
		{"parts that cannot be read", `{"models":[1,null,{"value":7},{"displayName":"nameless"},{"value":"a","supportedEffortLevels":["low","low",""]},{"value":"b","supportedEffortLevels":"all"}],
			"commands":["x",{"name":""},{"name":"ok","argumentHint":null}]}`,
			wire.Offer{
				Models:   []wire.ModelInfo{{Value: "a", Efforts: []string{"low"}}},
				Commands: []wire.CommandInfo{{Name: "ok"}}, SignedIn: true,
			}},
		{"nobody signed in", `{"account":{"tokenSource":"none","apiProvider":"firstParty"}}`, signedOut},
		{"signed in by a login", `{"account":{"tokenSource":"claude.ai","apiProvider":"firstParty"}}`, none},
		{"in a cloud", `{"account":{"apiProvider":"bedrock"}}`, none},
		{"an account of another form", `{"account":"me"}`, none},
		{"a long text", fmt.Sprintf(`{"models":[{"value":"a","description":%q}]}`, long),
			wire.Offer{Models: []wire.ModelInfo{{Value: "a", Description: long[:4092] + "…", Efforts: []string{}}}, Commands: []wire.CommandInfo{}, SignedIn: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := wire.DecodeOffer([]byte(tt.raw))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, raw := range []string{"", "x", `"x"`, `[]`, `{"models":{}}`, `{"commands":1}`} {
		if _, err := wire.DecodeOffer([]byte(raw)); err == nil {
			t.Errorf("%q was read", raw)
		}
	}
}

func TestModelSet(t *testing.T) {
	for answer, want := range map[string]string{
		`{"model":"claude-opus-5-5"}`: "claude-opus-5-5",
		`{"model":null}`:              "",
		`{"model":3}`:                 "",
		`{}`:                          "",
		``:                            "",
		`{"model":"` + strings.Repeat("x", 5<<10) + `"}`: "",
	} {
		if got := wire.ModelSet(json.RawMessage(answer)); got != want {
			t.Errorf("%.80s is %q, want %q", answer, got, want)
		}
	}
}

func TestListModels(t *testing.T) {
	line, err := wire.EncodeControl("r1", wire.ListModels())
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"type":"control_request","request_id":"r1","request":{"subtype":"list_models"}}` + "\n"; string(line) != want {
		t.Errorf("%s", line)
	}
}

func FuzzDecodeOffer(f *testing.F) {
	f.Add([]byte(`{"models":[{"value":"a","supportedEffortLevels":["low"]}],"commands":[{"name":"c"}],"account":{"apiProvider":"firstParty"}}`))
	f.Add([]byte(`{"models":null,"commands":[[]]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		offer, err := wire.DecodeOffer(raw)
		if err != nil {
			return
		}
		if offer.Models == nil || offer.Commands == nil || len(offer.Models) > 500 || len(offer.Commands) > 2000 {
			t.Fatalf("%d models, %d commands", len(offer.Models), len(offer.Commands))
		}
		for _, m := range offer.Models {
			if m.Value == "" || m.Efforts == nil || len(m.Efforts) > 20 || len(m.Description) > 4<<10 || !utf8.ValidString(m.Description) {
				t.Errorf("%+v", m)
			}
		}
		for _, c := range offer.Commands {
			if c.Name == "" || strings.HasPrefix(c.Name, "__") || len(c.Description) > 4<<10 {
				t.Errorf("%+v", c)
			}
		}
		if _, err := json.Marshal(offer); err != nil {
			t.Error(err)
		}
	})
}
