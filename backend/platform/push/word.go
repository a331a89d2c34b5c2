package push

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"parley/backend/fault"
)

// The kinds of addresses.
const (
	Webhook = "webhook"
	Ntfy    = "ntfy"
)

const (
	// maxURL, maxTemplate and maxSecret bound user input.
	maxURL, maxTemplate, maxSecret = 2000, 4000, 500
	// minKey is the minimum length of a webhook's key: its signatures are visible to
	// eavesdroppers.
	minKey = 16
	// keyPrefix marks a base64-encoded key.
	keyPrefix = "whsec_"
)

// Target is where notifications go.
type Target struct {
	ID string
	// Kind is [Webhook] or [Ntfy].
	Kind string
	// URL is the address; for a topic it ends with its name.
	URL string
	// Template is a webhook's body with placeholders such as {{title}}, "" for the
	// default.
	Template string
}

// Word is a notification.
type Word struct {
	// Event is "question", "done", "failed", "limit" or "test".
	Event     string    `json:"event"`
	Title     string    `json:"title"`
	Text      string    `json:"text"`
	SessionID string    `json:"session"`
	Folder    string    `json:"folder"`
	At        time.Time `json:"time"`
}

// Host returns the host's name, for display.
func (t Target) Host() string {
	u, err := url.Parse(t.URL)
	if err != nil {
		return "The address"
	}
	return u.Host
}

// Origin returns what a secret is for.
func (t Target) Origin() string {
	u, err := url.Parse(t.URL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

var topicName = regexp.MustCompile(`^[-_A-Za-z0-9]{1,64}$`)

// topic splits the address of a topic.
func topic(u *url.URL) (server, name string) {
	at := strings.LastIndexByte(u.Path, '/')
	base := *u
	base.Path = u.Path[:at+1]
	return base.String(), u.Path[at+1:]
}

// Check returns a fault (invalid) for an invalid target.
func Check(t Target) error {
	u, err := url.Parse(t.URL)
	switch {
	case len(t.URL) > maxURL:
		return fault.New(fault.Invalid, "The address is too long (parameter url).")
	case err != nil || u.Host == "" || u.Hostname() == "" || u.Fragment != "" || u.Scheme != "http" && u.Scheme != "https":
		return fault.New(fault.Invalid, "Enter a full address that starts with https:// or http:// (parameter url).")
	case u.User != nil:
		return fault.New(fault.Invalid, "The address must not contain a user name or password. Enter the key or token in its own field (parameter url).")
	}
	switch t.Kind {
	case Ntfy:
		if !strings.Contains(u.Path, "/") || u.RawQuery != "" {
			return fault.New(fault.Invalid, "Enter the server and the topic, such as https://ntfy.sh/my-topic (parameter url).")
		}
		if _, name := topic(u); !topicName.MatchString(name) {
			return fault.New(fault.Invalid, "The address must end with a topic of at most 64 letters, digits, \"-\", and \"_\", such as https://ntfy.sh/my-topic (parameter url).")
		}
		if t.Template != "" {
			return fault.New(fault.Invalid, "Only webhooks can have a template (parameter template).")
		}
		return nil
	case Webhook:
		return checkTemplate(t.Template)
	default:
		return fault.New(fault.Invalid, "This kind of address is unknown. Use ntfy or webhook (parameter kind).")
	}
}

// CheckSecret returns a fault (invalid) for an invalid secret of the kind. It doesn't
// contain the secret.
func CheckSecret(kind, secret string) error {
	if len(secret) > maxSecret || strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fault.New(fault.Invalid, "A key or token must be one word of at most %d letters, digits and symbols (parameter secret).", maxSecret)
	}
	if kind == Webhook && len(keyOf(secret)) < minKey {
		return fault.New(fault.Invalid, "The key must have at least %d characters (parameter secret).", minKey)
	}
	return nil
}

// keyOf returns the bytes of a webhook's key.
func keyOf(secret string) []byte {
	if encoded, ok := strings.CutPrefix(secret, keyPrefix); ok {
		if raw, err := base64.StdEncoding.DecodeString(encoded); err == nil {
			return raw
		}
	}
	return []byte(secret)
}

var placeholder = regexp.MustCompile(`\{\{\s*([A-Za-z]*)\s*\}\}`)

func checkTemplate(template string) error {
	if template == "" {
		return nil
	}
	if len(template) > maxTemplate {
		return fault.New(fault.Invalid, "The template is longer than %d characters (parameter template).", maxTemplate)
	}
	nasty := `a"b\c`
	sample := Word{Event: nasty, Title: nasty, Text: nasty, SessionID: nasty, Folder: nasty}
	for _, found := range placeholder.FindAllStringSubmatch(template, -1) {
		if _, known := sample.field(found[1]); !known {
			return fault.New(fault.Invalid, "The template has the unknown placeholder %q. The placeholders are event, title, text, session, folder and time (parameter template).", found[1])
		}
	}
	if !json.Valid(fill(template, sample)) {
		return fault.New(fault.Invalid, "The template is not JSON. Write placeholders inside quotes, such as {\"text\": \"{{title}}\"} (parameter template).")
	}
	return nil
}

// field returns the value of a placeholder.
func (w Word) field(name string) (string, bool) {
	switch name {
	case "event":
		return w.Event, true
	case "title":
		return w.Title, true
	case "text":
		return w.Text, true
	case "session":
		return w.SessionID, true
	case "folder":
		return w.Folder, true
	case "time":
		return w.At.UTC().Format(time.RFC3339), true
	default:
		return "", false
	}
}

// fill inserts the notification into the template, each value as the inside of
// a JSON string.
func fill(template string, w Word) []byte {
	return placeholder.ReplaceAllFunc([]byte(template), func(match []byte) []byte {
		value, _ := w.field(string(placeholder.FindSubmatch(match)[1]))
		quoted := encode(value)
		return quoted[1 : len(quoted)-1]
	})
}

// encode encodes a value that always encodes.
func encode(v any) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("push: %v", err)) // only strings and times of this century
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// body returns the request body for a target, and its address.
func (t Target) body(w Word) (address string, body []byte, err error) {
	if t.Kind == Webhook {
		if t.Template != "" {
			return t.URL, fill(t.Template, w), nil
		}
		w.At = w.At.UTC().Truncate(time.Second)
		return t.URL, encode(w), nil
	}
	u, err := url.Parse(t.URL)
	if err != nil {
		return "", nil, err
	}
	server, name := topic(u)
	const usual, high = 3, 4
	note := struct {
		Topic    string `json:"topic"`
		Title    string `json:"title"`
		Message  string `json:"message"`
		Priority int    `json:"priority"`
	}{name, w.Title, w.Text, high}
	if w.Event == "done" || w.Event == "test" {
		note.Priority = usual
	}
	return server, encode(note), nil
}

// sign returns the signature of a body, sent under an id at a time.
func sign(key []byte, id string, at int64, body []byte) string {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.", id, at)
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
