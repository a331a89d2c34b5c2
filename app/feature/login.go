package feature

import "strings"

// LoginName is the user's login name, "" if unknown.
func LoginName(env []string) string {
	for _, name := range []string{"USER", "LOGNAME", "USERNAME"} {
		for _, pair := range env {
			if value, ok := strings.CutPrefix(pair, name+"="); ok && value != "" {
				return value
			}
		}
	}
	return ""
}
