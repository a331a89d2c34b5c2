package mattermosttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/mattermost/mattermost/server/public/model"
)

// maxPayload is the maximum body size of a call that isn't a file.
const maxPayload = 300_000

// call is one request, with the variables of its path.
type call struct {
	s     *Server
	w     http.ResponseWriter
	r     *http.Request
	user  *user // nil for routes that need no session
	query url.Values
	vars  map[string]string
	body  []byte
}

// reply is a handler's complete answer: its value may change once mu is free.
type reply struct {
	status int // 0 if a socket took the connection
	raw    []byte
	kind   string // "" for JSON
	name   string // of a file
}

// handler executes a call. mu is held, except for routes that are free.
type handler func(*call) (reply, *model.AppError)

// route is one known call. Segments in braces are variables.
type route struct {
	name   string // "POST /posts/{post_id}/patch"
	method string
	parts  []string
	open   bool // needs no session
	file   bool // its body is a file
	free   bool // waits for others, and locks mu itself
	do     handler
}

func ok(v any) (reply, *model.AppError) { return encode(http.StatusOK, v) }

func created(v any) (reply, *model.AppError) { return encode(http.StatusCreated, v) }

func encode(status int, v any) (reply, *model.AppError) {
	raw, err := json.Marshal(v)
	if err != nil {
		return reply{}, fail(http.StatusInternalServerError, "api.marshal_error", "Failed to marshal.")
	}
	return reply{status: status, raw: append(raw, '\n')}, nil
}

func statusOK() (reply, *model.AppError) { return ok(map[string]string{"status": model.StatusOk}) }

// fail returns an error in the server's form.
func fail(status int, id, message string) *model.AppError {
	return &model.AppError{Id: id, Message: message, StatusCode: status}
}

func invalidBody(name string) *model.AppError {
	return fail(http.StatusBadRequest, "api.context.invalid_body_param.app_error", "Invalid or missing "+name+" in request body.")
}

func invalidURL(name string) *model.AppError {
	return fail(http.StatusBadRequest, "api.context.invalid_url_param.app_error", "Invalid or missing "+name+" parameter in request URL.")
}

func forbidden() *model.AppError {
	return fail(http.StatusForbidden, "api.context.permissions.app_error", "You do not have the appropriate permissions.")
}

func expired() *model.AppError {
	return fail(http.StatusUnauthorized, "api.context.session_expired.app_error", "Invalid or expired session, please login again.")
}

// handler returns the whole server.
func (s *Server) handler() http.Handler {
	table := s.routes()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			panic(http.ErrAbortHandler)
		}
		s.wg.Add(1)
		s.mu.Unlock()
		defer s.wg.Done()
		s.serve(table, w, r)
	})
}

func (s *Server) serve(table []route, w http.ResponseWriter, r *http.Request) {
	path, isAPI := strings.CutPrefix(r.URL.Path, model.APIURLSuffix)
	h := w.Header()
	id := model.NewId()
	s.mu.Lock()
	h.Set("Date", s.opts.Clock().Add(s.skew).UTC().Format(http.TimeFormat))
	s.mu.Unlock()
	h.Set(model.HeaderRequestId, id)
	h.Set(model.HeaderVersionId, s.versionID())
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	if r.Method == http.MethodGet {
		h.Set("Expires", "0")
	}
	rt, vars := match(table, r.Method, strings.TrimSuffix(path, "/"))
	if !isAPI || rt == nil {
		s.refuse(w, id, fail(http.StatusNotFound, "api.context.404.app_error", "Sorry, we could not find the page."))
		return
	}
	c := &call{s: s, w: w, r: r, query: r.URL.Query(), vars: vars}
	c.user = s.session(r)
	s.count(c.user, rt.name)
	if s.before(c, rt.name) {
		return
	}
	if c.user == nil && !rt.open {
		s.refuse(w, id, expired())
		return
	}
	answer, failure := c.run(rt)
	if s.after(c, rt.name) {
		return
	}
	switch {
	case failure != nil:
		s.refuse(w, id, failure)
	case answer.status == 0: // a socket took the connection
	default:
		if answer.kind != "" {
			h.Set("Content-Type", answer.kind)
			h.Set("Content-Disposition", `attachment; filename*=UTF-8''`+url.PathEscape(answer.name))
		}
		h.Set("Content-Length", strconv.Itoa(len(answer.raw)))
		w.WriteHeader(answer.status)
		_, _ = w.Write(answer.raw)
	}
}

// run reads the body and executes the call.
func (c *call) run(rt *route) (reply, *model.AppError) {
	limit := int64(maxPayload)
	if rt.file {
		limit = c.s.opts.MaxFile
	}
	body, err := readAll(c, limit)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge) && rt.file:
		return reply{}, tooLargeFile()
	case errors.As(err, &tooLarge):
		return reply{}, fail(http.StatusRequestEntityTooLarge, "api.context.request_body_too_large.app_error", "Request body too large.")
	case err != nil:
		panic(http.ErrAbortHandler) // the caller went away
	}
	c.body = body
	if !rt.free {
		c.s.mu.Lock()
		defer c.s.mu.Unlock()
	}
	return rt.do(c)
}

func readAll(c *call, limit int64) ([]byte, error) {
	return io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, limit+bytes.MinRead))
}

func (s *Server) refuse(w http.ResponseWriter, requestID string, e *model.AppError) {
	e.RequestId = requestID
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.StatusCode)
	_ = json.NewEncoder(w).Encode(e)
}

// match finds the first matching route.
func match(table []route, method, path string) (*route, map[string]string) {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
next:
	for i := range table {
		rt := &table[i]
		if rt.method != method || len(rt.parts) != len(parts) {
			continue
		}
		var vars map[string]string
		for j, want := range rt.parts {
			switch {
			case strings.HasPrefix(want, "{"):
				if vars == nil {
					vars = map[string]string{}
				}
				vars[want[1:len(want)-1]] = parts[j]
			case want != parts[j]:
				continue next
			}
		}
		return rt, vars
	}
	return nil, nil
}

// session returns the caller, nil for none.
func (s *Server) session(r *http.Request) *user {
	kind, token, _ := strings.Cut(r.Header.Get(model.HeaderAuth), " ")
	if !strings.EqualFold(kind, model.HeaderBearer) && !strings.EqualFold(kind, model.HeaderToken) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bearer(token)
}

// bearer returns the owner of a token; mu is held.
func (s *Server) bearer(token string) *user {
	u := s.users[s.tokens[token]]
	if u == nil || u.DeleteAt != 0 {
		return nil
	}
	return u
}

func (s *Server) count(u *user, route string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := ""
	if u != nil {
		id = u.Id
	}
	if s.calls[id] == nil {
		s.calls[id] = map[string]int{}
	}
	s.calls[id][route]++
	s.change()
}

// versionID is the header that tells clients the version.
func (s *Server) versionID() string { return s.opts.Version + "." + s.opts.Version + ".0.false" }

// decode decodes the JSON body.
func (c *call) decode(name string, v any) *model.AppError {
	if err := json.Unmarshal(c.body, v); err != nil {
		return invalidBody(name)
	}
	return nil
}

// id returns a variable that must be an id; "me" is allowed for user_id.
func (c *call) id(name string) (string, *model.AppError) {
	v := c.vars[name]
	if name == "user_id" && v == model.Me {
		return c.user.Id, nil
	}
	if !model.IsValidId(v) {
		return "", invalidURL(name)
	}
	return v, nil
}

// self returns the user in the path, who must be the caller (or the caller an
// administrator).
func (c *call) self() (string, *model.AppError) {
	id, err := c.id("user_id")
	if err != nil {
		return "", err
	}
	if id != c.user.Id && !c.user.admin() {
		return "", forbidden()
	}
	return id, nil
}

// page returns the requested part of a list.
func (c *call) page() (page, perPage int) {
	page, err := strconv.Atoi(c.query.Get("page"))
	if err != nil || page < 0 {
		page = 0
	}
	perPage, err = strconv.Atoi(c.query.Get("per_page"))
	switch {
	case err != nil || perPage < 0:
		perPage = 60
	case perPage > 200:
		perPage = 200
	}
	return page, perPage
}

func paged[T any](list []T, page, perPage int) []T {
	from := min(page*perPage, len(list))
	return append([]T{}, list[from:min(from+perPage, len(list))]...)
}

func (c *call) flag(name string) bool {
	v, _ := strconv.ParseBool(c.query.Get(name))
	return v
}
