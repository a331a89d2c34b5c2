package mattermosttest_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/mattermost/mattermost/server/public/model"

	"parley/backend/chat/mattermost/mattermosttest"
)

func TestTokensDecideWhoCalls(t *testing.T) {
	w := newWorld(t, mattermosttest.Options{})
	me := must[*model.User](t)(w.client(t, w.bot).GetMe(t.Context(), ""))
	if me.Id != w.bot.ID || !me.IsBot {
		t.Errorf("the token is that of %+v", me)
	}
	_, resp, err := w.client(t, mattermosttest.User{Token: model.NewId()}).GetMe(t.Context(), "")
	refused(t, err, http.StatusUnauthorized, "api.context.session_expired.app_error")
	if resp.RequestId == "" || resp.ServerVersion == "" {
		t.Errorf("an answer without its headers: %+v", resp)
	}
	c := w.client(t, w.ada)
	w.Revoke(w.ada.Token)
	_, _, err = c.GetMe(t.Context(), "")
	refused(t, err, http.StatusUnauthorized, "")
	w.Deactivate(w.bob.ID)
	_, _, err = w.client(t, w.bob).GetMe(t.Context(), "")
	refused(t, err, http.StatusUnauthorized, "")
}

func TestPeopleAndTeams(t *testing.T) {
	w := newWorld(t, mattermosttest.Options{})
	ctx, c := t.Context(), w.client(t, w.bot)
	w.Rename(w.ada.ID, "Ada", "Lovelace", "")
	names := func(us []*model.User) (out []string) {
		for _, u := range us {
			out = append(out, u.Username)
		}
		return out
	}
	type users = []*model.User
	for what, got := range map[string][]string{
		"by id":    names(must[users](t)(c.GetUsersByIds(ctx, []string{w.ada.ID, model.NewId()}))),
		"by name":  names(must[users](t)(c.GetUsersByUsernames(ctx, []string{"ada"}))),
		"search":   names(must[users](t)(c.SearchUsers(ctx, &model.UserSearch{Term: "love", TeamId: w.team.Id}))),
		"complete": names(must[*model.UserAutocomplete](t)(c.AutocompleteUsersInChannel(ctx, w.team.Id, w.ch.Id, "a", 10, "")).Users),
	} {
		if diff := cmp.Diff([]string{"ada"}, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", what, diff)
		}
	}
	if got := names(must[users](t)(c.GetUsersInChannel(ctx, w.ch.Id, 0, 10, ""))); !cmp.Equal(got, []string{"ada", "parley"}) {
		t.Errorf("in the channel are %v", got)
	}
	_, _, err := c.GetUser(ctx, model.NewId(), "")
	refused(t, err, http.StatusNotFound, "app.user.missing_account.const")

	teams := must[[]*model.Team](t)(c.GetTeamsForUser(ctx, model.Me, ""))
	if len(teams) != 1 || teams[0].Id != w.team.Id {
		t.Errorf("teams are %v", teams)
	}
	must[*model.TeamMember](t)(c.GetTeamMember(ctx, w.team.Id, w.bob.ID, ""))
	if m := must[[]*model.TeamMember](t)(c.GetTeamMembers(ctx, w.team.Id, 0, 2, "")); len(m) != 2 {
		t.Errorf("a page of two has %d", len(m))
	}
	stranger := w.AddUser("eve")
	_, _, err = c.GetTeamMember(ctx, w.team.Id, stranger.ID, "")
	refused(t, err, http.StatusNotFound, "")
	_, _, err = w.client(t, stranger).GetTeam(ctx, w.team.Id, "")
	refused(t, err, http.StatusForbidden, "")

	st := must[*model.Status](t)(c.UpdateUserStatus(ctx, w.bot.ID, &model.Status{UserId: w.bot.ID, Status: model.StatusAway}))
	if st.Status != model.StatusAway || must[*model.Status](t)(c.GetUserStatus(ctx, w.bot.ID, "")).Status != model.StatusAway {
		t.Error("a status that was set is another")
	}
}

func TestChannels(t *testing.T) {
	w := newWorld(t, mattermosttest.Options{})
	ctx, c := t.Context(), w.client(t, w.bot)
	secret := w.AddPrivateChannel(w.team.Id, "secret", w.ada.ID)
	open := w.AddChannel(w.team.Id, "random", w.ada.ID)
	type list = []*model.Channel
	if got := must[list](t)(c.GetChannelsForTeamForUser(ctx, w.team.Id, model.Me, false, "")); len(got) != 1 || got[0].Id != w.ch.Id {
		t.Errorf("the bot is in %v", got)
	}
	if got := must[list](t)(c.SearchChannels(ctx, w.team.Id, &model.ChannelSearch{Term: "ran"})); len(got) != 1 || got[0].Id != open.Id {
		t.Errorf("found %v", got)
	}
	must[*model.Channel](t)(c.GetChannel(ctx, open.Id))
	_, _, err := c.GetChannel(ctx, secret.Id)
	refused(t, err, http.StatusForbidden, "")
	_, _, err = c.GetChannel(ctx, model.NewId())
	refused(t, err, http.StatusNotFound, "app.channel.get.existing.app_error")
	_, _, err = c.GetChannel(ctx, "short")
	refused(t, err, http.StatusBadRequest, "api.context.invalid_url_param.app_error")
	_, _, err = c.AddChannelMember(ctx, secret.Id, w.bot.ID)
	refused(t, err, http.StatusForbidden, "")
	must[*model.ChannelMember](t)(c.AddChannelMember(ctx, open.Id, w.bot.ID))
	must[*model.ChannelMember](t)(c.GetChannelMember(ctx, open.Id, w.bot.ID, ""))
	if m := must[model.ChannelMembers](t)(c.GetChannelMembers(ctx, open.Id, 0, 10, "")); len(m) != 2 {
		t.Errorf("%d members", len(m))
	}
	dm := must[*model.Channel](t)(c.CreateDirectChannel(ctx, w.bot.ID, w.ada.ID))
	if again := must[*model.Channel](t)(c.CreateDirectChannel(ctx, w.ada.ID, w.bot.ID)); again.Id != dm.Id || dm.Type != model.ChannelTypeDirect {
		t.Errorf("a second direct channel %v beside %v", again, dm)
	}
	_, _, err = c.CreateDirectChannel(ctx, w.ada.ID, w.bob.ID)
	refused(t, err, http.StatusForbidden, "")
}

func TestPostsAreMadeEditedAndDeleted(t *testing.T) {
	w := newWorld(t, mattermosttest.Options{})
	ctx, c := t.Context(), w.client(t, w.bot)
	post := must[*model.Post](t)
	p := post(c.CreatePost(ctx, &model.Post{ChannelId: w.ch.Id, Message: "hello", PendingPostId: "once"}))
	if p.PendingPostId != "once" || p.GetProp("from_bot") != "true" || p.UserId != w.bot.ID {
		t.Errorf("made %+v", p)
	}
	if again := post(c.CreatePost(ctx, &model.Post{ChannelId: w.ch.Id, Message: "hello", PendingPostId: "once"})); again.Id != p.Id {
		t.Error("the same pending id made another post")
	}
	r := post(c.CreatePost(ctx, &model.Post{ChannelId: w.ch.Id, RootId: p.Id, Message: "more"}))
	text := "edited"
	e := post(c.PatchPost(ctx, p.Id, &model.PostPatch{Message: &text}))
	if e.Message != text || e.EditAt == 0 || e.ReplyCount != 1 {
		t.Errorf("edited to %+v", e)
	}
	u := post(c.UpdatePost(ctx, r.Id, &model.Post{Id: r.Id, ChannelId: w.ch.Id, Message: "more and more"}))
	if u.Message != "more and more" || u.RootId != p.Id {
		t.Errorf("updated to %+v", u)
	}
	th := must[*model.PostList](t)(c.GetPostThread(ctx, p.Id, "", false))
	if diff := cmp.Diff([]string{p.Id, r.Id}, th.Order); diff != "" {
		t.Errorf("thread (-want +got)\n%s", diff)
	}
	if got := must[[]*model.Post](t)(c.GetPostsByIds(ctx, []string{r.Id, p.Id, model.NewId()})); len(got) != 2 {
		t.Errorf("%d posts by id", len(got))
	}
	if _, err := c.DeletePost(ctx, p.Id); err != nil {
		t.Fatal(err)
	}
	_, _, err := c.GetPost(ctx, r.Id, "")
	refused(t, err, http.StatusNotFound, "app.post.get.app_error") // replies are deleted with their root
	_, _, err = c.CreatePost(ctx, &model.Post{ChannelId: w.ch.Id, RootId: p.Id, Message: "late"})
	refused(t, err, http.StatusBadRequest, "api.post.create_post.root_id.app_error")
	_, _, err = c.PatchPost(ctx, p.Id, &model.PostPatch{Message: &text})
	refused(t, err, http.StatusForbidden, "api.context.permissions.app_error")
	_, err = c.DeletePost(ctx, p.Id)
	refused(t, err, http.StatusForbidden, "")
}

func TestPostsThatAreRefused(t *testing.T) {
	w := newWorld(t, mattermosttest.Options{})
	ctx, c := t.Context(), w.client(t, w.bot)
	other := w.AddChannel(w.team.Id, "other", w.bot.ID, w.ada.ID)
	foreign := w.AddChannel(w.team.Id, "foreign", w.ada.ID)
	root := w.As(w.ada.ID).Post(w.ch.Id, "root")
	reply := w.As(w.ada.ID).Reply(root.Id, "reply")
	archived := w.AddChannel(w.team.Id, "old", w.bot.ID)
	w.Archive(archived.Id)
	tests := map[string]struct {
		in     *model.Post
		status int
		id     string
	}{
		"too long":        {&model.Post{ChannelId: w.ch.Id, Message: strings.Repeat("é", 16384)}, 400, "model.post.is_valid.message_length.app_error"},
		"unknown channel": {&model.Post{ChannelId: model.NewId(), Message: "x"}, 403, "api.context.permissions.app_error"},
		"not a member":    {&model.Post{ChannelId: foreign.Id, Message: "x"}, 403, "api.context.permissions.app_error"},
		"archived":        {&model.Post{ChannelId: archived.Id, Message: "x"}, 400, "api.post.create_post.can_not_post_to_deleted.error"},
		"reply to reply":  {&model.Post{ChannelId: w.ch.Id, RootId: reply.Id, Message: "x"}, 400, "api.post.create_post.root_id.app_error"},
		"foreign root":    {&model.Post{ChannelId: other.Id, RootId: root.Id, Message: "x"}, 400, "api.post.create_post.channel_root_id.app_error"},
		"system type":     {&model.Post{ChannelId: w.ch.Id, Type: model.PostTypeJoinChannel, Message: "x"}, 400, ""},
		"eleven files":    {&model.Post{ChannelId: w.ch.Id, FileIds: ids(11)}, 400, "model.post.is_valid.file_ids.app_error"},
		"large body":      {&model.Post{ChannelId: w.ch.Id, Message: strings.Repeat("x", 301_000)}, 413, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, _, err := c.CreatePost(ctx, tt.in)
			refused(t, err, tt.status, tt.id)
		})
	}
	if p := must[*model.Post](t)(c.CreatePost(ctx, &model.Post{ChannelId: w.ch.Id, Message: strings.Repeat("é", 16383)})); len(p.Message) != 2*16383 {
		t.Errorf("the longest post has %d bytes", len(p.Message))
	}
	_, _, err := w.client(t, w.bob).PatchPost(ctx, root.Id, &model.PostPatch{Message: new("mine")})
	refused(t, err, http.StatusForbidden, "")
	_, err = c.DeletePost(ctx, root.Id)
	refused(t, err, http.StatusForbidden, "")
}

func ids(n int) (out []string) {
	for range n {
		out = append(out, model.NewId())
	}
	return out
}

func TestPostsOfAChannel(t *testing.T) {
	w := newWorld(t, mattermosttest.Options{})
	ctx, c := t.Context(), w.client(t, w.bot)
	clock := newClock(w)
	var made []string
	for range 5 {
		clock.tick()
		made = append(made, w.As(w.ada.ID).Post(w.ch.Id, "x").Id)
	}
	list := must[*model.PostList](t)
	check := func(what string, l *model.PostList, want ...int) {
		t.Helper()
		var ids []string
		for _, i := range want {
			ids = append(ids, made[i])
		}
		if diff := cmp.Diff(ids, l.Order, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", what, diff)
		}
	}
	check("all", list(c.GetPostsForChannel(ctx, w.ch.Id, 0, 60, "", false, false)), 4, 3, 2, 1, 0)
	second := list(c.GetPostsForChannel(ctx, w.ch.Id, 1, 2, "", false, false))
	check("second page", second, 2, 1)
	if second.NextPostId != made[3] || second.PrevPostId != made[0] {
		t.Errorf("beside the page are %s and %s", second.NextPostId, second.PrevPostId)
	}
	check("after", list(c.GetPostsAfter(ctx, w.ch.Id, made[1], 0, 2, "", false, false)), 3, 2)
	check("before", list(c.GetPostsBefore(ctx, w.ch.Id, made[3], 0, 2, "", false, false)), 2, 1)
	since := w.Post(made[4]).UpdateAt
	check("since the last", list(c.GetPostsSince(ctx, w.ch.Id, since, false)))
	clock.tick()
	w.As(w.ada.ID).React(made[1], "+1")
	check("a reaction is a change", list(c.GetPostsSince(ctx, w.ch.Id, since, false)), 1)
	w.As(w.ada.ID).Delete(made[0])
	l := list(c.GetPostsSince(ctx, w.ch.Id, since, false))
	check("so is a deletion", l, 1, 0)
	if l.Posts[made[0]].DeleteAt == 0 {
		t.Error("a deleted post does not say so")
	}
	since = w.Post(made[0]).UpdateAt
	clock.tick()
	w.As(w.ada.ID).Edit(made[2], "new")
	l = list(c.GetPostsSince(ctx, w.ch.Id, since, false))
	if len(l.Order) != 2 {
		t.Fatalf("an edit shows as %d posts, want the post and what it said", len(l.Order))
	}
	for id, p := range l.Posts {
		if id != made[2] && (p.OriginalId != made[2] || p.DeleteAt == 0 || p.Message != "x") {
			t.Errorf("what it said is kept as %+v", p)
		}
	}
	_, _, err := c.GetPostsForChannel(ctx, w.ch.Id, 0, 60, "", false, true)
	refused(t, err, http.StatusForbidden, "")
}

func TestReactions(t *testing.T) {
	w := newWorld(t, mattermosttest.Options{})
	ctx, c := t.Context(), w.client(t, w.bot)
	clock := newClock(w)
	p := w.As(w.ada.ID).Post(w.ch.Id, "hi")
	clock.tick()
	must[*model.Reaction](t)(c.SaveReaction(ctx, &model.Reaction{UserId: w.bot.ID, PostId: p.Id, EmojiName: "+1"}))
	w.As(w.ada.ID).React(p.Id, "tada")
	got := must[*model.Post](t)(c.GetPost(ctx, p.Id, ""))
	if !got.HasReactions || len(got.Metadata.Reactions) != 2 || got.UpdateAt == p.UpdateAt {
		t.Errorf("with reactions the post is %+v", got)
	}
	if l := must[[]*model.Reaction](t)(c.GetReactions(ctx, p.Id)); len(l) != 2 {
		t.Errorf("%d reactions", len(l))
	}
	if _, err := c.DeleteReaction(ctx, &model.Reaction{UserId: w.bot.ID, PostId: p.Id, EmojiName: "+1"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"ada tada"}, w.Reactions(p.Id)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	save := func(in model.Reaction) error {
		_, _, err := c.SaveReaction(ctx, &in)
		return err
	}
	refused(t, save(model.Reaction{UserId: w.bot.ID, PostId: p.Id, EmojiName: "no-such-thing"}), 404, "")
	refused(t, save(model.Reaction{UserId: w.ada.ID, PostId: p.Id, EmojiName: "+1"}), 403, "api.reaction.save_reaction.user_id.app_error")
	refused(t, save(model.Reaction{UserId: w.bot.ID, PostId: model.NewId(), EmojiName: "+1"}), 403, "")
	w.As(w.ada.ID).Delete(p.Id)
	refused(t, save(model.Reaction{UserId: w.bot.ID, PostId: p.Id, EmojiName: "+1"}), 404, "app.post.get.app_error")
}

func TestFiles(t *testing.T) {
	w := newWorld(t, mattermosttest.Options{MaxFile: 1000})
	ctx, c := t.Context(), w.client(t, w.bot)
	up := must[*model.FileUploadResponse](t)
	a := up(c.UploadFile(ctx, []byte("one"), w.ch.Id, "one.txt")).FileInfos[0]
	b := up(c.UploadFileAsRequestBody(ctx, []byte("two"), w.ch.Id, "two.txt")).FileInfos[0]
	theirs := w.As(w.ada.ID).Upload(w.ch.Id, "three.txt", []byte("three"))
	p := must[*model.Post](t)(c.CreatePost(ctx, &model.Post{ChannelId: w.ch.Id, FileIds: []string{a.Id, b.Id, theirs.Id}}))
	sorted := cmpopts.SortSlices(strings.Compare) // as the server sorts them
	if diff := cmp.Diff([]string{a.Id, b.Id}, []string(p.FileIds), sorted); diff != "" || len(p.Metadata.Files) != 2 {
		t.Errorf("only one's own files are attached (-want +got)\n%s", diff)
	}
	if got := must[[]byte](t)(w.client(t, w.ada).GetFile(ctx, a.Id)); !bytes.Equal(got, []byte("one")) {
		t.Errorf("read %q", got)
	}
	if info := must[*model.FileInfo](t)(c.GetFileInfo(ctx, b.Id)); info.Name != "two.txt" || info.Size != 3 || info.PostId != p.Id {
		t.Errorf("info %+v", info)
	}
	_, _, err := c.UploadFile(ctx, make([]byte, 2000), w.ch.Id, "big")
	refused(t, err, http.StatusRequestEntityTooLarge, "")
	_, _, err = w.client(t, w.bob).UploadFile(ctx, []byte("x"), w.ch.Id, "x")
	refused(t, err, http.StatusForbidden, "")
	_, _, err = c.GetFile(ctx, theirs.Id)
	refused(t, err, http.StatusForbidden, "")
	_, _, err = c.GetFile(ctx, model.NewId())
	refused(t, err, http.StatusNotFound, "")
}

func TestWhatClientsAskFirst(t *testing.T) {
	w := newWorld(t, mattermosttest.Options{Version: "10.5.1"})
	ctx, c := t.Context(), w.client(t, w.bot)
	if s, _, err := c.GetPing(ctx); err != nil || s != model.StatusOk {
		t.Errorf("ping: %q, %v", s, err)
	}
	cfg := must[map[string]string](t)(c.GetClientConfig(ctx, ""))
	if cfg["Version"] != "10.5.1" || cfg["MaxPostSize"] != "16383" || cfg["MaxFileSize"] != "104857600" {
		t.Errorf("config %v", cfg)
	}
	c.SetToken("")
	if cfg := must[map[string]string](t)(c.GetClientConfig(ctx, "")); cfg["MaxPostSize"] != "" || cfg["Version"] == "" {
		t.Errorf("strangers see %v", cfg)
	}
	if l := must[map[string]string](t)(c.GetOldClientLicense(ctx, "")); l["IsLicensed"] != "false" {
		t.Errorf("license %v", l)
	}
	c.SetToken(w.bot.Token)
	prefs := model.Preferences{{UserId: w.bot.ID, Category: "parley", Name: "seen", Value: "1"}}
	if _, err := c.UpdatePreferences(ctx, w.bot.ID, prefs); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(prefs, must[model.Preferences](t)(c.GetPreferences(ctx, w.bot.ID))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(1, w.Calls(w.bot.ID)["GET /users/{user_id}/preferences"]); diff != "" {
		t.Errorf("calls (-want +got)\n%s", diff)
	}
}

func TestTimesOfPosts(t *testing.T) {
	still := time.Now()
	for name, o := range map[string]mattermosttest.Options{
		"of its own": {}, "that stands still": {Clock: func() time.Time { return still }},
	} {
		w := newWorld(t, o)
		times := map[int64]bool{}
		for range 50 {
			times[w.As(w.ada.ID).Post(w.ch.Id, "x").CreateAt] = true
		}
		if want := map[bool]int{true: 50, false: 1}[o.Clock == nil]; len(times) != want {
			t.Errorf("with a clock %s 50 posts have %d times, want %d", name, len(times), want)
		}
	}
}
