/**
 * The shape of the stored `payload`: the protocol's own canonical one, so that whoever reads a payload
 * meets one shape whatever the client sent. Undefined fields are left out by JSON.
 */
import type { JsonValue } from './values/bound-value.ts'
import type { Note } from './values/notes.ts'

type Data = { readonly [key: string]: JsonValue } | undefined
export type Pairs = readonly (readonly [key: string, value: string])[]

export interface CanonicalFrame {
  readonly function: string | undefined
  readonly raw_function: string | undefined
  readonly module: string | undefined
  readonly filename: string | undefined
  readonly abs_path: string | undefined
  readonly package: string | undefined
  readonly platform: string | undefined
  readonly lineno: number | undefined
  readonly colno: number | undefined
  readonly in_app: boolean | undefined
  readonly context_line: string | undefined
  pre_context: readonly string[] | undefined
  post_context: readonly string[] | undefined
  vars: Data
  readonly instruction_addr: string | undefined
  readonly symbol_addr: string | undefined
  readonly image_addr: string | undefined
  readonly addr_mode: string | undefined
  readonly symbol: string | undefined
}

export interface CanonicalStack {
  frames: readonly CanonicalFrame[]
  /** First cut frame, and the one after the last. */
  readonly frames_omitted: readonly [number, number] | undefined
  readonly registers: Data
  readonly lang: string | undefined
}

export interface CanonicalException {
  readonly type: string | undefined
  readonly value: string | undefined
  readonly module: string | undefined
  readonly thread_id: string | undefined
  readonly mechanism: Data
  readonly stacktrace: CanonicalStack | undefined
}

export interface CanonicalThread {
  readonly id: string | undefined
  readonly name: string | undefined
  readonly crashed: boolean | undefined
  readonly current: boolean | undefined
  readonly main: boolean | undefined
  readonly state: string | undefined
  readonly stacktrace: CanonicalStack | undefined
}

export interface CanonicalBreadcrumb {
  readonly timestamp: string | undefined
  readonly type: string
  readonly level: string
  readonly category: string | undefined
  readonly message: string | undefined
  readonly data: Data
  readonly event_id: string | undefined
  readonly origin: string | undefined
}

export interface CanonicalRequest {
  readonly url: string | undefined
  readonly method: string | undefined
  readonly query_string: string | undefined
  readonly fragment: string | undefined
  data: JsonValue | undefined
  readonly inferred_content_type: string | undefined
  readonly headers: Pairs | undefined
  readonly cookies: Pairs | undefined
  readonly env: Data
}

export interface CanonicalEvent {
  readonly event_id: string
  readonly timestamp: string
  readonly received: string
  readonly platform: string
  readonly level: string
  readonly type: 'error' | 'default' | 'csp'
  readonly logger: string | undefined
  readonly transaction: string | undefined
  readonly server_name: string | undefined
  readonly release: string | undefined
  readonly dist: string | undefined
  readonly environment: string | undefined
  readonly component: string | undefined
  readonly logentry:
    | {
        readonly message: string | undefined
        readonly formatted: string
        params: JsonValue | undefined
      }
    | undefined
  exception: { values: readonly CanonicalException[] } | undefined
  stacktrace: CanonicalStack | undefined
  threads: { readonly values: readonly CanonicalThread[] } | undefined
  readonly tags: Pairs | undefined
  user: Data
  request: CanonicalRequest | undefined
  contexts: Data
  breadcrumbs: { readonly values: readonly CanonicalBreadcrumb[] } | undefined
  extra: Data
  readonly fingerprint: readonly string[] | undefined
  readonly checksum: string | undefined
  sdk: Data
  modules: Data
  debug_meta: { readonly images: readonly JsonValue[] } | undefined
  csp: Data
  notes: readonly Note[] | undefined
}

/** Absent in JSON where it is empty in a column. */
export function orAbsent(text: string): string | undefined {
  return text === '' ? undefined : text
}
