package devices

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/app/feature"
	"parley/app/method"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/store"
	"parley/backend/store/model"
	"parley/backend/untrusted"
)

const (
	// codePrefix distinguishes a code from the gateway's token.
	codePrefix = "pair."
	// codeLife is how long a code is valid, codeTries how many wrong attempts invalidate it: it has
	// 80 bits, so it can't be guessed, and attempts are noticed.
	codeLife  = 5 * time.Minute
	codeTries = 10
	// maxDevices and maxName bound what is kept.
	maxDevices, maxName = 100, 60
	// usedEvery is how often the time of the last use is written.
	usedEvery = time.Minute
)

// Config has the dependencies of devices. All fields are required.
type Config struct {
	Records interface {
		Get(id string) (model.Device, error)
		All() ([]model.Device, error)
		Put(id string, d model.Device) error
		Delete(id string) error
	}
	// Doubted reports that the records may not be ours: then nobody is admitted.
	Store   interface{ Doubted() bool }
	Publish func(event.Event)
	Log     *slog.Logger
}

// Service implements device.*, and identifies devices for the gateway.
type Service struct {
	cfg Config

	mu sync.Mutex
	// url is the page's address for browsers, problem why there is none.
	url, problem string
	// open is the currently valid code.
	open struct {
		hash       [sha256.Size]byte
		name, role string
		expires    time.Time
		left       int
	}
	// gone has a channel for each admitted device, which is closed when it is removed.
	gone map[string]chan struct{}
}

// New returns the service.
func New(cfg Config) *Service { return &Service{cfg: cfg, gone: map[string]chan struct{}{}} }

// Listens sets the gateway's address, "" for none, and why it is missing if it should exist.
func (s *Service) Listens(url string, why error) {
	s.mu.Lock()
	s.url, s.problem = url, ""
	if why != nil {
		s.problem = fault.MessageOf(why)
	}
	s.mu.Unlock()
	s.cfg.Publish(&event.DevicesChanged{})
}

// Pair is device.pair.
func (s *Service) Pair(_ context.Context, p PairParams) (Pairing, error) {
	name := strings.TrimSpace(untrusted.Visible(p.Name))
	if n := len([]rune(name)); n == 0 || n > maxName {
		return Pairing{}, fault.New(fault.Invalid, "A device's name must have 1 to %d characters (parameter name).", maxName)
	}
	if s.cfg.Store.Doubted() {
		return Pairing{}, fault.New(fault.Unavailable, "Parley's database was replaced or damaged. See the notice at the top of the window.")
	}
	all, err := s.cfg.Records.All()
	if err != nil {
		return Pairing{}, err
	}
	if len(all) >= maxDevices {
		return Pairing{}, fault.New(fault.Conflict, "There are %d devices. Remove one first.", maxDevices)
	}
	code := codePrefix + rand.Text()[:16]
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open.hash, s.open.name, s.open.role = sha256.Sum256([]byte(code)), name, p.Role
	s.open.expires, s.open.left = time.Now().Add(codeLife), codeTries
	return Pairing{Code: code, ExpiresAt: s.open.expires.UnixMilli()}, nil
}

// Redeem exchanges a code and the proof kept by the device's page for the secret that the device
// uses from then on. It returns false for an invalid code.
func (s *Service) Redeem(code, proof string) (secret string, ok bool, err error) {
	if !strings.HasPrefix(code, codePrefix) {
		return "", false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open.left == 0 || time.Now().After(s.open.expires) || s.cfg.Store.Doubted() {
		return "", false, nil
	}
	if hash := sha256.Sum256([]byte(code)); subtle.ConstantTimeCompare(hash[:], s.open.hash[:]) == 0 {
		if s.open.left--; s.open.left == 0 {
			s.cfg.Log.Warn("Pairing code revoked after too many wrong attempts", "device", s.open.name)
		}
		return "", false, nil
	}
	s.open.left = 0 // it is valid once
	key, now := make([]byte, 32), time.Now().UnixMilli()
	_, _ = rand.Read(key) // it never fails
	d := model.Device{ID: rand.Text()[:12], Name: s.open.name, Role: s.open.role, CreatedAt: now, UsedAt: now}
	secret = d.ID + "." + base64.RawURLEncoding.EncodeToString(key)
	d.Hash = hashOf(secret, proof)
	if err := s.cfg.Records.Put(d.ID, d); err != nil {
		return "", false, err
	}
	s.cfg.Log.Info("Device paired", "device", d.Name, "role", d.Role)
	s.cfg.Publish(&event.DevicesChanged{})
	return secret, true, nil
}

func hashOf(secret, proof string) string {
	sum := sha256.Sum256([]byte(secret + "\x00" + proof))
	return hex.EncodeToString(sum[:])
}

// Guest is an admitted device.
type Guest = interface {
	May(method string) error
	Gone() <-chan struct{}
	Caller() string
	Name() string
	Once() bool
}

type guest struct {
	id, name, role string
	gone           <-chan struct{}
}

// Admit returns the device with a secret and proof, nil for none.
func (s *Service) Admit(secret, proof string) Guest {
	id, _, found := strings.Cut(secret, ".")
	if !found || s.cfg.Store.Doubted() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.cfg.Records.Get(id)
	if err != nil || subtle.ConstantTimeCompare([]byte(d.Hash), []byte(hashOf(secret, proof))) == 0 {
		return nil
	}
	if now := time.Now().UnixMilli(); now-d.UsedAt > usedEvery.Milliseconds() {
		d.UsedAt = now
		if err := s.cfg.Records.Put(id, d); err != nil {
			s.cfg.Log.Warn("Couldn't save when a device was last seen", "err", err)
		}
		s.cfg.Publish(&event.DevicesChanged{})
	}
	if s.gone[id] == nil {
		s.gone[id] = make(chan struct{})
	}
	return &guest{id, d.Name, d.Role, s.gone[id]}
}

// May returns an error if the device may not call a method.
func (a *guest) May(name string) error {
	if may(a.role, name) {
		return nil
	}
	switch a.role {
	case RoleAll:
		return fault.New(fault.Forbidden, "Devices can only be added and removed in Parley's window.")
	case RoleAnswer:
		return fault.New(fault.Forbidden, "This device is not allowed to do that. It can only look and answer requests.")
	}
	return fault.New(fault.Forbidden, "This device is not allowed to do that. It can only look.")
}

// Gone is closed when the device was removed.
func (a *guest) Gone() <-chan struct{} { return a.gone }

// Caller identifies it in records.
func (a *guest) Caller() string { return a.id + " " + a.name }

// Name is its display name.
func (a *guest) Name() string { return a.name }

// Once reports that its answers apply only once: a device that may only answer can't create rules.
func (a *guest) Once() bool { return a.role != RoleAll }

// List is device.list.
func (s *Service) List(ctx context.Context, _ feature.Empty) (DeviceList, error) {
	s.mu.Lock()
	list := DeviceList{Devices: []Device{}, URL: s.url, Problem: s.problem}
	s.mu.Unlock()
	all, err := s.cfg.Records.All()
	if err != nil {
		return list, err
	}
	for _, d := range all {
		list.Devices = append(list.Devices, Device{
			ID: d.ID, Name: d.Name, Role: d.Role, CreatedAt: d.CreatedAt, UsedAt: d.UsedAt,
			Current: strings.HasPrefix(method.Connection(ctx), d.ID+" "),
		})
	}
	slices.SortFunc(list.Devices, func(a, b Device) int { return cmp.Compare(b.CreatedAt, a.CreatedAt) })
	return list, nil
}

// Remove is device.remove.
func (s *Service) Remove(_ context.Context, p DeviceRef) (feature.Empty, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.cfg.Records.Get(p.ID)
	if errors.Is(err, store.ErrNotFound) {
		return feature.Empty{}, fault.New(fault.NotFound, "There is no device with this ID. It may have been removed already.")
	}
	if err == nil {
		err = s.cfg.Records.Delete(p.ID)
	}
	if err != nil {
		return feature.Empty{}, err
	}
	if gone := s.gone[p.ID]; gone != nil {
		close(gone)
		delete(s.gone, p.ID)
	}
	s.cfg.Log.Info("Device removed", "device", d.Name)
	s.cfg.Publish(&event.DevicesChanged{})
	return feature.Empty{}, nil
}
