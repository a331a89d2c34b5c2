package snapshot

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"parley/backend/platform/safeopen"
)

// undone reads the newest undo records, each as a whole, as far as there is
// room for them. It returns the ones left out.
func (s *Source) undone(found map[string][]byte) (left []string) {
	entries, err := os.ReadDir(filepath.Join(s.Data, Undo))
	if err != nil {
		return nil // there is no folder, or it is not ours
	}
	age := map[string]int64{}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			age[e.Name()] = info.ModTime().UnixNano()
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(age[b.Name()], age[a.Name()]) })
	room := int64(maxUndo)
	for _, e := range entries {
		name := path.Join(Undo, e.Name())
		if !undoForm.MatchString(name + "/record.json") {
			continue // unfinished, or not ours
		}
		files, size, ok := s.readAll(name, room)
		if !ok {
			left = append(left, name)
			continue
		}
		room -= size
		for at, data := range files {
			found[at] = data
		}
	}
	return left
}

// readAll reads the files of a folder, if their total size is at most most.
func (s *Source) readAll(folder string, most int64) (files map[string][]byte, size int64, ok bool) {
	entries, err := os.ReadDir(filepath.Join(s.Data, filepath.FromSlash(folder)))
	if err != nil {
		return nil, 0, false
	}
	files = map[string][]byte{}
	for _, e := range entries {
		name := path.Join(folder, e.Name())
		if !undoForm.MatchString(name) {
			return nil, 0, false
		}
		data, err := safeopen.Read(filepath.Join(s.Data, filepath.FromSlash(name)), most-size)
		if err != nil {
			return nil, 0, false
		}
		size += int64(len(data))
		files[name] = data
	}
	return files, size, true
}
