// Command serve runs the Mattermost of package mattermosttest on a port of 127.0.0.1, for
// browser tests. It prints one line of JSON (type ready) and ends with its standard
// input. Tests act through its control address, which requires the secret:
//
//	POST {control}/{command}   Authorization: Bearer {secret}, a body of type command
//
// answers 200 with JSON, or 400 with {"error": "..."}. See [control] for the commands.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"parley/backend/chat/mattermost/mattermosttest"
)

// ready is the printed line.
type ready struct {
	// URL is the server's, Control that of this program.
	URL     string `json:"url"`
	Control string `json:"control"`
	Secret  string `json:"secret"`
	TeamID  string `json:"teamId"`
	// Token is the bot's; the people have theirs.
	Token  string                         `json:"token"`
	BotID  string                         `json:"botId"`
	People map[string]mattermosttest.User `json:"people"`
	// Channels maps names to ids: general and random, with the bot, ada and bob, and
	// private, with only ada and the bot. eve is in the team and in no channel; admin
	// is an administrator, who can delete anyone's posts.
	Channels map[string]string `json:"channels"`
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

// run serves until in ends.
func run(in io.Reader, out io.Writer) error {
	s, err := mattermosttest.Open(mattermosttest.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	r := furnish(s)
	r.Secret, r.Control = rand.Text(), "http://"+l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	h := &http.Server{Handler: &control{s: s, secret: r.Secret, ctx: ctx, faults: map[string]func() []int{}}, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(l) }()
	if err := json.NewEncoder(out).Encode(r); err != nil {
		return errors.Join(err, h.Close(), served(<-ended))
	}
	_, err = io.Copy(io.Discard, in)
	cancel()
	return errors.Join(err, h.Close(), served(<-ended))
}

func served(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// furnish creates the team for the tests.
func furnish(s *mattermosttest.Server) ready {
	team := s.AddTeam("parley")
	bot := s.AddBot("parley", team.Id)
	people := map[string]mattermosttest.User{}
	for _, name := range []string{"ada", "bob", "eve"} {
		people[name] = s.AddUser(name, team.Id)
	}
	people["admin"] = s.AddAdmin("admin", team.Id)
	s.Rename(people["ada"].ID, "Ada", "Lovelace", "")
	s.Rename(people["bob"].ID, "Bob", "Kahn", "")
	s.Rename(people["eve"].ID, "Eve", "Stranger", "")
	ada, bob := people["ada"].ID, people["bob"].ID
	return ready{
		URL: s.URL(), TeamID: team.Id, Token: bot.Token, BotID: bot.ID, People: people,
		Channels: map[string]string{
			"general": s.AddChannel(team.Id, "general", bot.ID, ada, bob).Id,
			"random":  s.AddChannel(team.Id, "random", bot.ID, ada, bob).Id,
			"private": s.AddPrivateChannel(team.Id, "private", bot.ID, ada).Id,
		},
	}
}
