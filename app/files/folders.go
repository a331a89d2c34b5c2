package files

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/app/feature"
	"parley/app/method"
	"parley/backend/fault"
)

// maxFolders bounds one listing.
const maxFolders = 2000

// folders implements folder.*.
type folders struct {
	home string
	// Picker is nil if there is no window.
	picker feature.FolderPicker
}

func (f *folders) List(_ context.Context, p FolderListParams) (FolderList, error) {
	path := p.Path
	if path == "" {
		path = f.home
	}
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		path = f.home + rest
	}
	if !filepath.IsAbs(path) {
		return FolderList{}, fault.New(fault.Invalid, "%q is not an absolute path (parameter path).", p.Path)
	}
	path = filepath.Clean(path)
	entries, err := os.ReadDir(path)
	if err != nil {
		return FolderList{}, fault.Wrap(err, fault.NotFound, "The folder %q cannot be opened. Check that it exists and that you may read it.", path)
	}
	list := FolderList{Path: path, Entries: []FolderEntry{}}
	if parent := filepath.Dir(path); parent != path {
		list.Parent = parent
	}
	for _, e := range entries {
		full := filepath.Join(path, e.Name())
		if !e.IsDir() && (e.Type()&os.ModeSymlink == 0 || !isDir(full)) {
			continue
		}
		if len(list.Entries) == maxFolders {
			list.Truncated = true
			break
		}
		list.Entries = append(list.Entries, FolderEntry{Name: e.Name(), Path: full, Git: exists(filepath.Join(full, ".git"))})
	}
	slices.SortFunc(list.Entries, func(a, b FolderEntry) int {
		if ha, hb := a.Name[0] == '.', b.Name[0] == '.'; ha != hb {
			if ha {
				return 1
			}
			return -1
		}
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return list, nil
}

func (f *folders) Pick(ctx context.Context, _ feature.Empty) (FolderPick, error) {
	if f.picker == nil {
		return FolderPick{}, fault.New(fault.Unavailable, "There is no window to show a dialog in. Use folder.list instead.")
	}
	path, err := f.picker.PickFolder(ctx, "")
	if err != nil {
		return FolderPick{}, fault.Wrap(err, fault.Unavailable, "The system's folder dialog could not be shown. Type the folder's path instead.")
	}
	return FolderPick{Path: path}, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func (f *folders) methods() []*method.Method {
	return []*method.Method{
		method.New("folder.list", "The folders in a folder.",
			f.List),
		method.New("folder.pick", "Shows the system's folder dialog (in the window only).",
			f.Pick),
	}
}
