/**
 * A log record of the OpenTelemetry protocol (OTLP 1.x, `logs.proto`) as both of its encodings give it. Only records that
 * become events ever take this form: the rest is counted by a scan of the bytes.
 */
export type OtlpValue =
  | string
  | number
  | boolean
  | null
  | readonly OtlpValue[]
  | { readonly [key: string]: OtlpValue }

/** Of equal keys the last one wins. Integers beyond 2^53 and bytes are text (decimal, base64). */
export type OtlpAttributes = ReadonlyMap<string, OtlpValue>

export interface OtlpLogRecord {
  /** 0 when it is not known. */
  readonly timeUnixNano: bigint
  readonly observedTimeUnixNano: bigint
  /** 1 to 24; 0 when it is not known. */
  readonly severityNumber: number
  readonly severityText: string
  readonly body: OtlpValue
  readonly attributes: OtlpAttributes
  /** 32 and 16 lowercase hex digits; empty when there is none. */
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
/** Values inside a value; what lies deeper is left out. */
export const otlpValueDepthMax = 16
/** A request body after decompression. Collectors gather several megabytes, seldom more. */
export const otlpBodyBytesMax = 16 * 1024 * 1024
/** Records of one request that become events. */
export const otlpEventsPerRequestMax = 10_000
