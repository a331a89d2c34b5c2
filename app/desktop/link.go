package desktop

import (
	"net/url"
	"strings"

	"parley/backend/fault"
)

// outside returns a link in the form to pass to the system, or a fault if its scheme must not be
// opened: anything but http, https and mailto may start a program with arguments of the model's
// choice.
func outside(link string) (string, error) {
	u, err := url.Parse(link)
	if err != nil {
		return "", fault.Wrap(err, fault.Invalid, "This link cannot be opened.")
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		if u.Host == "" {
			return "", fault.New(fault.Invalid, "This link has no host.")
		}
	case "mailto":
	default:
		return "", fault.New(fault.Invalid, "Links of type %q cannot be opened.", u.Scheme+":")
	}
	return escapeShell(u.String()), nil
}

// escapeShell percent-encodes characters that are legal in a URL and special to a shell. No shell
// is involved on most systems, but the opener is the user's choice, often a script.
func escapeShell(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c <= ' ', c >= 0x7f, strings.IndexByte("!$'()*;<>[\\]`{|}~\"", c) >= 0:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
