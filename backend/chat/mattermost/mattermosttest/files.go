package mattermosttest

import (
	"bytes"
	"errors"
	"image"
	_ "image/gif"  // image sizes
	_ "image/jpeg" // "
	_ "image/png"  // "
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"slices"

	"github.com/mattermost/mattermost/server/public/model"
)

type file struct {
	info *model.FileInfo
	data []byte
}

func tooLargeFile() *model.AppError {
	return fail(http.StatusRequestEntityTooLarge, "api.file.upload_file.too_large_detailed.app_error", "Unable to upload file. The file is too large.")
}

func badUpload() *model.AppError {
	return fail(http.StatusBadRequest, "api.file.upload_file.read_request.app_error", "Unable to upload file(s). Error reading or parsing request data.")
}

// save stores a file without a post; mu is held.
func (s *Server) save(u *user, channelID, name string, data []byte) (*model.FileInfo, *model.AppError) {
	if !model.IsValidId(channelID) {
		return nil, invalidURL("channel_id")
	}
	c := s.channels[channelID]
	switch {
	case c == nil || !s.may(u, c, model.PermissionUploadFile):
		return nil, forbidden()
	case int64(len(data)) > s.opts.MaxFile || s.fileSize+int64(len(data)) > maxFileBytes:
		return nil, tooLargeFile()
	}
	info := model.NewInfo(filepath.Base(name))
	info.Id, info.CreatorId, info.ChannelId, info.Size = model.NewId(), u.Id, channelID, int64(len(data))
	info.CreateAt = s.now()
	info.UpdateAt = info.CreateAt
	if info.MimeType == "" {
		info.MimeType = http.DetectContentType(data)
	}
	if cfg, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil && info.IsImage() {
		info.Width, info.Height, info.HasPreviewImage = cfg.Width, cfg.Height, true
	}
	s.files[info.Id] = &file{info: info, data: slices.Clone(data)}
	s.fileSize += info.Size
	s.change()
	out := *info
	return &out, nil
}

// attach adds files to a new post: only its author's own, and only once; mu is held.
func (s *Server) attach(p *post, ids []string) model.StringArray {
	var out model.StringArray
	for _, id := range model.RemoveDuplicateStrings(ids) {
		f := s.files[id]
		if f == nil || f.info.PostId != "" || f.info.CreatorId != p.UserId || f.info.ChannelId != p.ChannelId {
			continue
		}
		f.info.PostId, f.info.UpdateAt = p.Id, s.now()
		out = append(out, id)
	}
	return out
}

// uploadFile takes one file as the body, or several as a form.
func uploadFile(c *call) (reply, *model.AppError) {
	if len(c.body) == 0 {
		return reply{}, badUpload()
	}
	kind, params, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if err == nil && kind == "multipart/form-data" {
		return c.uploadForm(params["boundary"])
	}
	name := c.query.Get("filename")
	if name == "" {
		return reply{}, invalidURL("filename")
	}
	info, e := c.s.save(c.user, c.query.Get("channel_id"), name, c.body)
	if e != nil {
		return reply{}, e
	}
	out := &model.FileUploadResponse{FileInfos: []*model.FileInfo{info}}
	if id := c.query.Get("client_id"); id != "" {
		out.ClientIds = []string{id}
	}
	return created(out)
}

func (c *call) uploadForm(boundary string) (reply, *model.AppError) {
	type part struct {
		name string
		data []byte
	}
	channelID := c.query.Get("channel_id")
	var parts []part
	out := &model.FileUploadResponse{FileInfos: []*model.FileInfo{}, ClientIds: []string{}}
	form := multipart.NewReader(bytes.NewReader(c.body), boundary)
	for {
		p, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return reply{}, badUpload()
		}
		data, err := io.ReadAll(p)
		switch {
		case err != nil:
			return reply{}, badUpload()
		case p.FileName() != "":
			parts = append(parts, part{p.FileName(), data})
		case p.FormName() == "channel_id":
			channelID = string(data)
		case p.FormName() == "client_ids":
			out.ClientIds = append(out.ClientIds, string(data))
		default:
			return reply{}, invalidBody(p.FormName())
		}
	}
	if n := len(out.ClientIds); n > 0 && n != len(parts) {
		return reply{}, fail(http.StatusBadRequest, "api.file.upload_file.incorrect_number_of_client_ids.app_error", "Unable to upload file(s). Have the wrong number of client_ids.")
	}
	for _, p := range parts {
		info, e := c.s.save(c.user, channelID, p.name, p.data)
		if e != nil {
			return reply{}, e
		}
		out.FileInfos = append(out.FileInfos, info)
	}
	return created(out)
}

// file returns the file in the path if the caller may see it; mu is held.
func (c *call) file() (*file, *model.AppError) {
	id, e := c.id("file_id")
	if e != nil {
		return nil, e
	}
	f := c.s.files[id]
	if f == nil || f.info.DeleteAt != 0 {
		return nil, fail(http.StatusNotFound, "app.file_info.get.app_error", "Unable to get the file info.")
	}
	if f.info.CreatorId != c.user.Id {
		if _, e := c.s.readable(c.user, f.info.PostId); e != nil {
			return nil, e
		}
	}
	return f, nil
}

func getFile(c *call) (reply, *model.AppError) {
	f, e := c.file()
	if e != nil {
		return reply{}, e
	}
	return reply{status: http.StatusOK, raw: f.data, kind: f.info.MimeType, name: f.info.Name}, nil
}

func getFileInfo(c *call) (reply, *model.AppError) {
	f, e := c.file()
	if e != nil {
		return reply{}, e
	}
	return ok(f.info)
}

func filesOfPost(c *call) (reply, *model.AppError) {
	id, e := c.id("post_id")
	if e != nil {
		return reply{}, e
	}
	p, e := c.s.readable(c.user, id)
	if e != nil {
		return reply{}, e
	}
	out := []*model.FileInfo{}
	for _, id := range p.FileIds {
		if f := c.s.files[id]; f != nil && f.info.DeleteAt == 0 {
			out = append(out, f.info)
		}
	}
	return ok(out)
}
