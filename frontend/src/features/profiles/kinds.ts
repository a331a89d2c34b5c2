// The fields of each kind of profile. The CLI determines which variables make a connection; the program determines
// which are allowed.

import { text } from "../../i18n";

interface FieldSpec {
  /** The variable. */
  name: string;
  readonly label: string;
  readonly placeholder?: string;
  required?: boolean;
}

export interface KindSpec {
  id: string;
  readonly name: string;
  readonly about: string;
  fields: readonly FieldSpec[];
  secrets: readonly FieldSpec[];
  /** Whether the CLI can run a command to get a credential. */
  helper: boolean;
}

type Words = ReturnType<typeof text>["profiles"];
type KindName = keyof Words["kinds"];
type LabelName = keyof Words["fields"];
type HintName = keyof Words["hints"];

/** A kind with labels in the language current at the time of reading. */
function kind(id: KindName, rest: Pick<KindSpec, "fields" | "secrets" | "helper">): KindSpec {
  return {
    id,
    get name() {
      return text().profiles.kinds[id].name;
    },
    get about() {
      return text().profiles.kinds[id].about;
    },
    ...rest,
  };
}

function field(name: string, label: LabelName, rest: { hint?: HintName; placeholder?: string; required?: boolean } = {}): FieldSpec {
  const { hint, placeholder, required = false } = rest;
  return {
    name,
    get label() {
      return text().profiles.fields[label];
    },
    get placeholder() {
      return hint ? text().profiles.hints[hint] : (placeholder ?? "");
    },
    required,
  };
}

export const kinds: readonly KindSpec[] = [
  kind("anthropic", { fields: [], secrets: [field("ANTHROPIC_API_KEY", "apiKey")], helper: true }),
  kind("gateway", {
    fields: [
      field("ANTHROPIC_BASE_URL", "address", { placeholder: "https://gateway.example.com", required: true }),
      field("ANTHROPIC_MODEL", "model", { hint: "gatewayModel" }),
    ],
    secrets: [field("ANTHROPIC_AUTH_TOKEN", "token")],
    helper: true,
  }),
  kind("bedrock", {
    fields: [
      field("AWS_REGION", "region", { placeholder: "eu-central-1", required: true }),
      field("AWS_PROFILE", "awsProfile", { placeholder: "default" }),
      field("ANTHROPIC_MODEL", "model", { hint: "bedrockModel" }),
    ],
    secrets: [
      field("AWS_BEARER_TOKEN_BEDROCK", "bedrockKey"),
      field("AWS_ACCESS_KEY_ID", "accessKeyId"),
      field("AWS_SECRET_ACCESS_KEY", "secretAccessKey"),
    ],
    helper: false,
  }),
  kind("vertex", {
    fields: [
      field("ANTHROPIC_VERTEX_PROJECT_ID", "project", { placeholder: "my-project", required: true }),
      field("CLOUD_ML_REGION", "region", { placeholder: "europe-west1", required: true }),
      field("GOOGLE_APPLICATION_CREDENTIALS", "keyFile", { placeholder: "/home/you/key.json" }),
      field("ANTHROPIC_MODEL", "model", { hint: "vertexModel" }),
    ],
    secrets: [],
    helper: false,
  }),
  kind("custom", { fields: [], secrets: [], helper: true }),
];

export function kindOf(id: string): KindSpec {
  const found = kinds.find((k) => k.id === id) ?? kinds.at(-1);
  if (!found) throw new Error("There are no kinds of profiles.");
  return found;
}
