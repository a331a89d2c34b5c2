package main

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mattermost/mattermost/server/public/model"

	"parley/backend/chat/mattermost/mattermosttest"
)

// maxBody bounds a command, most of which is a file.
const maxBody = 64 << 20

// longestWait bounds the duration of the command wait.
const longestWait = 2 * time.Minute

// control takes commands:
//
//	post     as, channel, text, files   writes a post: the post
//	reply    as, post, text, files      writes in a thread: the post
//	edit     as, post, text             the post
//	delete   as, post
//	react    as, post, emoji            unreact the same
//	press    as, post, button
//	upload   as, channel, name, data    the file's information; data is base64
//	direct   as, other                  the channel
//	typing   as, channel, post
//	posts    channel                    its posts, oldest first
//	thread   post                       the root and its replies, oldest first
//	get      post                       one
//	reactions post                      "username emoji" of each
//	file     file                       {"data": base64}
//	calls    as                         how many of each route
//	sockets  as                         {"count": n}
//	typings                             who typed where
//	wait     thread or channel, of, contains, count, reaction, sockets, timeout
//	                                    waits until at least count posts (1) in the
//	                                    thread or channel by "of" contain a text; or until
//	                                    a post has a reaction; or a user has so many
//	                                    sockets: the posts that fit
//	cut      as                         {"count": n}; freeze the same
//	stop, start, restart
//	skew     timeout                    moves the clock, in milliseconds
//	join, leave  as, channel            a membership
//	revoke   as                         the token given at the start
//	fault    name, fault                installs a fault under a name
//	mend     name                       removes it: how often it happened
//
// as, of and other are user ids.
type control struct {
	s      *mattermosttest.Server
	secret string
	ctx    context.Context // ends with the program

	mu     sync.Mutex
	faults map[string]func() []int
}

// command is the body of every call; each uses the fields it needs.
type command struct {
	As       string   `json:"as"`
	Of       string   `json:"of"`
	Other    string   `json:"other"`
	Channel  string   `json:"channel"`
	Post     string   `json:"post"`
	Thread   string   `json:"thread"`
	Text     string   `json:"text"`
	Contains string   `json:"contains"`
	Emoji    string   `json:"emoji"`
	Reaction string   `json:"reaction"`
	Button   string   `json:"button"`
	Files    []string `json:"files"`
	File     string   `json:"file"`
	Name     string   `json:"name"`
	Data     []byte   `json:"data"`
	Count    int      `json:"count"`
	Sockets  *int     `json:"sockets"`
	Timeout  int64    `json:"timeout"` // milliseconds
	Token    string   `json:"token"`
	Fault    *fault   `json:"fault"`
}

// fault is a mattermosttest.Fault with times in milliseconds.
type fault struct {
	// What is "drop-before", "drop-after", "hang-before", "hang-after", "slow", "status",
	// "status-after", "too-many", "event-twice", "event-swapped" or "event-lost".
	What       mattermosttest.FaultKind `json:"what"`
	Route      string                   `json:"route"`
	User       string                   `json:"user"`
	After      int                      `json:"after"`
	Times      int                      `json:"times"`
	Chance     float64                  `json:"chance"`
	Delay      int64                    `json:"delay"`
	Code       int                      `json:"code"`
	RetryAfter int64                    `json:"retryAfter"`
}

// ServeHTTP executes one command.
func (c *control) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if subtle.ConstantTimeCompare([]byte(token), []byte(c.secret)) != 1 {
		http.Error(w, "the secret is wrong", http.StatusUnauthorized)
		return
	}
	var in command
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	dec.DisallowUnknownFields()
	w.Header().Set("Content-Type", "application/json")
	if err := dec.Decode(&in); err != nil || r.Method != http.MethodPost {
		c.refuse(w, errors.Join(err, errors.New("a command is a POST with a JSON object")))
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	out, err := c.run(ctx, strings.TrimPrefix(r.URL.Path, "/"), in)
	if err != nil {
		c.refuse(w, err)
		return
	}
	if out == nil {
		out = map[string]bool{"ok": true}
	}
	_ = json.NewEncoder(w).Encode(out)
}

func (c *control) refuse(w http.ResponseWriter, err error) {
	w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": err.Error()})
}

func (c *control) run(ctx context.Context, name string, in command) (any, error) {
	if known, out, err := c.act(ctx, name, in); known {
		return out, err
	}
	if out, known := c.look(name, in); known {
		return out, nil
	}
	return c.arrange(ctx, name, in)
}

// act acts as a user.
func (c *control) act(ctx context.Context, name string, in command) (known bool, out any, err error) {
	p := c.s.Try(in.As)
	switch name {
	case "post":
		out, err = p.PostWith(&model.Post{ChannelId: in.Channel, Message: in.Text, FileIds: in.Files})
	case "reply":
		root := c.s.Post(in.Post)
		if root == nil {
			return true, nil, errors.New("there is no such post")
		}
		if root.RootId != "" {
			in.Post = root.RootId
		}
		out, err = p.PostWith(&model.Post{ChannelId: root.ChannelId, RootId: in.Post, Message: in.Text, FileIds: in.Files})
	case "edit":
		out, err = p.Edit(in.Post, in.Text)
	case "delete":
		err = p.Delete(in.Post)
	case "react":
		err = p.React(in.Post, in.Emoji)
	case "unreact":
		err = p.Unreact(in.Post, in.Emoji)
	case "press":
		err = p.Press(ctx, in.Post, in.Button)
	case "upload":
		out, err = p.Upload(in.Channel, in.Name, in.Data)
	case "direct":
		out, err = p.Direct(in.Other)
	case "typing":
		err = p.Typing(in.Channel, in.Post)
	default:
		return false, nil, nil
	}
	return true, out, err
}

// look returns the current state.
func (c *control) look(name string, in command) (out any, known bool) {
	switch name {
	case "posts":
		return c.s.Posts(in.Channel), true
	case "thread":
		return c.s.Thread(in.Post), true
	case "get":
		return c.s.Post(in.Post), true
	case "reactions":
		return c.s.Reactions(in.Post), true
	case "file":
		return map[string][]byte{"data": c.s.File(in.File)}, true
	case "calls":
		return c.s.Calls(in.As), true
	case "sockets":
		return count(c.s.Sockets(in.As)), true
	case "typings":
		return c.s.Typings(), true
	}
	return nil, false
}

func count(n int) any { return map[string]int{"count": n} }

// arrange changes the server's behavior, or waits.
func (c *control) arrange(ctx context.Context, name string, in command) (any, error) {
	switch name {
	case "wait":
		return c.wait(ctx, in)
	case "cut":
		return count(c.s.Cut(in.As)), nil
	case "freeze":
		return count(c.s.Freeze(in.As)), nil
	case "stop":
		c.s.Stop()
	case "start":
		c.s.Start()
	case "restart":
		c.s.Restart()
	case "skew":
		c.s.Skew(time.Duration(in.Timeout) * time.Millisecond)
	case "join":
		c.s.AddMember(in.Channel, in.As)
	case "leave":
		c.s.RemoveMember(in.Channel, in.As)
	case "revoke":
		c.s.Revoke(in.Token)
	case "fault":
		return nil, c.install(in)
	case "mend":
		c.mu.Lock()
		defer c.mu.Unlock()
		mend := c.faults[in.Name]
		if mend == nil {
			return nil, fmt.Errorf("there is no fault %q", in.Name)
		}
		delete(c.faults, in.Name)
		return count(mend()[0]), nil
	default:
		return nil, fmt.Errorf("there is no command %q", name)
	}
	return nil, nil
}

func (c *control) install(in command) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if in.Fault == nil || in.Fault.What == 0 || in.Name == "" || c.faults[in.Name] != nil || len(c.faults) >= 100 {
		return errors.New("a fault needs a name of its own")
	}
	f := in.Fault
	c.faults[in.Name] = c.s.Faults(mattermosttest.Fault{
		What: f.What, Route: f.Route, User: f.User, After: f.After, Times: f.Times, Chance: f.Chance, Code: f.Code,
		Delay: time.Duration(f.Delay) * time.Millisecond, RetryAfter: time.Duration(f.RetryAfter) * time.Millisecond,
	})
	return nil
}

// wait waits for posts, a reaction or sockets.
func (c *control) wait(ctx context.Context, in command) (any, error) {
	d := time.Duration(in.Timeout) * time.Millisecond
	if d <= 0 || d > longestWait {
		d = longestWait
	}
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	found := []*model.Post{}
	err := c.s.Until(ctx, func() bool {
		switch {
		case in.Sockets != nil:
			return c.s.Sockets(in.As) == *in.Sockets
		case in.Reaction != "":
			for _, r := range c.s.Reactions(in.Post) {
				if strings.HasSuffix(r, " "+in.Reaction) {
					return true
				}
			}
			return false
		}
		posts := c.s.Posts(in.Channel)
		if in.Thread != "" {
			posts = c.s.Thread(in.Thread)
		}
		found = found[:0]
		for _, p := range posts {
			if (in.Of == "" || p.UserId == in.Of) && strings.Contains(p.Message, in.Contains) {
				found = append(found, p)
			}
		}
		return len(found) >= max(in.Count, 1)
	})
	if err != nil {
		return nil, fmt.Errorf("waited in vain: %w", err)
	}
	return found, nil
}
