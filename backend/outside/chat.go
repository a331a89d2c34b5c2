package outside

import (
	"encoding/json"
	"slices"
	"strings"

	"parley/backend/chat/relay/port"
)

// ChatTable has a row for each field of chat.json and of its nested objects, with how it is
// judged.
func ChatTable() map[string]string {
	return map[string]string{
		"enabled": "on", "url": "any", "allowInsecure": "on", "teamId": "any", "channels": "each", "direct": "each",
		"access": "each", "mirrorChannelId": "any", "mirrorFolders": "each", "callbackUrl": "any", "displayTools": "any", "calls": "any", "suggestFixes": "on",
		"channels.channelId": "key", "channels.name": "free", "channels.folder": "any", "channels.permissionMode": "mode",
		"channels.model": "any", "channels.effort": "any", "channels.mention": "off",
		"access.role": "role", "access.userId": "key", "access.teamId": "key", "access.everyone": "key", "access.channelId": "key", "access.name": "free",
	}
}

// Chat returns what applies of the chat file, compared with what was accepted, and what is held.
func Chat(was, is port.ChatConfig) (holds port.ChatConfig, held []Change) {
	holds = is
	say := func(field, a, b string) { held = append(held, Change{Field: field, Was: a, Is: b}) }
	if is.Enabled && !was.Enabled {
		holds.Enabled = false
		say("enabled", "false", "true")
	}
	if is.AllowInsecure && !was.AllowInsecure {
		holds.AllowInsecure = false
		say("allowInsecure", "false", "true")
	}
	if is.SuggestFixes && !was.SuggestFixes {
		holds.SuggestFixes = false
		say("suggestFixes", "false", "true")
	}
	for _, f := range []struct {
		name string
		a    string
		b    *string
	}{
		{"url", was.URL, &holds.URL}, {"teamId", was.TeamID, &holds.TeamID}, {"mirrorChannelId", was.MirrorChannelID, &holds.MirrorChannelID},
		{"callbackUrl", was.CallbackURL, &holds.CallbackURL}, {"displayTools", was.DisplayTools, &holds.DisplayTools},
	} {
		if f.a != *f.b {
			say(f.name, f.a, *f.b)
			*f.b = f.a
		}
	}
	if textOf(was.Calls) != textOf(is.Calls) {
		say("calls", textOf(was.Calls), textOf(is.Calls))
		holds.Calls = was.Calls
	}
	holds.Channels = make([]port.ChatMapping, 0, len(is.Channels))
	for _, m := range is.Channels {
		at := slices.IndexFunc(was.Channels, func(o port.ChatMapping) bool { return o.ChannelID == m.ChannelID })
		var old *port.ChatMapping
		if at >= 0 {
			old = &was.Channels[at]
		}
		if wider(old, m) {
			say("channels."+nameOr(m.Name, m.ChannelID), textOf(old), textOf(&m))
			if old == nil {
				continue
			}
			m = *old
		}
		holds.Channels = append(holds.Channels, m)
	}
	if is.Direct != nil && wider(was.Direct, *is.Direct) {
		say("direct", textOf(was.Direct), textOf(is.Direct))
		holds.Direct = was.Direct
	}
	holds.Access = slices.DeleteFunc(slices.Clone(is.Access), func(g port.ChatGrant) bool {
		if slices.ContainsFunc(was.Access, func(o port.ChatGrant) bool { return covers(o, g) }) {
			return false
		}
		say("access."+nameOr(g.Name, g.UserID+g.TeamID), "", textOf(&g))
		return true
	})
	holds.MirrorFolders = slices.DeleteFunc(slices.Clone(is.MirrorFolders), func(f string) bool {
		if slices.Contains(was.MirrorFolders, f) {
			return false
		}
		say("mirrorFolders", "", f)
		return true
	})
	return holds, held
}

// wider reports whether a channel allows more than it did; nil is none.
func wider(was *port.ChatMapping, is port.ChatMapping) bool {
	return was == nil || was.Folder != is.Folder || was.Model != is.Model || was.Effort != is.Effort || was.Mention && !is.Mention ||
		laxer(was.PermissionMode, is.PermissionMode)
}

// covers reports whether a right includes another.
func covers(has, wants port.ChatGrant) bool {
	roles := []port.ChatRole{port.RoleWatch, port.RolePrompt, port.RoleApprove, port.RoleAdmin}
	return has.UserID == wants.UserID && has.TeamID == wants.TeamID && has.Everyone == wants.Everyone &&
		(has.ChannelID == wants.ChannelID || has.ChannelID == "") &&
		slices.Contains(roles, wants.Role) && slices.Index(roles, has.Role) >= slices.Index(roles, wants.Role)
}

func nameOr(name, id string) string {
	if name = strings.TrimSpace(name); name != "" {
		return name
	}
	return id
}

// textOf is a part of the file as JSON, "" for none.
func textOf[T any](v *T) string {
	if v == nil {
		return ""
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return "" // plain fields
	}
	return string(raw)
}
