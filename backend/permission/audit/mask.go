package audit

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
)

// masked replaces a secret.
const masked = "•••"

// maxRead is how much of a text is read for a summary.
const maxRead = 1024

// secretName matches the ends of names whose values are secrets.
const secretName = `[A-Za-z0-9_.-]*(?i:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|cookie)[A-Za-z0-9_-]*`

// value matches the value after such a name.
const value = `(\\"[^"\\]*(?:\\")?|"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"'&;|,)}\]]+)`

// shapes match secrets; a match is replaced except for its first group.
var shapes = []*regexp.Regexp{
	regexp.MustCompile(`()(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\z)`),
	regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^\s/]*@`),
	regexp.MustCompile(`((?i:authorization|x-api-key)["']?\s*[:=]\s*["']?(?i:(?:bearer|basic|digest|token)\s+)?)[^\s"']+`),
	regexp.MustCompile(`(\b(?i:bearer|basic|digest)\s+)[A-Za-z0-9._~+/=-]{12,}`),
	regexp.MustCompile(`(--?` + secretName + `(?:\s+|=))` + value),
	regexp.MustCompile(`(` + secretName + `\\?["']?\s*[:=]\s*)` + value),
	regexp.MustCompile(`((?:^|\s)(?:-u|--user|--proxy-user)[\s=]*["']?[^\s:"']+:)[^\s"']+`),
	regexp.MustCompile(`(\bsshpass\s+-p\s*)` + value),
	regexp.MustCompile(`(\b(?:mysql|mysqldump|mariadb)\b[^|;&]*?\s-p)[^\s"']+`),
	regexp.MustCompile(`()\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{10,}`),
	regexp.MustCompile(`()\b(?:gh[opsur]|github_pat|glpat|gldt|xox[abeoprs]|xapp|npm|hf|dop_v1|shpat|pypi|lin_api|sntrys)[-_][A-Za-z0-9_-]{10,}`),
	regexp.MustCompile(`()\b(?:AKIA|ASIA)[A-Z0-9]{12,}`),
	regexp.MustCompile(`()\bAIza[A-Za-z0-9_-]{20,}`),
	regexp.MustCompile(`()\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?`),
	regexp.MustCompile(`()\b[0-9A-Fa-f]{32,}\b`),
}

// dense matches a run that may be a key: see [isKey].
var dense = regexp.MustCompile(`[A-Za-z0-9+_=-]{32,}`)

// Mask replaces everything that looks like a secret. When in doubt, it masks.
func Mask(s string) string {
	for _, shape := range shapes {
		s = shape.ReplaceAllString(s, "${1}"+masked)
	}
	return dense.ReplaceAllStringFunc(s, func(run string) string {
		if isKey(run) {
			return masked
		}
		return run
	})
}

// isKey distinguishes keys from long names: they mix digits with letters of
// both cases.
func isKey(run string) bool {
	return strings.ContainsFunc(run, unicode.IsDigit) && strings.ContainsFunc(run, unicode.IsUpper) && strings.ContainsFunc(run, unicode.IsLower)
}

// maskedLine masks a text and reduces it to one line of up to n characters. It
// masks before it truncates, so that no unrecognizable part of a secret remains.
func maskedLine(s string, n int) string {
	if len(s) > maxRead {
		s = s[:maxRead]
		// The last word may be a part of a secret.
		if at := strings.LastIndexAny(s, " \t\r\n"); at >= 0 {
			s = s[:at]
		} else {
			s = masked
		}
		s += " …"
	}
	return clip(Mask(strings.ToValidUTF8(s, "\uFFFD")), n)
}

// told are the input fields that best describe what a tool would do, in this
// order.
var told = []string{"command", "file_path", "notebook_path", "path", "url", "query", "pattern", "plan", "description", "prompt", "message", "folder"}

// Summary returns one masked line about a tool's input, of up to 200 characters.
// It never contains file contents.
func Summary(input json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		return ""
	}
	for _, name := range told {
		var text string
		if json.Unmarshal(fields[name], &text) == nil && strings.TrimSpace(text) != "" {
			return maskedLine(text, maxName)
		}
	}
	var asked []struct {
		Question string `json:"question"`
	}
	if json.Unmarshal(fields["questions"], &asked) == nil && len(asked) > 0 {
		texts := make([]string, len(asked))
		for i, q := range asked {
			texts[i] = q.Question
		}
		return maskedLine(strings.Join(texts, " "), maxName)
	}
	delete(fields, "content")
	rest, err := json.Marshal(fields)
	if err != nil {
		return ""
	}
	return maskedLine(string(rest), maxName)
}
