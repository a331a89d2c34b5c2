package plan

import (
	"encoding/json"
	"slices"
)

// Schema returns the JSON schema (draft 7) of the file, for editors. It describes the
// format that Parley writes. What a schema can't express, such as whether a day exists,
// only Parse checks.
func Schema() []byte {
	schema := map[string]any{
		"$schema": "http://json-schema.org/draft-07/schema#", "title": "Parley's heartbeats",
		"description": "Prompts that Parley runs on a schedule.",
		"type":        "object", "additionalProperties": false,
		"properties": map[string]any{rootKey: map[string]any{
			"description":   "The heartbeats, by name.",
			"type":          []string{"object", "null"},
			"maxProperties": MaxHeartbeats,
			"propertyNames": map[string]any{"pattern": `^[\p{L}\p{Nd}_-]{1,64}$`},
			"additionalProperties": with(groupSchema(fields()), map[string]any{
				"anyOf": []any{
					map[string]any{"required": []string{"folder"}},
					map[string]any{"required": []string{"destination"}, "properties": map[string]any{"destination": map[string]any{"required": []string{"session"}}}},
				},
			}),
		}},
	}
	text, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		panic(err) // the schema consists of maps and texts
	}
	return append(text, '\n')
}

func with(schema, more map[string]any) map[string]any {
	for k, v := range more {
		schema[k] = v
	}
	return schema
}

// groupSchema returns the schema of a map of fields.
func groupSchema(list []field) map[string]any {
	properties := map[string]any{}
	var required []string
	for _, f := range list {
		properties[f.name] = f.schema()
		if f.required {
			required = append(required, f.name)
		}
	}
	out := map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
	if required != nil {
		out["required"] = required
	}
	return out
}

func (f field) schema() map[string]any {
	out := map[string]any{"type": "string"}
	switch f.kind {
	case group:
		out = groupSchema(f.of)
		switch f.name {
		case "schedule":
			out["oneOf"] = []any{required("cron"), required("every"), required("runAt")}
		case "destination":
			out["oneOf"] = []any{required("session"), required("channel")}
		}
	case duration:
		out["pattern"] = `^([0-9]+[wdhms])+$`
	case boolean:
		out["type"] = "boolean"
	case integer:
		out = map[string]any{"type": "integer", "minimum": 1}
	case money:
		out = map[string]any{"type": "number", "exclusiveMinimum": 0, "maximum": maxUSD}
	case words:
		out = map[string]any{"type": "array", "uniqueItems": true, "items": map[string]any{"enum": f.choices}}
	case text:
		if f.choices != nil {
			out["enum"] = f.choices
		}
		if f.required {
			out["pattern"] = `\S`
		}
		if f.most > 0 {
			out["maxLength"] = f.most
		}
		if f.pattern != "" {
			out["pattern"] = f.pattern
		}
	}
	out["description"] = f.doc
	return out
}

func required(names ...string) map[string]any {
	return map[string]any{"required": slices.Clone(names)}
}
