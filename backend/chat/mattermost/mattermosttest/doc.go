// Package mattermosttest is an in-memory Mattermost for tests: it implements the REST
// calls and the WebSocket that a bot needs like the real server (status codes, error
// bodies, headers, limits, order and form of events), so that the official client
// (model.Client4, model.WebSocketClient) works with it, and it fails on demand.
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
// People act with [Server.As], which fails the test if the server refuses, or
// [Server.Try], which returns the error; both bypass the faults:
//
//	root := s.As(ada.ID).Post(ch.Id, "hello")     // Reply, React, Unreact, Edit, Delete,
//	s.As(ada.ID).React(root.Id, "+1")             // Upload, PostWith, Press, Typing, Direct
//
// Inspect with [Server.Posts], [Server.Thread], [Server.Post], [Server.Reactions],
// [Server.Calls], [Server.Typings], [Server.Sockets]; wait with [Server.WaitFor], whose
// condition is rechecked after every event here (and after [Server.Poke]), without
// sleeping.
//
// [Server.Faults] installs faults of calls and events; [Server.Cut] cuts sockets and
// [Server.Freeze] makes them half-open; [Server.Stop], [Server.Start] and
// [Server.Restart] take the whole server down; [Server.Skew] moves its clock.
// [Server.RemoveMember], [Server.Archive], [Server.Deactivate] and [Server.Revoke] revoke
// rights. [Server.RunChaos] is a whole scenario of these, with its checks.
//
// # What it is strict about
//
// Like the real server: the same pending_post_id returns the same post for 30 seconds, but
// a restart forgets them; an edit leaves the former text as a deleted post with another id
// (original_id is the post's), which posts "since" a time include, as they include deleted
// posts; these are at most 1,000, earliest changes first; a reaction changes update_at;
// times are milliseconds, which several posts share if Options.Clock stands still; file ids
// are returned sorted; a socket that doesn't read for 256 events is closed; bodies over
// 300,000 bytes are refused; a lost socket can be resumed with its connection_id and
// sequence_number as long as the server runs.
//
// # Goroutines
//
// One accepts connections, each connection has those of net/http, and each socket one that
// writes. [New] stops them at the end of the test; [Server.Close] waits for them.
//
// It must not know the rest of Parley.
package mattermosttest
