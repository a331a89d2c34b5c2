package push

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/app/feature"
	"parley/app/method"
	"parley/backend/fault"
	"parley/backend/platform/notify"
	"parley/backend/platform/push"
	"parley/backend/session/profile"
	"parley/backend/store"
	"parley/backend/store/model"
)

const (
	// maxWays bounds the addresses, maxHeld the notifications held during quiet hours.
	maxWays, maxHeld = 8, 256
	// keyringPrefix and keyringName name secrets in the keyring.
	keyringPrefix, keyringName = "way-", "secret"
)

// Config has the service's dependencies. All fields are required.
type Config struct {
	Records interface {
		Get(id string) (model.Way, error)
		All() ([]model.Way, error)
		Put(id string, w model.Way) error
		Delete(id string) error
	}
	Secrets profile.Secrets
	// Doubted reports that the records may not be ours: nothing is sent then.
	Store interface{ Doubted() bool }
	Log   *slog.Logger
}

// Service implements way.*, and sends what notices report.
type Service struct {
	cfg    Config
	sender *push.Sender

	// changing makes changing a record and its secret atomic.
	changing sync.Mutex
	mu       sync.Mutex
	// held are requests from quiet hours, by the ids of the address and the session.
	held map[[2]string]push.Word
}

// New returns the service.
func New(cfg Config) *Service {
	s := &Service{cfg: cfg, held: map[[2]string]push.Word{}}
	s.sender = push.NewSender(push.Config{Secret: s.secret, Log: cfg.Log})
	return s
}

// Close drops what was not sent.
func (s *Service) Close() { s.sender.Close() }

// kept is a secret in the keyring, with the host it may be sent to.
type kept struct {
	Origin string `json:"origin"`
	Secret string `json:"secret"`
}

// secret is the key or token of a target.
func (s *Service) secret(ctx context.Context, t push.Target) (string, error) {
	w, err := s.cfg.Records.Get(t.ID)
	if err != nil || !w.Secret {
		return "", nil //nolint:nilerr // one that is gone has none
	}
	raw, err := s.cfg.Secrets.Get(ctx, keyringPrefix+t.ID, keyringName)
	if err != nil && !errors.Is(err, profile.ErrNoSecret) {
		return "", err
	}
	var found kept
	if err != nil || json.Unmarshal([]byte(raw), &found) != nil || found.Origin != t.Origin() {
		return "", fault.New(fault.Unauthorized, "The key or token for %s is not in the keyring. Enter it again.", t.Host())
	}
	return found.Secret, nil
}

// Event is something that happened in a session.
type Event struct {
	Kind      notify.Kind
	SessionID string
	// Title is the session's, sanitized; Text is a short sentence about the event.
	Title, Text string
	Folder      string
	// Looking is true if a user is looking at Parley.
	Looking bool
}

// Tell sends a notification to the addresses whose rules match.
func (s *Service) Tell(e Event) {
	w := push.Word{Event: eventOf(e.Kind), Title: e.Title, Text: e.Text, SessionID: e.SessionID, Folder: e.Folder, At: time.Now()}
	for _, way := range s.all() {
		switch {
		case !wants(way, w.Event, e.Folder, e.Looking):
		case quietAt(way, w.At):
			s.hold(way.ID, w)
		default:
			s.sender.Send(target(way), w)
		}
	}
}

// all are the addresses, none while they can't be trusted.
func (s *Service) all() []model.Way {
	if s.cfg.Store.Doubted() {
		return nil
	}
	all, err := s.cfg.Records.All()
	if err != nil {
		s.cfg.Log.Warn("Couldn't read the push addresses", "err", err)
		return nil
	}
	return all
}

// hold keeps a request for the end of quiet hours. Outcomes are not sent later.
func (s *Service) hold(id string, w push.Word) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.Event == question && len(s.held) < maxHeld {
		s.held[[2]string{id, w.SessionID}] = w
	}
}

// Tick sends held notifications whose quiet hours are over.
func (s *Service) Tick() {
	s.mu.Lock()
	none := len(s.held) == 0
	s.mu.Unlock()
	if none {
		return
	}
	now := time.Now()
	for _, way := range s.all() {
		if quietAt(way, now) {
			continue
		}
		s.mu.Lock()
		for key, w := range s.held {
			if key[0] == way.ID {
				delete(s.held, key)
				w.At = now // it is still current
				s.sender.Send(target(way), w)
			}
		}
		s.mu.Unlock()
	}
}

// Answered records that a session has no pending requests.
func (s *Service) Answered(sessionID string) {
	s.mu.Lock()
	for key := range s.held {
		if key[1] == sessionID {
			delete(s.held, key)
		}
	}
	s.mu.Unlock()
	s.sender.Drop(question, sessionID)
}

func (s *Service) List(context.Context, feature.Empty) (WayList, error) {
	all, err := s.cfg.Records.All()
	if err != nil {
		return WayList{}, err
	}
	list := WayList{Ways: make([]Way, 0, len(all))}
	for _, w := range all {
		list.Ways = append(list.Ways, s.shown(w))
	}
	slices.SortFunc(list.Ways, func(a, b Way) int { return strings.Compare(a.URL+a.ID, b.URL+b.ID) })
	return list, nil
}

func (s *Service) shown(w model.Way) Way {
	status := s.sender.Status(w.ID)
	return Way{
		ID: w.ID, Kind: w.Kind, URL: w.URL, Template: w.Template, Events: w.Events, Folder: w.Folder, QuietFrom: w.QuietFrom, QuietTo: w.QuietTo,
		Away: w.Away, Secret: w.Secret, Waiting: status.Waiting, Lost: status.Lost, SentAt: status.SentAt, Problem: status.Problem, Stopped: status.Stopped,
	}
}

// Set is way.set.
func (s *Service) Set(ctx context.Context, p WaySetParams) (Way, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	w := model.Way{ID: p.ID, Kind: p.Kind, URL: strings.TrimSpace(p.URL), Template: strings.TrimSpace(p.Template)}
	if err := push.Check(target(w)); err != nil {
		return Way{}, err
	}
	if err := checkRules(&p); err != nil {
		return Way{}, err
	}
	w.Events, w.Folder, w.QuietFrom, w.QuietTo, w.Away = p.Events, p.Folder, p.QuietFrom, p.QuietTo, p.Away
	if s.cfg.Store.Doubted() {
		return Way{}, fault.New(fault.Unavailable, "Parley's database was replaced or damaged. See the notice at the top of the window.")
	}
	was, err := s.before(p.ID)
	if err != nil {
		return Way{}, err
	}
	if w.ID == "" {
		w.ID = rand.Text()[:12]
	}
	if err := s.keep(ctx, &w, was, p.Secret); err != nil {
		return Way{}, err
	}
	if err := s.cfg.Records.Put(w.ID, w); err != nil {
		return Way{}, err
	}
	s.forget(w.ID)
	return s.shown(w), nil
}

// before is an address before a change, or empty for a new one.
func (s *Service) before(id string) (model.Way, error) {
	if id != "" {
		return s.get(id)
	}
	all, err := s.cfg.Records.All()
	if err == nil && len(all) >= maxWays {
		err = fault.New(fault.Conflict, "There are %d addresses. Remove one first.", maxWays)
	}
	return model.Way{}, err
}

func (s *Service) get(id string) (model.Way, error) {
	w, err := s.cfg.Records.Get(id)
	if errors.Is(err, store.ErrNotFound) {
		return w, fault.New(fault.NotFound, "There is no address with this ID (parameter id).")
	}
	return w, err
}

// keep updates the keyring for an address. A secret does not follow an address to another host.
func (s *Service) keep(ctx context.Context, w *model.Way, was model.Way, secret *string) error {
	account := keyringPrefix + w.ID
	switch {
	case secret != nil && *secret != "":
		if err := push.CheckSecret(w.Kind, *secret); err != nil {
			return err
		}
		raw, err := json.Marshal(kept{target(*w).Origin(), *secret})
		if err != nil {
			return err
		}
		w.Secret = true
		return s.cfg.Secrets.Set(ctx, account, keyringName, string(raw))
	case !was.Secret:
		return nil
	case secret == nil && was.Kind == w.Kind && target(was).Origin() == target(*w).Origin():
		w.Secret = true
		return nil
	case secret == nil:
		return fault.New(fault.Invalid, "The key or token belongs to %s. Enter it again for the new address, or remove it (parameter secret).", target(was).Host())
	default:
		return s.cfg.Secrets.Delete(ctx, account, keyringName)
	}
}

// forget drops pending notifications to an address's old version.
func (s *Service) forget(id string) {
	s.sender.Forget(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.held {
		if key[0] == id {
			delete(s.held, key)
		}
	}
}

// Remove is way.remove.
func (s *Service) Remove(ctx context.Context, p WayRef) (feature.Empty, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	w, err := s.get(p.ID)
	if err != nil {
		return feature.Empty{}, err
	}
	if err := s.cfg.Records.Delete(p.ID); err != nil {
		return feature.Empty{}, err
	}
	s.forget(p.ID)
	if !w.Secret {
		return feature.Empty{}, nil
	}
	return feature.Empty{}, s.cfg.Secrets.Delete(ctx, keyringPrefix+p.ID, keyringName)
}

// Test is way.test.
func (s *Service) Test(ctx context.Context, p WayRef) (feature.Empty, error) {
	w, err := s.get(p.ID)
	if err != nil {
		return feature.Empty{}, err
	}
	return feature.Empty{}, s.sender.Try(ctx, target(w), push.Word{Event: "test", Title: "Parley", Text: "This is a test.", At: time.Now()})
}

func target(w model.Way) push.Target {
	return push.Target{ID: w.ID, Kind: w.Kind, URL: w.URL, Template: w.Template}
}

// Methods are the service's API methods.
func (s *Service) Methods() []*method.Method {
	return []*method.Method{
		method.New("way.list", "Lists the webhooks and ntfy topics that Parley notifies.",
			s.List),
		method.New("way.set", "Adds a webhook or ntfy topic, or changes one. Its key or token goes to the system's keyring.",
			s.Set).Enum("kind", push.Webhook, push.Ntfy),
		method.New("way.remove", "Removes a webhook or ntfy topic and its key or token.",
			s.Remove),
		method.New("way.test", "Sends a test to a webhook or ntfy topic and reports whether it arrived.",
			s.Test),
	}
}
