/**
 * A log record of the OpenTelemetry protocol (OTLP 1.x, `logs.proto`), decoded from either
 * encoding. Only records that become events are decoded; all others are counted by a scan of the
 * bytes.
 */
export type OtlpValue =
  | string
  | number
  | boolean
  | null
  | readonly OtlpValue[]
  | { readonly [key: string]: OtlpValue }

/** The last of equal keys counts. Integers beyond 2^53 and bytes are text (decimal, base64). */
export type OtlpAttributes = ReadonlyMap<string, OtlpValue>

export interface OtlpLogRecord {
  /** 0 when unknown. */
  readonly timeUnixNano: bigint
  readonly observedTimeUnixNano: bigint
  /** 1 to 24; 0 when unknown. */
  readonly severityNumber: number
  readonly severityText: string
  readonly body: OtlpValue
  readonly attributes: OtlpAttributes
  /** 32 and 16 lowercase hex digits; empty when absent. */
  readonly traceId: string
  readonly spanId: string
  readonly eventName: string
}

export interface OtlpScope {
  readonly name: string
  readonly version: string
  readonly attributes: OtlpAttributes
}

/** Records of this severity and above become events. */
export const errorSeverityMin = 17
export const fatalSeverityMin = 21
/** Maximum nesting of values; deeper values are dropped. */
export const otlpValueDepthMax = 16
/**
 * Maximum size of a request body after decompression. Collectors send several megabytes, seldom
 * more.
 */
export const otlpBodyBytesMax = 16 * 1024 * 1024
/** Maximum number of records of one request that become events. */
export const otlpEventsPerRequestMax = 10_000
