package app

import (
	"context"

	"parley/app/method"
)

// FileService finds files to mention.
type FileService interface {
	Find(context.Context, FileFindParams) (FileList, error)
}

// fileMethods are about the files of a session's folder.
func fileMethods(s Services) []*method.Method {
	return []*method.Method{
		method.New("file.find", "Files and folders of a session's folder that answer to a few letters: those that git has or would add, where there is a checkout.",
			bind(s, s.Files, FileService.Find)),
	}
}
