// Package undo puts files of a folder back as they were, and keeps what they were
// instead, so that this can be taken back once.
//
// A [Store] owns one folder on the disk, with one record for each session: the files
// as they were right before the last time that something was put back. The record is
// safe on the disk before the first file is touched. It starts no goroutine; its
// methods may be called from any.
//
// Files are reached through the folder they belong to and never leave it: a path
// that leads through a link, or to anything but a plain file with one name, is
// refused. A file is replaced by a finished one, so that nobody sees half of it.
//
// The package knows neither sessions nor where the old contents come from.
package undo
