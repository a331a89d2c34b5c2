package memory

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"parley/backend/platform/safeopen"
)

// Folder is a workspace in the memory.
type Folder struct {
	// Slug names it in the memory. Path is the workspace's folder, "" if
	// unknown because the folder was created by hand.
	Slug, Path string
	// Off is true if its sessions don't get the memory.
	Off bool
}

// folder is a cached record of a workspace.
type folder struct {
	stamp safeopen.Stamp
	Folder
}

const folderFile = ".workspace.json"

// kept is the content of that file.
type kept struct {
	Path string `json:"path"`
	Off  bool   `json:"off,omitempty"`
}

// workspaces reads the folders of workspaces, and returns them in order.
func (l *looking) workspaces() []Folder {
	f, err := l.s.root.Open(workspaces)
	if err != nil {
		return nil
	}
	defer f.Close()
	list, err := f.ReadDir(-1)
	if err != nil {
		l.problem("The folder %s cannot be read.", workspaces)
		return nil
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	var found []Folder
	next := map[string]*folder{}
	for _, d := range list {
		switch {
		case !IsSlug(d.Name()):
			continue
		case !d.IsDir():
			l.problem("%s/%s is not a folder, and is not followed.", workspaces, d.Name())
			continue
		case len(found) >= maxSlugs:
			l.problem("There are more than %d folders in %s: %s is left out.", maxSlugs, workspaces, d.Name())
			continue
		}
		if err := l.dir(path.Join(workspaces, d.Name())); err != nil {
			l.problem("%s/%s cannot be read.", workspaces, d.Name())
			continue
		}
		record := l.s.folder(d.Name())
		next[d.Name()] = record
		found = append(found, record.Folder)
	}
	l.s.folders = next
	return found
}

// folder reads the record of a workspace, unless it is unchanged. The caller holds mu.
func (s *Store) folder(slug string) *folder {
	name := path.Join(workspaces, slug, folderFile)
	record := &folder{Folder: Folder{Slug: slug}}
	if info, err := s.root.Lstat(filepath.FromSlash(name)); err == nil {
		record.stamp = safeopen.StampOf(info)
	}
	if have := s.folders[slug]; have != nil && have.stamp == record.stamp {
		return have
	}
	if k, err := s.kept(slug); err == nil {
		record.Path, record.Off = Clean(k.Path), k.Off
	}
	return record
}

func (s *Store) kept(slug string) (kept, error) {
	var k kept
	data, err := s.read(path.Join(workspaces, slug, folderFile), 64<<10)
	if err == nil {
		err = json.Unmarshal(data, &k)
	}
	return k, err
}

// ensure creates the folder of a workspace, and records which workspace it is. The
// caller runs in exclusively.
func (s *Store) ensure(workspace string) error {
	if workspace == "" {
		return nil
	}
	if k, err := s.kept(Slug(workspace)); err == nil && k.Path == workspace {
		return nil
	}
	return s.keep(workspace, false)
}

func (s *Store) keep(workspace string, off bool) error {
	slug := Slug(workspace)
	if err := s.root.MkdirAll(filepath.Join(workspaces, slug), 0o700); err != nil {
		return s.unwritable(err)
	}
	data, err := json.MarshalIndent(kept{Path: workspace, Off: off}, "", "  ")
	if err != nil {
		return err
	}
	return s.replace(path.Join(workspaces, slug, folderFile), append(data, '\n'))
}

// SetOff disables or enables the memory for the sessions of a workspace, given by its
// path.
func (s *Store) SetOff(ctx context.Context, workspace string, off bool) error {
	return s.exclusively(ctx, func() error {
		k, err := s.kept(Slug(workspace))
		switch {
		case err == nil && k.Path == workspace && k.Off == off, errors.Is(err, fs.ErrNotExist) && !off:
			return nil
		}
		return s.keep(workspace, off)
	})
}

// replace atomically replaces a file, readable only by its owner.
func (s *Store) replace(name string, data []byte) (err error) {
	temp := path.Join(path.Dir(name), ".new-"+newID())
	defer func() {
		if err != nil {
			_ = s.root.Remove(filepath.FromSlash(temp))
			err = s.unwritable(err)
		}
	}()
	f, err := s.root.OpenFile(filepath.FromSlash(temp), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return s.root.Rename(filepath.FromSlash(temp), filepath.FromSlash(name))
}
