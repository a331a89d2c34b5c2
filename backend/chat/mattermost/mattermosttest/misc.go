package mattermosttest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mattermost/mattermost/server/public/model"
)

// integrationWithin bounds how long a button's address may take, integrationBytes the
// size of its answer.
const (
	integrationWithin = 30 * time.Second
	integrationBytes  = 1 << 20
)

// routes returns the known calls; the first match is used.
func (s *Server) routes() []route {
	var table []route
	add := func(name string, do handler) *route {
		method, path, _ := strings.Cut(name, " /")
		table = append(table, route{name: name, method: method, parts: strings.Split(path, "/"), do: do})
		return &table[len(table)-1]
	}
	add("GET /system/ping", ping).open = true
	add("GET /config/client", clientConfig).open = true
	add("GET /license/client", clientLicense).open = true
	socket := add("GET /websocket", connect)
	socket.open, socket.free = true, true

	add("GET /users", listUsers)
	add("POST /users/ids", usersByIDs)
	add("POST /users/usernames", usersByNames)
	add("POST /users/search", searchUsers)
	add("GET /users/autocomplete", autocompleteUsers)
	add("POST /users/status/ids", getStatuses)
	add("GET /users/username/{username}", getUserByName)
	add("GET /users/{user_id}", getUser)
	add("GET /users/{user_id}/status", getStatus)
	add("PUT /users/{user_id}/status", putStatus)
	add("POST /users/{user_id}/typing", postTyping)
	add("GET /users/{user_id}/preferences", getPreferences)
	add("PUT /users/{user_id}/preferences", putPreferences)
	add("POST /users/{user_id}/preferences/delete", deletePreferences)
	add("GET /users/{user_id}/preferences/{category}", getPreferences)
	add("GET /users/{user_id}/preferences/{category}/name/{name}", getPreference)
	add("GET /users/{user_id}/teams", teamsOfUser)
	add("GET /users/{user_id}/teams/members", teamMembersOfUser)
	add("GET /users/{user_id}/channels", channelsOfUser)
	add("GET /users/{user_id}/teams/{team_id}/channels", channelsOfUser)
	add("GET /users/{user_id}/teams/{team_id}/channels/members", membersOfUser)
	add("DELETE /users/{user_id}/posts/{post_id}/reactions/{emoji_name}", deleteReaction)

	add("GET /teams/name/{name}", getTeamByName)
	add("GET /teams/{team_id}", getTeam)
	add("GET /teams/{team_id}/members", teamMembers)
	add("GET /teams/{team_id}/members/{user_id}", teamMember)
	add("GET /teams/{team_id}/channels", openChannels)
	add("POST /teams/{team_id}/channels/search", searchChannels)
	add("GET /teams/{team_id}/channels/name/{name}", getChannelByName)

	add("POST /channels", createChannel)
	add("POST /channels/direct", createDirect)
	add("POST /channels/group", createGroup)
	add("POST /channels/members/{user_id}/view", viewChannel)
	add("GET /channels/{channel_id}", getChannel)
	add("GET /channels/{channel_id}/posts", postsForChannel)
	add("GET /channels/{channel_id}/members", channelMembers)
	add("POST /channels/{channel_id}/members", addChannelMember)
	add("GET /channels/{channel_id}/members/{user_id}", channelMember)
	add("DELETE /channels/{channel_id}/members/{user_id}", removeChannelMember)

	add("POST /posts", createPost)
	add("POST /posts/ids", postsByIDs)
	add("POST /posts/ids/reactions", bulkReactions)
	add("POST /posts/ephemeral", ephemeralPost)
	add("GET /posts/{post_id}", getPost)
	add("PUT /posts/{post_id}", putPost)
	add("DELETE /posts/{post_id}", deletePost)
	add("PUT /posts/{post_id}/patch", patchPost)
	add("GET /posts/{post_id}/thread", getThread)
	add("GET /posts/{post_id}/reactions", getReactions)
	add("GET /posts/{post_id}/files/info", filesOfPost)
	add("POST /posts/{post_id}/actions/{action_id}", doAction).free = true

	add("POST /reactions", saveReaction)

	add("POST /files", uploadFile).file = true
	add("GET /files/{file_id}", getFile)
	add("GET /files/{file_id}/info", getFileInfo)
	return table
}

func ping(*call) (reply, *model.AppError) {
	return ok(map[string]string{"status": model.StatusOk, "ActiveSearchBackend": "database", "AndroidLatestVersion": "", "IosLatestVersion": ""})
}

// clientConfig only tells strangers what they need to log in.
func clientConfig(c *call) (reply, *model.AppError) {
	o := c.s.opts
	out := map[string]string{
		"Version": o.Version, "BuildNumber": o.Version, "BuildEnterpriseReady": "false",
		"SiteName": "Mattermost", "SiteURL": c.s.URL(), "WebsocketURL": "", "DiagnosticsEnabled": "false",
	}
	if c.user != nil {
		limit := "-1"
		if o.EditLimit > 0 {
			limit = strconv.Itoa(int(o.EditLimit / time.Second))
		}
		out["MaxPostSize"] = strconv.Itoa(o.MaxPost)
		out["MaxFileSize"] = strconv.FormatInt(o.MaxFile, 10)
		out["EnableFileAttachments"] = "true"
		out["PostEditTimeLimit"] = limit
		out["EnableUserTypingMessages"] = "true"
		out["TimeBetweenUserTypingUpdatesMilliseconds"] = "5000"
		out["EnableReliableWebSockets"] = "true"
		out["CollapsedThreads"] = "always_on"
	}
	return ok(out)
}

func clientLicense(*call) (reply, *model.AppError) {
	return ok(map[string]string{"IsLicensed": "false"})
}

// Typing is a typing indicator.
type Typing struct{ UserID, ChannelID, RootID string }

// typing tells the others in a channel that a user is typing; mu is held.
func (s *Server) typing(u *user, channelID, rootID string) *model.AppError {
	c := s.channels[channelID]
	if c == nil || c.members[u.Id] == nil {
		return forbidden()
	}
	if len(s.typings) < maxTypings {
		s.typings = append(s.typings, Typing{u.Id, channelID, rootID})
	}
	s.publish(event{kind: model.WebsocketEventTyping, channel: channelID, omit: u.Id, data: map[string]any{"parent_id": rootID, "user_id": u.Id}})
	s.change()
	return nil
}

func postTyping(c *call) (reply, *model.AppError) {
	if _, e := c.self(); e != nil {
		return reply{}, e
	}
	var in model.TypingRequest
	if e := c.decode("typing_request", &in); e != nil {
		return reply{}, e
	}
	if e := c.s.typing(c.user, in.ChannelId, in.ParentId); e != nil {
		return reply{}, e
	}
	return statusOK()
}

func getPreferences(c *call) (reply, *model.AppError) {
	id, e := c.self()
	if e != nil {
		return reply{}, e
	}
	category, one := c.vars["category"]
	out := model.Preferences{}
	for _, p := range c.s.prefs[id] {
		if !one || p.Category == category {
			out = append(out, p)
		}
	}
	return ok(out)
}

func getPreference(c *call) (reply, *model.AppError) {
	id, e := c.self()
	if e != nil {
		return reply{}, e
	}
	for _, p := range c.s.prefs[id] {
		if p.Category == c.vars["category"] && p.Name == c.vars["name"] {
			return ok(p)
		}
	}
	return reply{}, fail(http.StatusBadRequest, "app.preference.get.app_error", "We encountered an error while finding preferences.")
}

func putPreferences(c *call) (reply, *model.AppError) { return c.preferences(true) }

func deletePreferences(c *call) (reply, *model.AppError) { return c.preferences(false) }

func (c *call) preferences(keep bool) (reply, *model.AppError) {
	id, e := c.self()
	if e != nil {
		return reply{}, e
	}
	var in model.Preferences
	if e := c.decode("preferences", &in); e != nil {
		return reply{}, e
	}
	if len(in) == 0 || len(in) > 100 {
		return reply{}, invalidBody("preferences")
	}
	for _, p := range in {
		if p.UserId != id {
			return reply{}, forbidden()
		}
		rest := model.Preferences{}
		for _, old := range c.s.prefs[id] {
			if old.Category != p.Category || old.Name != p.Name {
				rest = append(rest, old)
			}
		}
		if keep {
			rest = append(rest, p)
		}
		c.s.prefs[id] = rest
	}
	return statusOK()
}

func doAction(c *call) (reply, *model.AppError) {
	id, e := c.id("post_id")
	if e != nil {
		return reply{}, e
	}
	var in model.DoPostActionRequest
	if len(c.body) > 0 {
		if e := c.decode("action", &in); e != nil {
			return reply{}, e
		}
	}
	trigger, e := c.s.press(c.r.Context(), c.user, id, c.vars["action_id"], in.SelectedOption)
	if e != nil {
		return reply{}, e
	}
	return ok(&model.PostActionAPIResponse{Status: model.StatusOk, TriggerId: trigger})
}

func badAction() *model.AppError {
	return fail(http.StatusBadRequest, "api.post.do_action.action_integration.app_error", "Action integration error.")
}

// press calls the address of a button and executes its answer. mu is free.
func (s *Server) press(ctx context.Context, u *user, postID, actionID, selected string) (string, *model.AppError) {
	s.mu.Lock()
	p, e := s.readable(u, postID)
	if e != nil {
		s.mu.Unlock()
		return "", e
	}
	action := p.GetAction(actionID)
	if p.DeleteAt != 0 || action == nil || action.Integration == nil || action.Disabled {
		s.mu.Unlock()
		return "", fail(http.StatusNotFound, "api.post.do_action.action_id.app_error", "Invalid action id.")
	}
	ch := s.channels[p.ChannelId]
	req := &model.PostActionIntegrationRequest{
		UserId: u.Id, UserName: u.Username, PostId: postID, ChannelId: ch.Id, ChannelName: ch.Name, TeamId: ch.TeamId,
		Type: action.Type, TriggerId: model.NewId(), Context: plain(action.Integration.Context),
	}
	if t := s.teams[ch.TeamId]; t != nil {
		req.TeamName = t.Name
	}
	if action.Type == model.PostActionTypeSelect && selected != "" {
		req.DataSource = action.DataSource
		req.Context["selected_option"] = selected
	}
	s.mu.Unlock()
	if s.opts.NoIntegrations {
		return "", badAction()
	}
	answer, err := callOut(ctx, action.Integration.URL, req)
	if err != nil {
		return "", badAction()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if up := answer.Update; up != nil {
		p := s.live(postID)
		if p == nil {
			return "", missingPost(http.StatusNotFound)
		}
		patch := &model.PostPatch{Message: &up.Message}
		if props := up.GetProps(); props != nil {
			props = plain(props)
			patch.Props = &props
		}
		if _, e := s.rewrite(p, patch); e != nil {
			return "", e
		}
	}
	if answer.EphemeralText != "" {
		whisper := &model.Post{Id: model.NewId(), UserId: u.Id, ChannelId: ch.Id, RootId: p.RootId, Message: answer.EphemeralText,
			Type: model.PostTypeEphemeral, CreateAt: s.now(), Props: model.StringInterface{}}
		if raw, err := json.Marshal(whisper); err == nil {
			s.publish(event{kind: model.WebsocketEventEphemeralMessage, user: u.Id, channel: ch.Id, data: map[string]any{"post": string(raw)}})
		}
	}
	return req.TriggerId, nil
}

func callOut(ctx context.Context, url string, in *model.PostActionIntegrationRequest) (*model.PostActionIntegrationResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, integrationWithin)
	defer cancel()
	body, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, integrationBytes))
	if err != nil {
		return nil, err
	}
	out := &model.PostActionIntegrationResponse{}
	if resp.StatusCode != http.StatusOK {
		return nil, &model.AppError{Id: "status", StatusCode: resp.StatusCode}
	}
	if len(text) == 0 {
		return out, nil
	}
	return out, json.Unmarshal(text, out)
}
