/**
 * The shape of the stored `payload`: the canonical one of the protocol, so that payloads of all
 * clients have the same shape. JSON leaves out undefined fields. The order of the fields below is
 * the order in the stored text, and part of the rows' bytes.
 */
import type { PlainData } from './plain-data/plain-data.ts'
import type { JsonValue, StoredData } from './values/bound-value.ts'
import type { Note } from './values/notes.ts'

export type Pairs = readonly (readonly [key: string, value: string])[]

/** A text is never empty and a position never 0: both are undefined when they are absent. */
export interface StoredFrame {
  readonly function: string | undefined
  readonly raw_function: string | undefined
  readonly module: string | undefined
  readonly filename: string | undefined
  readonly abs_path: string | undefined
  readonly package: string | undefined
  /** The frame's own platform where it differs from the event's. */
  readonly platform: string | undefined
  readonly lineno: number | undefined
  readonly colno: number | undefined
  /**
   * By a stack-trace rule of the project, else as the client sent it. Undefined when it did not;
   * grouping then decides by its lists.
   */
  readonly in_app: boolean | undefined
  readonly context_line: string | undefined
  readonly pre_context: readonly string[] | undefined
  readonly post_context: readonly string[] | undefined
  readonly vars: StoredData | undefined
  /** `0x` and lowercase hex digits, here and below. */
  readonly instruction_addr: string | undefined
  readonly symbol_addr: string | undefined
  readonly image_addr: string | undefined
  readonly addr_mode: string | undefined
  readonly symbol: string | undefined
  /** What the client knows about the frame besides the fields above. */
  readonly data: StoredData | undefined
  /** The lock that the frame holds or waits for. */
  readonly lock: StoredData | undefined
  /** How a native unwinder found the frame, such as `cfi` or `scan`. */
  readonly trust: string | undefined
  /** The frame is the first one of an asynchronous stack. */
  readonly stack_start: boolean | undefined
  /**
   * What the client sent as `in_app`, null for nothing. Only in frames of which a stack-trace rule
   * of the project decided otherwise.
   */
  readonly orig_in_app?: boolean | null
}

export interface StoredStack {
  readonly frames: readonly StoredFrame[]
  /**
   * Index of the first frame that was left out, and of the first one after it, by the client's
   * count: their difference is the number of frames between the two ends that are kept.
   */
  readonly frames_omitted: readonly [number, number] | undefined
  readonly registers: StoredData | undefined
  readonly lang: string | undefined
}

export interface StoredException {
  readonly type: string | undefined
  readonly value: string | undefined
  readonly module: string | undefined
  readonly thread_id: string | undefined
  readonly mechanism: StoredData | undefined
  readonly stacktrace: StoredStack | undefined
  /** The stack before the client or another server translated its frames. */
  readonly raw_stacktrace: StoredStack | undefined
}

export interface StoredThread {
  readonly id: string | undefined
  readonly name: string | undefined
  readonly crashed: boolean | undefined
  readonly current: boolean | undefined
  readonly main: boolean | undefined
  readonly state: string | undefined
  readonly stacktrace: StoredStack | undefined
  readonly raw_stacktrace: StoredStack | undefined
  /** Locks by their address. */
  readonly held_locks: StoredData | undefined
}

export interface StoredBreadcrumb {
  readonly timestamp: string | undefined
  readonly type: string
  readonly level: string
  readonly category: string | undefined
  readonly message: string | undefined
  readonly data: StoredData | undefined
  readonly event_id: string | undefined
  readonly origin: string | undefined
}

export interface StoredRequest {
  readonly url: string | undefined
  readonly method: string | undefined
  readonly query_string: string | undefined
  readonly fragment: string | undefined
  readonly data: JsonValue | undefined
  readonly inferred_content_type: string | undefined
  readonly headers: Pairs | undefined
  readonly cookies: Pairs | undefined
  readonly env: StoredData | undefined
  /** Such as `graphql`. */
  readonly api_target: string | undefined
}

export interface StoredEvent {
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
        readonly params: JsonValue | undefined
      }
    | undefined
  readonly exception: { readonly values: readonly StoredException[] } | undefined
  readonly stacktrace: StoredStack | undefined
  readonly threads: { readonly values: readonly StoredThread[] } | undefined
  readonly tags: Pairs | undefined
  readonly user: StoredData | undefined
  readonly request: StoredRequest | undefined
  readonly contexts: StoredData | undefined
  readonly breadcrumbs: { readonly values: readonly (StoredBreadcrumb | PlainData)[] } | undefined
  readonly extra: StoredData | PlainData | undefined
  readonly fingerprint: readonly string[] | undefined
  readonly checksum: string | undefined
  readonly sdk: StoredData | undefined
  readonly modules: StoredData | PlainData | undefined
  readonly debug_meta:
    | {
        readonly images: readonly JsonValue[] | undefined
        readonly sdk_info: StoredData | undefined
      }
    | undefined
  readonly csp: StoredData | undefined
  /** Faults that the client, or a server on the way, found in its own event. */
  readonly errors: readonly JsonValue[] | undefined
  /** What was cut or removed, by path: by the client, and texts that normalisation has cut. */
  readonly _meta: StoredData | undefined
  notes: readonly Note[] | undefined
}

/** A column stores an absent text as the empty string; the payload leaves it out. */
export function orAbsent(text: string): string | undefined {
  return text === '' ? undefined : text
}
