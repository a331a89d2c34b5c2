// Package undo restores files of a folder, and keeps their replaced contents,
// so that this can be undone once.
//
// A [Store] owns one folder on disk, with one record for each session: the files
// as they were right before the last restore. The record is
// safely on disk before the first file is touched. It starts no goroutine; its
// methods may be called from any.
//
// Files are accessed through their folder and never leave it: a path
// that leads through a symlink, or to anything but a regular file with one hard link, is
// rejected. A file is replaced atomically, so that a partial one is never visible.
//
// The package knows neither sessions nor where the old contents come from.
package undo
