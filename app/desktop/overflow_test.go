package desktop

import (
	"bytes"
	"testing"
)

func TestParkGivesEachBodyOnce(t *testing.T) {
	p := newPark(100)
	id := p.put([]byte("body"))
	if got, ok := p.take(id); !ok || string(got) != "body" {
		t.Fatalf("take = %q, %v", got, ok)
	}
	if _, ok := p.take(id); ok {
		t.Error("a body was given twice")
	}
	if p.bytes != 0 || p.order.Len() != 0 || len(p.byID) != 0 {
		t.Errorf("the park holds %d bytes, %d and %d entries after the last take", p.bytes, p.order.Len(), len(p.byID))
	}
}

func TestParkMakesRoomByForgettingTheOldest(t *testing.T) {
	p := newPark(100)
	body := bytes.Repeat([]byte("x"), 40)
	first, second, third := p.put(body), p.put(body), p.put(body)
	if _, ok := p.take(first); ok {
		t.Error("the oldest is still there")
	}
	for _, id := range []string{second, third} {
		if _, ok := p.take(id); !ok {
			t.Errorf("%s is gone", id)
		}
	}
}

func TestParkRefusesWhatIsOverTheBoundAlone(t *testing.T) {
	p := newPark(100)
	kept := p.put([]byte("kept"))
	if _, ok := p.take(p.put(make([]byte, 101))); ok {
		t.Error("a body over the bound was kept")
	}
	if _, ok := p.take(kept); !ok {
		t.Error("the others had to make room for it")
	}
}

func TestParkClear(t *testing.T) {
	p := newPark(100)
	before := p.put([]byte("x"))
	p.clear()
	after := p.put(make([]byte, 100))
	if _, ok := p.take(before); ok {
		t.Error("a body survived")
	}
	if before == after {
		t.Error("an id was given twice")
	}
	if _, ok := p.take(after); !ok {
		t.Error("the bytes of forgotten bodies still count")
	}
}
