// Package outsidetest keeps in memory what was accepted of files, for tests.
//
// It starts no goroutine.
package outsidetest

import "sync"

// Keeper is [outside.Keeper] in memory. The zero value has accepted nothing, and accepts
// what it sees first.
type Keeper struct {
	mu     sync.Mutex
	texts  map[string]string
	before map[string]string // what was accepted before what is being written
	// Fail is the error of every attempt to keep something.
	Fail error
	// Later makes new files count as outside changes.
	Later bool
}

// Base implements [outside.Keeper].
func (k *Keeper) Base(name string, now []byte) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.texts == nil {
		k.texts = map[string]string{}
	}
	if _, has := k.texts[name]; !has && !k.Later && now != nil {
		k.texts[name] = string(now)
	}
	return k.texts[name]
}

// Begin implements [outside.Keeper].
func (k *Keeper) Begin(name, accepted string, _, _ []byte) error {
	k.mu.Lock()
	before := k.texts[name]
	k.mu.Unlock()
	if err := k.Adopt(name, accepted); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.before == nil {
		k.before = map[string]string{}
	}
	k.before[name] = before
	return nil
}

// Done implements [outside.Keeper].
func (k *Keeper) Done(name string, written bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if before, began := k.before[name]; began && !written {
		k.texts[name] = before
	}
	delete(k.before, name)
}

// Adopt implements [outside.Keeper].
func (k *Keeper) Adopt(name, accepted string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.Fail != nil {
		return k.Fail
	}
	if k.texts == nil {
		k.texts = map[string]string{}
	}
	k.texts[name] = accepted
	return nil
}
