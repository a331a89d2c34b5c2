//go:build linux

package border

import (
	"encoding/json"
	"net/http"
)

// health is the public state of a Parley.
type health struct {
	Status, Containment, Doubt, Audit string
	Held                              int
	Problems                          []struct{ ID string }
}

// ids are the problems' ids.
func (h health) ids() (ids []string) {
	for _, p := range h.Problems {
		ids = append(ids, p.ID)
	}
	return ids
}

func (p *parley) health() (h health) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.url+"health", nil)
	if err != nil {
		p.t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&h); err != nil {
		p.t.Fatal(err)
	}
	return h
}
