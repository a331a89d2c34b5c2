package feature

import "strings"

// LoginName is how the system calls the user, "" when it does not say.
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
