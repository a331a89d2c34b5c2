package desktop

import (
	"crypto/rand"
	"crypto/subtle"
	"sync"
)

// A pass is the secret without which the page's calls are rejected. Wails passes on the messages of
// every frame; only the window's own document gets the secret, a new one for each load.
type pass struct {
	mu sync.Mutex
	// due is true until the window's document is requested, and always true where its loads are not
	// reported.
	due, always bool
	// known are the accepted secrets: the document's, and until it has called also the previous
	// document's, which makes its last calls while it closes.
	known []string
	// tests is accepted too, unless empty. Only programs built for tests have it.
	tests string
}

func newPass() *pass { return &pass{due: true, tests: testPass()} }

// expect is called when the window starts to load its document.
func (p *pass) expect() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.due = true
}

// issue returns a new secret, or false if the document was not requested by the window: each of its
// loads requests it once.
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

// admits reports whether a call with this secret is accepted.
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

// newest reports whether a secret is that of the last loaded document.
func (p *pass) newest(secret string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.known) > 0 && same(secret, p.known[0])
}

// same compares in constant time.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
