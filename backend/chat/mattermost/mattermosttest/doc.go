// Package mattermosttest is a Mattermost in memory, for tests: it answers the REST calls
// and the WebSocket that a bot needs, as the real server does (status codes, bodies of
// errors, headers, limits, order and shape of events), so that the official client
// (model.Client4, model.WebSocketClient) runs against it, and it fails on demand.
//
// # Use
//
//	s := mattermosttest.New(t, mattermosttest.Options{})
//	team := s.AddTeam("ops")
//	bot := s.AddBot("parley", team.Id)            // bot.ID, bot.Token
//	ada := s.AddUser("ada", team.Id)
//	ch := s.AddChannel(team.Id, "general", bot.ID, ada.ID)
//	client := model.NewAPIv4Client(s.URL())       // and the WebSocket below s.SocketURL()
//
// People act with [Server.As], which fails the test where the server refuses, or
// [Server.Try], which returns the error; neither goes through the faults:
//
//	root := s.As(ada.ID).Post(ch.Id, "hello")     // Reply, React, Unreact, Edit, Delete,
//	s.As(ada.ID).React(root.Id, "+1")             // Upload, PostWith, Press, Typing, Direct
//
// Look with [Server.Posts], [Server.Thread], [Server.Post], [Server.Reactions],
// [Server.Calls], [Server.Typings], [Server.Sockets]; wait with [Server.WaitFor], whose
// condition is asked again after everything that happens here (and after [Server.Poke]),
// without sleeping.
//
// Faults of calls and events are installed with [Server.Faults]; sockets are cut with
// [Server.Cut] and made half-open with [Server.Freeze]; [Server.Stop], [Server.Start] and
// [Server.Restart] take the whole server away; [Server.Skew] moves its clock.
// [Server.RemoveMember], [Server.Archive], [Server.Deactivate] and [Server.Revoke] take
// rights away. [Server.Weather] is a whole scenario of these, with its checks.
//
// # What it is strict about
//
// As with the real server: the same pending_post_id gives the same post for 30 seconds,
// but a restart forgets which were seen; an edit leaves the former text behind as a deleted
// post with another id (original_id says of what), which posts "since" a time include, as
// they include deleted posts; these are at most 1,000, the ones changed first; a reaction
// changes update_at; times are milliseconds, which several posts share when Options.Clock
// stands still; file ids come back sorted; a socket that does not read for 256 events is
// closed; bodies over 300,000 bytes are refused; a socket that went away can be resumed
// with its connection_id and sequence_number as long as the server runs.
//
// # Goroutines
//
// One accepts connections, each connection has those of net/http, and each socket one that
// writes. [New] ends them all with the test; [Server.Close] waits for them.
//
// It must not know the rest of Parley.
package mattermosttest
