package clisettings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"parley/backend/fault"
	"parley/backend/platform/atomicfile"
)

// Added is the result of [Add].
type Added struct {
	// File was written, Backup is a copy of the previous file; "" if there was
	// none.
	File, Backup string
	// Changed is false if the rule already existed.
	Changed bool
}

// Add writes a rule to a settings file, after the other rules with its effect.
// Everything else stays unchanged and in place; a backup of the file is kept beside
// it. A file that can't be parsed isn't touched (fault conflict).
func Add(path, effect, text string, now time.Time) (Added, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	before, err := ReadFile(path)
	if err != nil && !IsNotExist(err) {
		return Added{}, fault.Wrap(err, fault.Unavailable, "%s cannot be changed: %v.", path, err)
	}
	exists := err == nil
	after, changed, err := insert(before, effect, text)
	switch {
	case err != nil:
		return Added{}, fault.Wrap(err, fault.Conflict, "%s cannot be read, so it was not changed: %v.", path, err)
	case !changed:
		return Added{File: path}, nil
	}
	added := Added{File: path, Changed: true}
	if exists {
		added.Backup = path + ".before-parley-" + now.Format("20060102-150405.000")
		if err := os.WriteFile(added.Backup, before, 0o600); err != nil {
			return Added{}, fault.Wrap(err, fault.Unavailable, "A backup of %s cannot be saved next to it, so it was not changed.", path)
		}
	}
	err = os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = atomicfile.File(path, after)
	}
	if err != nil {
		return Added{}, fault.Wrap(err, fault.Unavailable, "%s cannot be written. Check the folder's permissions.", path)
	}
	return added, nil
}

// member is one key of an object with its raw value.
type member struct {
	key   string
	value json.RawMessage
}

// members splits an object, keeping the order of its keys.
func members(data []byte) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("it is not a JSON object")
	}
	var list []member
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, errors.New("it is not valid JSON")
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, errors.New("it is not valid JSON")
		}
		name, _ := key.(string) // a key is a text, or the token was an error
		list = append(list, member{name, value})
	}
	if _, err := dec.Token(); err != nil {
		return nil, errors.New("it is not valid JSON")
	}
	if dec.More() {
		return nil, errors.New("something follows its object")
	}
	return list, nil
}

// set replaces an existing value, or appends it.
func set(list []member, key string, value json.RawMessage) []member {
	if i := slices.IndexFunc(list, func(m member) bool { return m.key == key }); i >= 0 {
		list[i].value = value
		return list
	}
	return append(list, member{key, value})
}

func get(list []member, key string) json.RawMessage {
	for _, m := range list {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// join reassembles an object.
func join(list []member) (json.RawMessage, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range list {
		key, err := encode(m.key)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(m.value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(out.Bytes()), err
}

// insert adds a rule to settings. before is empty for a new file.
func insert(before []byte, effect, text string) (after []byte, changed bool, err error) {
	if len(bytes.TrimSpace(before)) == 0 {
		before = []byte("{}")
	}
	settings, err := members(before)
	if err != nil {
		return nil, false, err
	}
	var permissions []member
	if raw := get(settings, "permissions"); raw != nil {
		if permissions, err = members(raw); err != nil {
			return nil, false, fmt.Errorf("its permissions are not an object")
		}
	}
	var rules []json.RawMessage
	if raw := get(permissions, effect); raw != nil {
		if err := json.Unmarshal(raw, &rules); err != nil {
			return nil, false, fmt.Errorf("its rules for %q are not a list", effect)
		}
	}
	for _, raw := range rules {
		var have string
		if json.Unmarshal(raw, &have) == nil && have == text {
			return nil, false, nil
		}
	}
	rule, err := encode(text)
	if err != nil {
		return nil, false, err
	}
	list, err := encode(append(rules, rule))
	if err != nil {
		return nil, false, err
	}
	inner, err := join(set(permissions, effect, list))
	if err != nil {
		return nil, false, err
	}
	whole, err := join(set(settings, "permissions", inner))
	if err != nil {
		return nil, false, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, whole, "", "  "); err != nil {
		return nil, false, err
	}
	out.WriteByte('\n')
	return out.Bytes(), true, nil
}
