/** Values that the two encodings of OTLP write differently, in the one form that an event can hold. */
import type { OtlpValue } from '#schemas/wire/otlp-log.ts'

/** A number as long as that is exact. */
export function otlpInteger(value: bigint): OtlpValue {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value.toString()
}

/** JSON has no word for the three that are not finite. */
export function otlpDouble(value: number): OtlpValue {
  return Number.isFinite(value) ? value : String(value)
}

/** Ids of the right length that are not all zeros, in lowercase; else empty, which means none. */
export function traceIdOf(hex: string): string {
  return idOf(hex, /^[0-9a-f]{32}$/i)
}

export function spanIdOf(hex: string): string {
  return idOf(hex, /^[0-9a-f]{16}$/i)
}

function idOf(hex: string, form: RegExp): string {
  return form.test(hex) && !/^0+$/.test(hex) ? hex.toLowerCase() : ''
}
