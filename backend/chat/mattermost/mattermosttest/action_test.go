package mattermosttest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mattermost/mattermost/server/public/model"

	"parley/backend/chat/mattermost/mattermosttest"
)

// withButton returns a post with a button that calls an address.
func withButton(ch, url string) *model.Post {
	return &model.Post{ChannelId: ch, Message: "May I?", Props: model.StringInterface{"attachments": []any{map[string]any{
		"text": "choose", "actions": []any{map[string]any{"id": "allow", "name": "Allow", "type": "button",
			"integration": map[string]any{"url": url, "context": map[string]any{"secret": "s3"}}}},
	}}}}
}

func TestAButtonCallsItsAddress(t *testing.T) {
	asked := make(chan model.PostActionIntegrationRequest, 1)
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in model.PostActionIntegrationRequest
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		asked <- in
		_ = json.NewEncoder(w).Encode(&model.PostActionIntegrationResponse{
			Update: &model.Post{Message: "Allowed.", Props: model.StringInterface{}}, EphemeralText: "thanks",
		})
	}))
	defer hook.Close()
	w := newWorld(t, mattermosttest.Options{})
	ctx, c := t.Context(), w.client(t, w.bot)
	p := must[*model.Post](t)(c.CreatePost(ctx, withButton(w.ch.Id, hook.URL)))
	if a := p.Attachments(); len(a) != 1 || len(a[0].Actions) != 1 || a[0].Actions[0].Integration != nil {
		t.Errorf("clients see the button as %+v", a)
	}
	if w.Post(p.Id).GetAction("allow").Integration.URL != hook.URL {
		t.Error("the address is lost")
	}
	so := w.socket(t, w.ada)
	if _, err := w.client(t, w.ada).DoPostAction(ctx, p.Id, "allow"); err != nil {
		t.Fatal(err)
	}
	in := <-asked
	want := model.PostActionIntegrationRequest{UserId: w.ada.ID, UserName: "ada", ChannelId: w.ch.Id, ChannelName: "general",
		TeamId: w.team.Id, TeamName: "ops", PostId: p.Id, TriggerId: in.TriggerId, Type: "button", Context: map[string]any{"secret": "s3"}}
	if diff := cmp.Diff(want, in); diff != "" {
		t.Errorf("asked (-want +got)\n%s", diff)
	}
	if e := postIn(t, so.next(model.WebsocketEventPostEdited)); e.Message != "Allowed." || len(e.Attachments()) != 0 {
		t.Errorf("updated to %+v", e)
	}
	if e := postIn(t, so.next(model.WebsocketEventEphemeralMessage)); e.Message != "thanks" {
		t.Errorf("whispered %+v", e)
	}
	_, err := w.client(t, w.ada).DoPostAction(ctx, p.Id, "allow")
	refused(t, err, http.StatusNotFound, "api.post.do_action.action_id.app_error") // it was removed by the update
	_, err = w.client(t, w.AddUser("eve")).DoPostAction(ctx, p.Id, "allow")
	refused(t, err, http.StatusForbidden, "")
}

func TestAButtonWhoseAddressFails(t *testing.T) {
	hook := httptest.NewServer(http.NotFoundHandler())
	defer hook.Close()
	for name, o := range map[string]mattermosttest.Options{"refused": {}, "not allowed": {NoIntegrations: true}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, o)
			p := w.As(w.ada.ID).PostWith(withButton(w.ch.Id, hook.URL))
			_, err := w.client(t, w.ada).DoPostAction(t.Context(), p.Id, "allow")
			refused(t, err, http.StatusBadRequest, "api.post.do_action.action_integration.app_error")
		})
	}
}
