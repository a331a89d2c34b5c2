package access

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"parley/backend/chat/relay/port"
	"parley/backend/choice"
	"parley/backend/fault"
	"parley/backend/truncate"
)

// The limits of a configuration.
const (
	maxChannels = 200
	maxGrants   = 500
	maxFolders  = 100
	// maxFile, maxURL and maxFolder are in bytes; maxName is in characters.
	maxFile   = 1 << 20
	maxURL    = 2000
	maxFolder = 4096
	maxName   = 200
	maxID     = 64
)

var errEmpty = errors.New("it is empty")

// Decode decodes a configuration file, normalizes and validates it. Its errors are
// faults.
func Decode(data []byte) (port.ChatConfig, error) {
	if len(data) > maxFile {
		return port.ChatConfig{}, fault.New(fault.TooLarge, "The Mattermost settings have %d bytes; the limit is %d.", len(data), maxFile)
	}
	var c port.ChatConfig
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		if errors.Is(err, io.EOF) {
			err = errEmpty
		}
		return port.ChatConfig{}, fault.Wrap(err, fault.Invalid, "The Mattermost settings cannot be read: %s. Fix the file, or delete it and connect again.", truncate.Runes(err.Error(), maxWhat))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return port.ChatConfig{}, fault.New(fault.Invalid, "The Mattermost settings have text after the closing brace. Remove that text.")
	}
	c = Normalise(c)
	if err := Validate(c); err != nil {
		return port.ChatConfig{}, err
	}
	return c, nil
}

// Normalise returns c in its stored form: with trimmed words, plain folders and addresses,
// without exact duplicates, and with absent lists as empty ones. It neither changes the
// meaning of c, nor c itself.
func Normalise(c port.ChatConfig) port.ChatConfig {
	c.URL, c.CallbackURL = plainURL(c.URL), plainURL(c.CallbackURL)
	c.TeamID, c.MirrorChannelID = strings.TrimSpace(c.TeamID), strings.TrimSpace(c.MirrorChannelID)
	c.DisplayTools = strings.TrimSpace(c.DisplayTools)
	if c.Calls != nil {
		calls := *c.Calls
		calls.Who, calls.QuietFrom, calls.QuietTo = strings.TrimSpace(calls.Who), strings.TrimSpace(calls.QuietFrom), strings.TrimSpace(calls.QuietTo)
		if c.Calls = &calls; calls == (port.ChatCalls{}) {
			c.Calls = nil
		}
	}
	channels := make([]port.ChatMapping, 0, len(c.Channels))
	for _, m := range c.Channels {
		channels = append(channels, plainMapping(m))
	}
	c.Channels = channels
	if c.Direct != nil {
		direct := plainMapping(*c.Direct)
		c.Direct = &direct
	}
	access := make([]port.ChatGrant, 0, len(c.Access))
	seen := map[port.ChatGrant]bool{}
	for _, g := range c.Access {
		g.Role = port.ChatRole(strings.TrimSpace(string(g.Role)))
		g.UserID, g.TeamID, g.ChannelID = strings.TrimSpace(g.UserID), strings.TrimSpace(g.TeamID), strings.TrimSpace(g.ChannelID)
		g.Name = plainName(g.Name)
		same := g
		same.Name = ""
		if !seen[same] {
			seen[same] = true
			access = append(access, g)
		}
	}
	c.Access = access
	var folders []string
	for _, f := range c.MirrorFolders {
		if f = plainFolder(f); f != "" && !slices.Contains(folders, f) {
			folders = append(folders, f)
		}
	}
	c.MirrorFolders = folders
	return c
}

func plainMapping(m port.ChatMapping) port.ChatMapping {
	m.ChannelID, m.Name, m.Folder = strings.TrimSpace(m.ChannelID), plainName(m.Name), plainFolder(m.Folder)
	m.PermissionMode, m.Model, m.Effort = strings.TrimSpace(m.PermissionMode), strings.TrimSpace(m.Model), strings.TrimSpace(m.Effort)
	return m
}

// plainName removes invisible characters.
func plainName(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// plainFolder keeps blanks: they may belong to the name.
func plainFolder(s string) string {
	if filepath.IsAbs(s) {
		return filepath.Clean(s)
	}
	return strings.TrimSpace(s)
}

// plainURL lower-cases the case-insensitive parts, and removes trailing slashes.
func plainURL(s string) string {
	s = strings.TrimSpace(s)
	u, err := url.Parse(s)
	if err != nil || u.Host == "" {
		return s
	}
	if u.Path = strings.TrimRight(u.Path, "/"); u.RawPath != "" {
		u.RawPath = strings.TrimRight(u.RawPath, "/")
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	return u.String()
}

// Validate validates a normalized configuration. Its errors are faults that say what to do.
func Validate(c port.ChatConfig) error {
	if err := validateServer(c); err != nil {
		return err
	}
	switch {
	case len(c.Channels) > maxChannels:
		return fault.New(fault.TooLarge, "%d channels are selected; the limit is %d.", len(c.Channels), maxChannels)
	case len(c.Access) > maxGrants:
		return fault.New(fault.TooLarge, "There are %d permissions; the limit is %d. Give permissions to teams instead of individual people.", len(c.Access), maxGrants)
	}
	seen := map[string]bool{}
	for _, m := range c.Channels {
		switch {
		case m.ChannelID == "":
			return fault.New(fault.Invalid, "The channel %q has no ID. Choose it again.", m.Name)
		case seen[m.ChannelID]:
			return fault.New(fault.Invalid, "The channel %s is listed twice. Remove one.", nameOf(m.Name, m.ChannelID))
		}
		seen[m.ChannelID] = true
		if err := validateMapping(m, "The channel "+nameOf(m.Name, m.ChannelID)); err != nil {
			return err
		}
	}
	if c.Direct != nil {
		if c.Direct.ChannelID != "" {
			return fault.New(fault.Invalid, "Settings for direct messages cannot name a channel (direct.channelId). Leave it empty.")
		}
		if err := validateMapping(*c.Direct, "What holds for direct messages"); err != nil {
			return err
		}
	}
	for _, g := range c.Access {
		if err := validateGrant(g); err != nil {
			return err
		}
	}
	if c.Calls != nil {
		if err := validateCalls(*c.Calls); err != nil {
			return err
		}
	}
	return validateMirror(c)
}

func validateCalls(c port.ChatCalls) error {
	const day = 24 * 60
	from, errFrom := Clock(c.QuietFrom)
	to, errTo := Clock(c.QuietTo)
	switch {
	case !slices.Contains([]string{"", "first", "all", "none"}, c.Who):
		return fault.New(fault.Invalid, "calls.who is %.50q; it must be \"first\", \"all\" or \"none\".", c.Who)
	case c.RemindMinutes < 0 || c.RemindMinutes > day || c.HandOverMinutes < 0 || c.HandOverMinutes > day:
		return fault.New(fault.Invalid, "Enter 1 to %d minutes for reminders and escalation, or 0 for never.", day)
	case c.QuietFrom == "" && c.QuietTo == "":
		return nil
	case errFrom != nil || errTo != nil:
		return fault.New(fault.Invalid, "Enter a start and an end for the quiet hours, such as 22:00 and 07:30.")
	case from == to:
		return fault.New(fault.Invalid, "Quiet hours start and end at the same time. Choose another time, or leave both empty.")
	}
	return nil
}

// Clock parses a time of day, such as "07:30", as the duration since midnight.
func Clock(s string) (time.Duration, error) {
	t, err := time.Parse("15:04", s)
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, err
}

func validateServer(c port.ChatConfig) error {
	if c.URL == "" && c.Enabled {
		return fault.New(fault.Invalid, "Enter the address of the Mattermost server, such as https://chat.example.org.")
	}
	if err := validateURL(c.URL, "The address of the chat's server", c.AllowInsecure); err != nil {
		return err
	}
	if err := validateURL(c.CallbackURL, "The address for buttons", c.AllowInsecure); err != nil {
		return err
	}
	if c.TeamID != "" && !isID(c.TeamID) {
		return fault.New(fault.Invalid, "The team's ID is not valid. Choose the team again.")
	}
	if !slices.Contains([]string{"", "line", "none"}, c.DisplayTools) {
		return fault.New(fault.Invalid, "displayTools is %.50q; it must be \"line\" or \"none\".", c.DisplayTools)
	}
	return nil
}

// validateURL validates an address. Plain http is only for this computer, unless it is
// allowed.
func validateURL(s, what string, insecure bool) error {
	if s == "" {
		return nil
	}
	if len(s) > maxURL {
		return fault.New(fault.TooLarge, "%s is too long.", what)
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Hostname() == "" || u.Opaque != "" || hasControl(s):
		return fault.New(fault.Invalid, "%s is not a valid address. Example: https://chat.example.org.", what)
	case u.User != nil:
		return fault.New(fault.Invalid, "%s contains a user name or password. Remove them.", what)
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return fault.New(fault.Invalid, "%s must not contain \"?\" or \"#\".", what)
	case u.Scheme == "https":
		return nil
	case u.Scheme != "http":
		return fault.New(fault.Invalid, "%s must begin with https://.", what)
	case !insecure && !isLoopback(u.Hostname()):
		return fault.New(fault.Invalid, "%s starts with http://, so others on the network could read everything. Use https://, or allow http.", what)
	}
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func validateMapping(m port.ChatMapping, what string) error {
	switch {
	case m.ChannelID != "" && !isID(m.ChannelID):
		return fault.New(fault.Invalid, "%s has an ID that is not valid. Choose it again.", what)
	case utf8.RuneCountInString(m.Name) > maxName:
		return fault.New(fault.TooLarge, "%s has a name of more than %d characters. Shorten it.", what, maxName)
	case m.Folder == "":
		return fault.New(fault.Invalid, "%s has no folder. Choose one for its sessions.", what)
	case !isFolder(m.Folder):
		return fault.New(fault.Invalid, "%s has the folder %.200q, which is not an absolute path. Choose one that starts with a slash.", what, m.Folder)
	case m.PermissionMode != "" && !choice.Modes().Has(m.PermissionMode):
		return fault.New(fault.Invalid, "%s has the permission mode %.50q; it must be one of %s, or empty.", what, m.PermissionMode, strings.Join(choice.Modes(), ", "))
	case choice.ProblemOfModel(m.Model) != "":
		return fault.New(fault.Invalid, "%s has a model that is not valid: it %s.", what, choice.ProblemOfModel(m.Model))
	case !isWord(m.Effort):
		return fault.New(fault.Invalid, "%s has an effort that is not valid. Choose it again.", what)
	}
	return nil
}

func validateGrant(g port.ChatGrant) error {
	who := nameOf(g.Name, g.UserID+g.TeamID)
	switch {
	case g.Everyone:
		who = "everybody"
	case g.UserID == "" && g.TeamID == "":
		return fault.New(fault.Invalid, "Choose who gets the permission %q: a person, a team, or everyone in a channel.", g.Role)
	}
	switch {
	case g.Role == port.RoleNone:
		return fault.New(fault.Invalid, "%s has no permission set. Choose one, or remove the entry.", who)
	case rank(g.Role) == 0:
		return fault.New(fault.Invalid, "%.50q is not a permission for %s; it must be watch, prompt, approve or admin.", string(g.Role), who)
	case g.Everyone && (g.UserID != "" || g.TeamID != ""):
		return fault.New(fault.Invalid, "A permission applies to everyone and also to one person or team. Choose one of the two.")
	case g.Everyone && g.ChannelID == "":
		return fault.New(fault.Invalid, "A permission applies to everyone, but has no channel, so it has no effect. Choose the channel.")
	case g.Everyone && g.Role == port.RoleAdmin:
		return fault.New(fault.Invalid, "With admin, everyone who joins the channel could change everything. Give admin to people or to a team.")
	case g.UserID != "" && !isID(g.UserID), g.TeamID != "" && !isID(g.TeamID), g.ChannelID != "" && !isID(g.ChannelID):
		return fault.New(fault.Invalid, "The permission of %s has an ID that is not valid. Choose the person, team and channel again.", who)
	case utf8.RuneCountInString(g.Name) > maxName:
		return fault.New(fault.TooLarge, "A permission has a name of more than %d characters. Shorten it.", maxName)
	}
	return nil
}

func validateMirror(c port.ChatConfig) error {
	switch {
	case c.MirrorChannelID != "" && !isID(c.MirrorChannelID):
		return fault.New(fault.Invalid, "The channel for mirrored sessions has an ID that is not valid. Choose it again.")
	case len(c.MirrorFolders) > maxFolders:
		return fault.New(fault.TooLarge, "The sessions of %d folders are mirrored; the limit is %d folders.", len(c.MirrorFolders), maxFolders)
	case len(c.MirrorFolders) > 0 && c.MirrorChannelID == "":
		return fault.New(fault.Invalid, "Sessions of some folders are mirrored, but no channel is set for them. Choose one.")
	}
	for _, f := range c.MirrorFolders {
		if !isFolder(f) {
			return fault.New(fault.Invalid, "The mirrored folder %.200q is not an absolute path. Choose one that starts with a slash.", f)
		}
	}
	return nil
}

func isFolder(s string) bool { return len(s) <= maxFolder && filepath.IsAbs(s) && !hasControl(s) }

func isWord(s string) bool { return utf8.RuneCountInString(s) <= maxName && !hasControl(s) }

func hasControl(s string) bool {
	return !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl)
}

// isID reports whether s can be a Mattermost id.
func isID(s string) bool {
	return s != "" && len(s) <= maxID && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	})
}

func nameOf(name, id string) string {
	if name != "" {
		return truncate.Runes(name, maxWhat)
	}
	return truncate.Runes(id, maxWhat)
}
