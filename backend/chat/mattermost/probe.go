package mattermost

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/backend/chat/mattermost/wire"

	"parley/backend/chat"
	"parley/backend/fault"
)

// Limits of selection lists.
const (
	maxTeams    = 200
	maxChannels = 100
	maxPeople   = 50
)

// oldest is the first version with paged threads, which Parley needs to find what it sent
// before a restart.
const oldest = 7

// ProbeResult is what a server reports about itself and an account.
type ProbeResult struct {
	Version string
	Me      chat.Person
	Teams   []chat.Team
	// Warnings are readable sentences.
	Warnings []string
}

// Probe asks the server about itself and the account, once, without retries. Its error
// is a fault that says what to do.
func (c *Client) Probe(ctx context.Context) (ProbeResult, error) {
	ctx, cancel := context.WithTimeout(ctx, c.tune.patience)
	defer cancel()
	u, version, err := c.signIn(ctx, c.try)
	if err != nil {
		return ProbeResult{}, fault.Wrap(err, codeOf(err), "%s", c.advice(err))
	}
	out := ProbeResult{Version: version, Me: c.Me()}
	if out.Teams, err = c.Teams(ctx); err != nil {
		return ProbeResult{}, fault.Wrap(err, codeOf(err), "%s", c.advice(err))
	}
	if major, err := strconv.Atoi(strings.Split(version, ".")[0]); err == nil && major < oldest {
		out.Warnings = append(out.Warnings, fmt.Sprintf("The server runs Mattermost %s. Parley is made for %d.0 and later.", version, oldest))
	}
	if hasRole(u.Roles, wire.RoleAdmin) {
		out.Warnings = append(out.Warnings, "The account is a system administrator. Anyone who gets its token controls the server. Use an account without that role.")
	}
	if !u.IsBot {
		out.Warnings = append(out.Warnings, "The account is not a bot. Parley's posts appear as @"+u.Username+".")
	}
	if len(out.Teams) == 0 {
		out.Warnings = append(out.Warnings, "The account is not in a team yet. Add it to a team and to the channels Parley should listen in.")
	}
	s, err := c.dial(ctx)
	if err != nil {
		out.Warnings = append(out.Warnings, "Parley could not open the server's WebSocket, so it would miss new posts. If there is a proxy, let it pass WebSockets.")
	} else {
		s.close()
	}
	return out, nil
}

func codeOf(err error) fault.Code {
	f, ok := asFailure(err)
	switch {
	case ok && f.status == http.StatusUnauthorized:
		return fault.Unauthorized
	case errors.Is(err, chat.ErrForbidden):
		return fault.Forbidden
	case ok && f.address:
		return fault.Invalid
	}
	return fault.Unavailable
}

// advice returns a sentence for the user on why the server can't be used.
func (c *Client) advice(err error) string {
	f, ok := asFailure(err)
	switch {
	case ok && f.status == http.StatusUnauthorized:
		return "The server rejected the access token. Create a new one there and enter it here."
	case errors.Is(err, chat.ErrForbidden):
		return "The server rejected this account. Ask its administrator whether access tokens and bots are allowed."
	case ok && f.address && f.status >= 300 && f.status < 400:
		return "The address is wrong: " + f.text + ". Enter that address instead."
	case ok && f.address:
		return "The server at " + c.base.String() + " is not a Mattermost server. Check the address."
	case ok && f.status == http.StatusTooManyRequests:
		return "The server is limiting requests. Wait a while, then try again."
	case ok && f.status >= 500:
		return "The server at " + c.base.Host + " reported an error: " + f.text + "."
	case ok:
		return "The server at " + c.base.Host + " cannot be reached: " + f.text + "."
	}
	return "The server at " + c.base.Host + " did not answer in time."
}

// Teams returns the account's teams, at most 200.
func (c *Client) Teams(ctx context.Context) ([]chat.Team, error) {
	var teams []*wire.Team
	if err := c.do(ctx, call{method: http.MethodGet, path: "/users/me/teams"}, &teams); err != nil {
		return nil, err
	}
	out := []chat.Team{}
	for _, t := range teams {
		if t != nil && t.DeleteAt == 0 {
			out = append(out, team(t))
		}
	}
	slices.SortFunc(out, func(a, b chat.Team) int { return cmp.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)) })
	return out[:min(len(out), maxTeams)], nil
}

// Channels returns a team's channels that the account is in or, with a query, those with
// a matching name, including ones it could join; at most 100, and whether there are
// more.
func (c *Client) Channels(ctx context.Context, teamID, query string) ([]chat.Channel, bool, error) {
	if !wire.IsID(teamID) {
		return nil, false, chat.ErrGone
	}
	query = strings.ToLower(strings.TrimSpace(query))
	var mine, found []*wire.Channel
	if err := c.do(ctx, call{method: http.MethodGet, path: "/users/me/teams/" + teamID + "/channels"}, &mine); err != nil {
		return nil, false, err
	}
	if query != "" {
		body := map[string]string{"term": query}
		err := c.do(ctx, call{method: http.MethodPost, path: "/teams/" + teamID + "/channels/search", body: body}, &found)
		if err != nil && !errors.Is(err, chat.ErrForbidden) {
			return nil, false, err
		}
	}
	out, seen := []chat.Channel{}, map[string]bool{}
	for _, m := range slices.Concat(mine, found) {
		if m == nil || seen[m.ID] || m.DeleteAt > 0 || m.TeamID != teamID {
			continue
		}
		seen[m.ID] = true
		if strings.Contains(strings.ToLower(m.Name+"\n"+m.DisplayName), query) {
			out = append(out, channel(m))
		}
	}
	slices.SortFunc(out, func(a, b chat.Channel) int { return cmp.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)) })
	return out[:min(len(out), maxChannels)], len(out) > maxChannels, nil
}

// People returns those whose name starts with query, in a team or, for "", on the
// server; at most 50.
func (c *Client) People(ctx context.Context, query, teamID string) ([]chat.Person, error) {
	q := url.Values{"name": {strings.TrimPrefix(strings.TrimSpace(query), "@")}, "limit": {strconv.Itoa(maxPeople)}}
	if teamID != "" {
		if !wire.IsID(teamID) {
			return nil, chat.ErrGone
		}
		q.Set("in_team", teamID)
	}
	var found wire.Users
	if err := c.do(ctx, call{method: http.MethodGet, path: "/users/autocomplete", query: q, timeout: 10 * time.Second}, &found); err != nil {
		return nil, err
	}
	out := []chat.Person{}
	for _, u := range found.Users {
		if u != nil && len(out) < maxPeople {
			out = append(out, person(u))
		}
	}
	return out, nil
}
