package update

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"parley/backend/fault"
)

const (
	// manifestName is the manifest's name below the address; its signature has an additional
	// suffix.
	manifestName  = "manifest.json"
	signatureName = manifestName + ".minisig"
	// askLimit bounds the time of a manifest request.
	askLimit = 20 * time.Second
	// answerLimit bounds the time until a server starts to answer.
	answerLimit = 15 * time.Second
	// ahead is how far this machine's clock may be behind the server's.
	ahead        = 24 * time.Hour
	maxRedirects = 5
)

// Source is where updates come from and the key that signs them. Both are built in; without an
// address there are no updates.
type Source struct{ Address, Key string }

// Updater updates one program. All fields but full are required.
type Updater struct {
	Source
	// Version is the running program's version, Program its file and Target its target.
	Version, Program, Target string
	// Dir is the updater's folder; it is created on demand.
	Dir string
	Log *slog.Logger
	// disk wraps file writes, for tests; nil writes to the disk.
	disk func(io.Writer) io.Writer

	mu sync.Mutex // held during a check or an installation
}

// Offer is an available update.
type Offer struct {
	Release
	// Told reports whether the user may be notified without having asked.
	Told bool
	file File
}

// Channel is the channel that a version follows: a pre-release follows beta.
func Channel(version string) string {
	release, _, _ := strings.Cut(version, "+")
	if strings.Contains(release, "-") {
		return Beta
	}
	return Stable
}

// Check looks for a newer version, nil for none. It asks the server unless it has done so
// within that interval.
func (u *Updater) Check(ctx context.Context, every time.Duration) (*Offer, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.check(ctx, every)
}

func (u *Updater) check(ctx context.Context, every time.Duration) (*Offer, error) {
	s, err := u.load()
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "Parley's update records in %s cannot be read. Check the file permissions.", u.Dir)
	}
	since := time.Since(s.Asked)
	if since < 0 || since >= every || len(s.Latest.Text) == 0 {
		latest, err := u.receive(ctx)
		if err != nil {
			return nil, err
		}
		if err := u.accept(&s, latest); err != nil {
			return nil, err
		}
		if err := u.save(s); err != nil {
			return nil, u.unwritten(err)
		}
	}
	m, err := Open(s.Latest.Text, s.Latest.Signature, u.keys(s)...)
	if err != nil {
		return nil, unusable(err)
	}
	return u.choose(s, m)
}

// receive gets the manifest and its signature.
func (u *Updater) receive(ctx context.Context) (signed, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	var got signed
	for _, part := range []struct {
		name  string
		limit int64
		to    *[]byte
	}{{manifestName, maxManifest, &got.Text}, {signatureName, maxSignature, &got.Signature}} {
		answer, err := u.get(ctx, part.name, 0)
		if err != nil {
			return signed{}, err
		}
		data, err := io.ReadAll(io.LimitReader(answer.Body, part.limit+1))
		_ = answer.Body.Close()
		switch {
		case err != nil:
			return signed{}, fault.Wrap(err, fault.Unavailable, "The update server closed the connection too early. Try again later.")
		case answer.StatusCode != http.StatusOK:
			return signed{}, fault.New(fault.Unavailable, "The update server did not send %s (it answered with status %d). Try again later.", part.name, answer.StatusCode)
		case int64(len(data)) > part.limit:
			return signed{}, fault.New(fault.TooLarge, "The file %s from the update server is too large. Nothing was changed. Try again later.", part.name)
		}
		*part.to = data
	}
	return got, nil
}

// accept stores a manifest if it is valid and the newest that was ever seen.
func (u *Updater) accept(s *state, latest signed) error {
	m, err := Open(latest.Text, latest.Signature, u.keys(*s)...)
	if err != nil {
		return unusable(err)
	}
	if m.Issued.Before(s.Issued) {
		return fault.New(fault.Forbidden, "The list of updates is from %s, but Parley has already seen a newer one from %s. Nothing was changed. Someone may be holding updates back.", day(m.Issued), day(s.Issued))
	}
	if err := current(m); err != nil {
		return err
	}
	for _, channel := range []string{Stable, Beta} {
		r := m.newest(channel, u.Target, func(Release) bool { return true })
		switch {
		case r == nil:
		case compare(r.Version, s.Seen[channel]) >= 0:
			s.Seen[channel] = r.Version
		case channel == Channel(u.Version):
			return fault.New(fault.Forbidden, "The newest version in the list of updates is %s, but it was %s before. Nothing was changed. Parley never installs an older version.", r.Version, s.Seen[channel])
		}
	}
	s.Latest, s.Asked, s.Issued = latest, time.Now(), m.Issued
	// Only a manifest signed with the built-in key can name the next one.
	if signedBy, err := Open(latest.Text, latest.Signature, u.Key); err == nil && signedBy.NextKey != "" {
		s.Announced = latest
	}
	return nil
}

// current returns why a manifest is not valid now.
func current(m *Manifest) error {
	switch now := time.Now(); {
	case now.After(m.Expires):
		return fault.New(fault.Forbidden, "The list of updates expired on %s. Nothing was changed. Check this computer's clock, or try again later.", day(m.Expires))
	case m.Issued.After(now.Add(ahead)):
		return fault.New(fault.Forbidden, "The list of updates is dated %s, which is in the future. Nothing was changed. Check this computer's clock.", day(m.Issued))
	}
	return nil
}

// choose selects the release that this Parley should update to, nil for none.
func (u *Updater) choose(s state, m *Manifest) (*Offer, error) {
	if err := current(m); err != nil {
		return nil, err
	}
	channel := Channel(u.Version)
	newer := func(r Release) bool { return compare(r.Version, u.Version) > 0 }
	fits := func(r Release) bool {
		return newer(r) && (r.Minimum == "" || compare(u.Version, r.Minimum) >= 0)
	}
	told := m.newest(channel, u.Target, func(r Release) bool { return fits(r) && r.Version != s.Failed && s.among(r) })
	found := m.newest(channel, u.Target, fits)
	if found == nil {
		if far := m.newest(channel, u.Target, newer); far != nil {
			return nil, fault.New(fault.Conflict, "Parley %s cannot update Parley %s, because that is older than %s. Install the new version manually.", far.Version, u.Version, far.Minimum)
		}
		return nil, nil //nolint:nilnil // there is none, and nothing is wrong
	}
	offer := &Offer{Release: *found, Told: told != nil}
	if told != nil {
		offer.Release = *told
	}
	offer.file = *offer.Release.file(u.Target)
	return offer, nil
}

// get requests a file beside the manifest, from an offset.
func (u *Updater) get(ctx context.Context, name string, from int64) (*http.Response, error) {
	base, err := url.Parse(u.Address)
	if err != nil || !safe(base) {
		return nil, fault.New(fault.Unavailable, "This Parley was built with an update address that is not https. Install a newer version manually.")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base.JoinPath(name).String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "Parley")
	request.Header.Set("Accept-Encoding", "identity")
	if from > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", from))
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: answerLimit, TLSHandshakeTimeout: answerLimit, DisableKeepAlives: true}
	client := &http.Client{Transport: transport, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects || !safe(r.URL) {
			return errors.New("it leads elsewhere, and not by https")
		}
		return nil
	}}
	answer, err := client.Do(request)
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The update server (%s) cannot be reached. Try again later.", base.Host)
	}
	return answer, nil
}

// safe reports whether a URL may be requested: https, or this machine.
func safe(u *url.URL) bool {
	host := u.Hostname()
	return u.Scheme == "https" && host != "" || u.Scheme == "http" && (host == "127.0.0.1" || host == "::1" || host == "localhost")
}

func unusable(err error) error {
	if errors.Is(err, errSignature) {
		return fault.Wrap(err, fault.Forbidden, "The list of updates is not signed with the key of this Parley. Nothing was changed. Try again later, or install Parley manually.")
	}
	return fault.Wrap(err, fault.Unavailable, "The list of updates cannot be used: %v. Nothing was changed.", err)
}

// unwritten makes the fault for a failed write.
func (u *Updater) unwritten(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fault.Wrap(err, fault.Unavailable, "The disk is full, so Parley was not updated. Free some space, then try again.")
	}
	return fault.Wrap(err, fault.Unavailable, "Parley cannot write the files for the update (%v). Nothing was changed.", err)
}

func day(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") + " UTC" }

// Managed returns who else updates this program and how, "" for nobody.
func (u *Updater) Managed() string {
	dir := filepath.Dir(u.Program)
	kind, err := os.ReadFile(filepath.Join(dir, "packaged"))
	if err == nil {
		switch strings.TrimSpace(string(kind)) {
		case "deb":
			return "apt update && apt install parley"
		case "rpm":
			return "dnf upgrade parley"
		case "archlinux":
			return "pacman -Syu parley"
		case "apk":
			return "apk upgrade parley-server"
		}
	}
	for _, folder := range []string{"/usr/", "/nix/", "/gnu/", "/snap/", "/app/"} {
		if strings.HasPrefix(u.Program, folder) && !strings.HasPrefix(u.Program, "/usr/local/") {
			return "your system's package manager"
		}
	}
	return ""
}
