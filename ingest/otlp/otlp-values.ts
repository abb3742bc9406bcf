/** Converts values that the two encodings write differently into the form of an event. */
import type { OtlpValue } from '#schemas/wire/otlp-log.ts'

/** A number if that is exact, otherwise a string. */
export function otlpInteger(value: bigint): OtlpValue {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value.toString()
}

/** JSON cannot represent NaN and the infinities. */
export function otlpDouble(value: number): OtlpValue {
  return Number.isFinite(value) ? value : String(value)
}

/** Lowercase ids of the right length that are not all zeros; otherwise empty. */
export function traceIdOf(hex: string): string {
  return idOf(hex, /^[0-9a-f]{32}$/i)
}

export function spanIdOf(hex: string): string {
  return idOf(hex, /^[0-9a-f]{16}$/i)
}

function idOf(hex: string, form: RegExp): string {
  return form.test(hex) && !/^0+$/.test(hex) ? hex.toLowerCase() : ''
}
