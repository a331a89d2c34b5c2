package desktop

import (
	"crypto/rand"
	"crypto/subtle"
	"sync"
)

// A pass is the secret without which no call of the page is carried out. Wails lets the
// messages of every frame through; only the window's own document gets the secret, a new
// one for each load.
type pass struct {
	mu sync.Mutex
	// due is true until the document that the window loads was asked for, and always where
	// nothing tells of its loads.
	due, always bool
	// known is what is accepted: the secret of the document, and until that one has
	// called also that of the document before, which says its last while it goes.
	known []string
	// tests is accepted, too, where it is not empty. Only programs made for tests have it.
	tests string
}

func newPass() *pass { return &pass{due: true, tests: testPass()} }

// expect is called when the window begins to load its document.
func (p *pass) expect() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.due = true
}

// issue returns a new secret, or false when the document is not asked for by the window:
// each of its loads asks for it once.
func (p *pass) issue() (secret string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.due && !p.always {
		return "", false
	}
	p.due = false
	secret = rand.Text()
	p.known = append([]string{secret}, p.known[:min(len(p.known), 1)]...)
	return secret, true
}

// admits says whether a call with this secret may be carried out.
func (p *pass) admits(secret string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, known := range p.known {
		if same(secret, known) {
			if i == 0 {
				p.known = p.known[:1]
			}
			return true
		}
	}
	return p.tests != "" && same(secret, p.tests)
}

// newest says whether a secret is that of the document which was loaded last.
func (p *pass) newest(secret string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.known) > 0 && same(secret, p.known[0])
}

// same compares in a time that does not tell where two secrets differ.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
