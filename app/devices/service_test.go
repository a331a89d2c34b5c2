package devices

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/app/feature"
	"parley/app/method"
	"parley/backend/event"
	"parley/backend/fault"
	"parley/backend/store"
	"parley/backend/store/model"
)

const proof = "a-proof-that-is-long-enough"

type records map[string]model.Device

func (r records) Get(id string) (model.Device, error) {
	d, ok := r[id]
	if !ok {
		return d, store.ErrNotFound
	}
	return d, nil
}

func (r records) All() (list []model.Device, _ error) {
	for _, d := range r {
		list = append(list, d)
	}
	return list, nil
}

func (r records) Put(id string, d model.Device) error { r[id] = d; return nil }
func (r records) Delete(id string) error              { delete(r, id); return nil }

type doubt struct{ is *bool }

func (d doubt) Doubted() bool { return d.is != nil && *d.is }

func newService(kept records, doubted *bool) *Service {
	return New(Config{
		Records: kept, Store: doubt{doubted},
		Publish: func(event.Event) {}, Log: slog.New(slog.DiscardHandler),
	})
}

func pair(t *testing.T, s *Service, role string) (id, secret string) {
	t.Helper()
	p, err := s.Pair(t.Context(), PairParams{Name: "My phone", Role: role})
	if err != nil {
		t.Fatal(err)
	}
	secret, ok, err := s.Redeem(p.Code, proof)
	if !ok || err != nil {
		t.Fatalf("the code is not good: %v", err)
	}
	id, _, _ = strings.Cut(secret, ".")
	return id, secret
}

func TestPairing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := records{}
		s := newService(kept, nil)
		id, secret := pair(t, s, RoleAnswer)
		if strings.Contains(kept[id].Hash, secret) || len(kept[id].Hash) != 64 {
			t.Errorf("the secret itself is kept: %+v", kept[id])
		}
		a := s.Admit(secret, proof)
		if a == nil || !strings.HasPrefix(a.Caller(), id+" ") {
			t.Fatal("it is not let in")
		}
		for name, got := range map[string]Guest{
			"another proof": s.Admit(secret, proof+"x"), "no proof": s.Admit(secret, ""), "no secret": s.Admit(id+".", proof),
			"another device": s.Admit("other."+secret, proof), "nothing": s.Admit("", proof),
		} {
			if got != nil {
				t.Errorf("%s lets it in", name)
			}
		}
		if !a.Once() || a.Name() != "My phone" {
			t.Errorf("%q answers for good: %v", a.Name(), !a.Once())
		}
		list, err := s.List(method.WithConnection(t.Context(), a.Caller()+" 12345678"), feature.Empty{})
		if err != nil || len(list.Devices) != 1 || !list.Devices[0].Current || list.Devices[0].Name != "My phone" {
			t.Errorf("%+v, %v", list, err)
		}
		used := kept[id].UsedAt
		time.Sleep(2 * usedEvery)
		s.Admit(secret, proof)
		if kept[id].UsedAt == used {
			t.Error("when it was here last is not written")
		}
		if _, err := s.Remove(t.Context(), DeviceRef{ID: id}); err != nil {
			t.Fatal(err)
		}
		select {
		case <-a.Gone():
		default:
			t.Error("it is not told that it was removed")
		}
		if s.Admit(secret, proof) != nil {
			t.Error("it was removed and is let in")
		}
		if _, err := s.Remove(t.Context(), DeviceRef{ID: id}); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("removed twice: %v", err)
		}
	})
}

func TestCodesThatAreNoGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(records{}, nil)
		code := func() string {
			p, err := s.Pair(t.Context(), PairParams{Name: "x", Role: RoleAll})
			if err != nil {
				t.Fatal(err)
			}
			return p.Code
		}
		bad := func(what, code string) {
			t.Helper()
			if _, ok, err := s.Redeem(code, proof); ok || err != nil {
				t.Errorf("%s: %v %v", what, ok, err)
			}
		}
		bad("none was made", codePrefix+"ABCDEFGHIJKLMNOP")
		bad("nothing", "")
		good := code()
		bad("without what marks it", strings.TrimPrefix(good, codePrefix))
		if _, ok, _ := s.Redeem(good, proof); !ok {
			t.Error("a good one is refused")
		}
		bad("a second time", good)
		first := code()
		code()
		bad("the one before", first)
		good = code()
		time.Sleep(codeLife + time.Second)
		bad("too late", good)
		good = code()
		for range codeTries {
			bad("a guess", codePrefix+"ABCDEFGHIJKLMNOP")
		}
		bad("after too many guesses", good)
	})
}

func TestNobodyGetsInInDoubt(t *testing.T) {
	doubted := false
	s := newService(records{}, &doubted)
	_, secret := pair(t, s, RoleAll)
	p, err := s.Pair(t.Context(), PairParams{Name: "x", Role: RoleAll})
	if err != nil {
		t.Fatal(err)
	}
	doubted = true
	if s.Admit(secret, proof) != nil {
		t.Error("a device of a store that may not be ours is let in")
	}
	if _, ok, _ := s.Redeem(p.Code, proof); ok {
		t.Error("a device is paired")
	}
	if _, err := s.Pair(t.Context(), PairParams{Name: "x", Role: RoleAll}); fault.CodeOf(err) != fault.Unavailable {
		t.Error(err)
	}
}

func TestNames(t *testing.T) {
	s := newService(records{}, nil)
	for _, name := range []string{"", "  ", strings.Repeat("x", maxName+1)} {
		if _, err := s.Pair(context.Background(), PairParams{Name: name, Role: RoleAll}); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestMay(t *testing.T) {
	for name, want := range map[string][]string{
		"session.history":    {RoleAll, RoleAnswer, RoleLook},
		"permission.respond": {RoleAll, RoleAnswer},
		"session.prompt":     {RoleAll},
		"settings.set":       {RoleAll},
		"device.pair":        nil,
		"device.remove":      nil,
		"no.such":            {RoleAll},
	} {
		for _, role := range []string{RoleAll, RoleAnswer, RoleLook, "", "something else"} {
			a := &guest{role: role}
			if err := a.May(name); (err == nil) != slices.Contains(want, role) || err != nil && fault.CodeOf(err) != fault.Forbidden {
				t.Errorf("%s as %q: %v", name, role, err)
			}
		}
	}
}
