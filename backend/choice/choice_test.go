package choice

import (
	"strings"
	"testing"
)

func TestModels(t *testing.T) {
	for _, good := range []string{
		"", "opus", "sonnet[1m]", "claude-opus-5-5", "claude-3-5-sonnet-v2@20241022", "us.anthropic.claude-3-5-sonnet-20241022-v2:0", "anthropic/claude:free", "qwen2.5-coder:32b", "model_1+x",
		"arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-3-5-sonnet-20241022-v2:0", strings.Repeat("m", maxModel),
	} {
		if got := ProblemOfModel(good); got != "" {
			t.Errorf("%q %s", good, got)
		}
	}
	for _, bad := range []string{
		" ", "a b", "-p", "--dangerously-skip-permissions", "a\nb", "opus\n", "a\x00", "öpus", "оpus", "a\u202e", "a;b", "$(id)", "`id`", `a"b`, "a'b", "<b>", "../../x", "/x", "@x", "[1m]", "a\\b", "a=b", "a,b", "{}", "\xff",
		strings.Repeat("m", maxModel+1),
	} {
		if ProblemOfModel(bad) == "" {
			t.Errorf("%q is let through", bad)
		}
	}
}
